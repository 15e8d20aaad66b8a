"""Two phases with different actions: see and hear a sequence, then press it."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from functools import cache
from typing import Any

from polyathlon.core.actions import Labels, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.parts import Audio, Image, Text
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.core.world import Brief, Observation, Outcome, Role, Step

ROLE = "player"
COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (200, 50, 50),
    "green": (50, 160, 70),
    "blue": (60, 90, 200),
    "yellow": (220, 190, 60),
}
NAMES = tuple(COLOURS)
SIDE_PX = 24
RATE_HZ = 8_000
TONE_S = 0.1
MISTAKES = 3

SPEC = EnvSpec(
    id="toys/relay-v0",
    title="Relay",
    doc="A sequence of colours is shown and sounded one by one; then it has to be pressed.",
    entry=f"{__name__}:Relay",
    roles=(ROLE,),
    channels=(
        Channel("lamp", "image", "the colour of this place", size_px=(SIDE_PX, SIDE_PX)),
        Channel("tone", "audio", "one pitch for each colour"),
        Channel("progress", "text", "phase and place"),
        Channel("notes", "text", "the sequence in words; an aid", default=False),
    ),
    levels=("short", "long"),
    metrics=(
        Metric("raw_score", "share of the sequence pressed rightly"),
        Metric("invalid_rate", "share of acts that were no action of the phase", "", False, 1.0),
    ),
    options=(Option("repeats", 1, "how often each colour of the level's length counts", 1, 4),),
    horizon=60,
    bounds=(0.0, 1.0),
    baselines=__name__,
)
LENGTHS = {"short": 3, "long": 6}


class Relay:
    """`watch` takes the player through the sequence; then each press is right or wrong."""

    spec = SPEC

    def __init__(self, level: str, *, repeats: int) -> None:
        self._length = LENGTHS[level] * repeats

    def reset(self, seed: int) -> None:
        rng = stream(seed, SPEC.id, "sequence")
        self._sequence = [rng.choice(NAMES) for _ in range(self._length)]
        self._lies = [rng.choice([n for n in NAMES if n != name]) for name in self._sequence]
        self._watched = self._pressed = self._right = 0
        self._turns = self._invalid = 0

    def brief(self, role: Role) -> Brief:
        return Brief(
            "Remember the colours and press them in the same order.",
            "First the colours come one by one, each with its tone. Then you press.",
            "Answer `watch` while the colours come, then one colour at a time.",
        )

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else (ROLE,)

    def observe(self, role: Role) -> Observation:
        if self._watching:
            ask, actions = "Go on?", Labels(("watch",))
            place = f"watching {self._watched + 1} of {self._length}"
            seen = self._signals(self._watched)
        else:
            ask, actions = "Which colour comes next?", Labels(NAMES)
            place, seen = f"pressing {self._pressed + 1} of {self._length}", ()
        notes = text_percept("notes", "the sequence: " + ", ".join(self._sequence))
        progress = Percept("progress", "text", place, Text, str, aids=(notes,))
        return Observation(role, self._turns, 0, (*seen, progress), ask, actions)

    def act(self, role: Role, action: str | Malformed, answers_us: int = 0) -> Step:
        if self.outcome():
            return Step.illegal()
        self._turns += 1
        allowed = ("watch",) if self._watching else NAMES
        if isinstance(action, Malformed) or action not in allowed:
            self._invalid += 1
            return Step.malformed() if isinstance(action, Malformed) else Step.illegal()
        if self._watching:
            self._watched += 1
            return Step.ok()
        right = action == self._sequence[self._pressed]
        self._pressed += 1
        self._right += right
        return Step.ok({ROLE: float(right)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def next_event_us(self) -> int | None:
        return None

    def outcome(self) -> Outcome | None:
        if self._pressed == self._length:
            return Outcome("finished")
        if self._turns >= SPEC.horizon:
            return Outcome("horizon", truncated=True)
        return None

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        return {
            "raw_score": self._right / self._length,
            "invalid_rate": self._invalid / self._turns if self._turns else 0.0,
        }

    def state(self) -> JSON:
        return {
            "sequence": self._sequence,
            "lies": self._lies,
            "watched": self._watched,
            "pressed": self._pressed,
            "right": self._right,
            "turns": self._turns,
            "invalid": self._invalid,
        }

    @property
    def _watching(self) -> bool:
        return self._watched < self._length

    def _signals(self, place: int) -> tuple[Percept, ...]:
        name, lie = self._sequence[place], self._lies[place]
        return (
            _sensed("lamp", name, {"other": _sensed("lamp", lie)}),
            _sensed("tone", name, {"other": _sensed("tone", lie)}),
        )


def lamp(name: str) -> Image:
    """A square of the colour."""
    return Image(SIDE_PX, SIDE_PX, bytes(COLOURS[name]) * SIDE_PX**2)


def tone(name: str) -> Audio:
    """A tenth of a second of the colour's pitch: 300 Hz and 100 Hz more for each colour."""
    return Audio(RATE_HZ, _wave(300 + 100 * NAMES.index(name)))


@cache
def _wave(hz: int) -> bytes:
    turn = 2 * math.pi * hz / RATE_HZ
    samples = [round(8_000 * math.sin(turn * n)) for n in range(int(RATE_HZ * TONE_S))]
    return struct.pack(f"<{len(samples)}h", *samples)


def _sensed(channel: str, name: str, lies: Mapping[str, Percept] | None = None) -> Percept:
    image = channel == "lamp"
    return Percept(
        channel,
        "image" if image else "audio",
        name,
        lamp if image else tone,
        str,
        facts={"suggests": name},
        counterfactuals=lies or {},
        keep="phase",
    )


def random(observation: Observation, rng: Stream) -> str:
    """Any action of the phase."""
    return observation.actions.sample(rng)


def oracle(state: Any, role: Role, rng: Stream) -> str:
    """Watch, then press the sequence."""
    sequence = state["sequence"]
    watching = state["watched"] < len(sequence)
    return "watch" if watching else sequence[state["pressed"]]
