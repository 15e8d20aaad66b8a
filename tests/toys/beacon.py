"""Two roles on a clock: an operator sees a blinking light, a guide knows what its codes mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.actions import FreeText, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.core.world import Brief, Mail, Observation, Outcome, Role, Step

OPERATOR, GUIDE = ROLES = ("operator", "guide")
BUTTONS = ("red", "green", "blue")
LIGHTS: dict[str, tuple[int, int, int]] = {
    "dark": (20, 20, 24),
    "amber": (230, 160, 40),
    "white": (240, 240, 240),
}
SLOT_US = 500_000
SLOTS = 4
STRIKES = 3
SIDE_PX = 32

SPEC = EnvSpec(
    id="toys/beacon-v0",
    title="Beacon",
    doc="Press the button whose code the light blinks, before time is up; the guide has the table.",
    entry=f"{__name__}:Beacon",
    roles=ROLES,
    channels=(
        Channel("light", "image", "the light at this moment", size_px=(SIDE_PX, SIDE_PX)),
        Channel("timer", "text", "seconds left"),
        Channel("table", "text", "codes and their buttons"),
    ),
    levels=("standard",),
    metrics=(
        Metric("raw_score", "codes answered rightly, minus a third for each strike"),
        Metric("strikes", "wrong presses", higher_is_better=False, failed=float(STRIKES)),
        Metric("invalid_rate", "share of acts that were no action", "", False, 1.0),
    ),
    options=(
        Option("codes", 2, "codes to answer", 1, 20),
        Option("limit_s", 30, "seconds until the end", 1, 3_600),
    ),
    clock="real",
    tick_us=1_000_000,
    horizon=200,
    bounds=(-1.0, 20.0),
    baselines=__name__,
)


class Beacon:
    """The light repeats a code of four half-second slots; every right press changes it."""

    spec = SPEC

    def __init__(self, level: str, *, codes: int, limit_s: int) -> None:
        self._codes = codes
        self._limit_us = limit_s * 1_000_000

    def reset(self, seed: int) -> None:
        rng = stream(seed, SPEC.id, "codes")
        patterns = [[light] + [other] * (SLOTS - 1) for light in LIGHTS for other in LIGHTS
                    if light != other]  # fmt: skip
        rng.shuffle(patterns)
        self._table = {button: patterns[i] for i, button in enumerate(BUTTONS)}
        self._wanted = [rng.choice(BUTTONS) for _ in range(self._codes)]
        self._now_us = 0
        self._right = self._strikes = self._invalid = 0
        self._turns = dict.fromkeys(ROLES, 0)

    def brief(self, role: Role) -> Brief:
        if role == GUIDE:
            task = "You know which button belongs to which blinking code. Help the operator."
            return Brief(task, "Only the operator sees the light and presses.", "Write a message.")
        return Brief(
            "Press the button that belongs to the code the light blinks.",
            f"The code repeats every {SLOTS * SLOT_US / 1e6:g} s. Only the guide has the table.",
            f"Write `press` and one of {', '.join(BUTTONS)}; anything else is said to the guide.",
        )

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else ROLES

    def observe(self, role: Role) -> Observation:
        if role == GUIDE:
            lines = [f"{button}: {' '.join(code)}" for button, code in self._table.items()]
            seen = (text_percept("table", "\n".join(lines), keep="episode"),)
        else:
            left_s = (self._limit_us - self._now_us) // 1_000_000
            light = Percept("light", "image", self._light(), draw, tell)
            seen = (light, text_percept("timer", f"{left_s} s left"))
        turn = self._turns[role]
        return Observation(role, turn, self._now_us, seen, "What do you do?", FreeText(200))

    def act(self, role: Role, action: str | Malformed, answers_us: int = 0) -> Step:
        if self.outcome():
            return Step.illegal()
        self._turns[role] += 1
        if isinstance(action, Malformed):
            self._invalid += 1
            return Step.malformed()
        verb, _, button = action.partition(" ")
        if role == OPERATOR and verb == "press":
            return self._press(button)
        others = tuple(other for other in ROLES if other != role)
        return Step.ok(mail=(Mail(role, others, action, self._now_us),))

    def advance_to(self, time_us: int) -> Step:
        if self.outcome():
            return Step.ok()
        self._now_us = min(max(time_us, self._now_us), self._limit_us)
        late = self._now_us == self._limit_us
        return Step.ok(dict.fromkeys(ROLES, -1.0) if late else {})

    def next_event_us(self) -> int | None:
        return None if self.outcome() else self._limit_us

    def outcome(self) -> Outcome | None:
        if self._right == self._codes:
            return Outcome("solved", winners=ROLES)
        if self._strikes >= STRIKES:
            return Outcome("struck")
        if self._now_us >= self._limit_us:
            return Outcome("timer")
        if max(self._turns.values()) >= SPEC.horizon:
            return Outcome("horizon", truncated=True)
        return None

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        acts = sum(self._turns.values())
        return {
            "raw_score": self._right - self._strikes / STRIKES,
            "strikes": float(self._strikes),
            "invalid_rate": self._invalid / acts if acts else 0.0,
        }

    def state(self) -> JSON:
        return {
            "now_us": self._now_us,
            "table": self._table,
            "wanted": self._wanted,
            "right": self._right,
            "strikes": self._strikes,
            "invalid": self._invalid,
            "turns": self._turns,
        }

    def _light(self) -> str:
        code = self._table[self._wanted[min(self._right, self._codes - 1)]]
        return code[self._now_us // SLOT_US % SLOTS]

    def _press(self, button: str) -> Step:
        if button not in BUTTONS:
            return Step.illegal()
        if button != self._wanted[self._right]:
            self._strikes += 1
            return Step.ok({OPERATOR: 0.0})
        self._right += 1
        return Step.ok(dict.fromkeys(ROLES, 1.0))


def draw(light: str) -> Image:
    """A square of the light's colour."""
    return Image(SIDE_PX, SIDE_PX, bytes(LIGHTS[light]) * SIDE_PX**2)


def tell(light: str) -> str:
    return f"the light is {light}"


def random(observation: Observation, rng: Stream) -> str:
    """The operator presses one time in four; everything else is talk."""
    if observation.role == OPERATOR and not rng.below(4):
        return f"press {rng.choice(BUTTONS)}"
    return f"say {observation.actions.sample(rng)}"


def oracle(state: Any, role: Role, rng: Stream) -> str:
    """Press, or name, the button of the current code."""
    wanted = state["wanted"][state["right"]]
    return f"press {wanted}" if role == OPERATOR else f"it is {wanted}"
