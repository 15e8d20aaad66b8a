"""The Alchemist's Melody: the state machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.world import Outcome, Role, Step

ROLE = "player"
NOTES = ("DO", "RE", "MI", "FA", "SOL", "LA", "SI")
COLOURS = ("BLUE", "GREEN", "RED", "GREY", "YELLOW", "ORANGE", "PURPLE")
LENGTH = 5
NAME = "omniplay/alchemist"

RIGHT = Step.ok({ROLE: 1.0})
WRONG = Step.ok({ROLE: 0.0})


class Play(msgspec.Struct, frozen=True):
    """Play the flask of a colour. `note` is what the player believes it sounds; it acts on nothing.

    A person who only points at a flask states no belief: None.
    """

    colour: str
    note: str | None = None


class Taken(NamedTuple):
    """One step: the flask played, "" when the answer was none, and whether it went on."""

    colour: str
    right: bool


def successor(note: str) -> str:
    """The next note up; DO follows SI."""
    return NOTES[(NOTES.index(note) + 1) % len(NOTES)]


class Rules:
    """One round.

    `melody` are the flasks in the order to play; `blocks` are the same in the order they are
    listed and drawn. `lie` is how many places of the melody, or of the listing, a lying channel
    is off at this moment; `misheard` is what somebody would have heard who was lied to throughout.
    """

    def __init__(self, level: str, *, reveal_first: bool, cap: int) -> None:
        self.reveal_first = reveal_first
        self.cap = cap

    def reset(self, seed: int) -> None:
        rng = stream(seed, NAME, "round")
        pool = list(COLOURS)
        rng.shuffle(pool)
        self.blocks = tuple(pool[:LENGTH])
        melody = list(self.blocks)
        rng.shuffle(melody)
        first = rng.below(len(NOTES))
        self.melody = tuple(melody)
        self.notes = {
            colour: NOTES[(first + place) % len(NOTES)] for place, colour in enumerate(melody)
        }
        self._lies = stream(seed, NAME, "lies")
        self.lie = 1 + self._lies.below(LENGTH - 1)
        self.place = 0
        self.attempts = 0
        self.steps: list[Taken] = []
        self.heard: dict[str, str] = {}
        self.misheard: dict[str, str] = {}
        self.stated = 0
        self.believed = 0

    def turn(self, role: Role) -> int:
        return len(self.steps)

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else (ROLE,)

    def act(self, role: Role, action: Play | Malformed) -> Step:
        if self.outcome():
            return Step.illegal()
        self.lie = 1 + self._lies.below(LENGTH - 1)
        if isinstance(action, Malformed):
            self._take("", False)
            return Step.malformed({ROLE: 0.0})
        if action.colour not in self.notes:
            self._take("", False)
            return Step.illegal({ROLE: 0.0})
        right = self.melody[self.place] == action.colour
        self._take(action.colour, right)
        self._listen(action)
        return RIGHT if right else WRONG

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        if self.place == LENGTH:
            return Outcome("melody", winners=(ROLE,))
        if len(self.steps) >= self.cap:
            return Outcome("cap")
        return None

    def state(self) -> JSON:
        return {
            "blocks": self.blocks,
            "melody": self.melody,
            "notes": self.notes,
            "place": self.place,
            "attempts": self.attempts,
            "steps": list(self.steps),
            "heard": dict(self.heard),
            "misheard": dict(self.misheard),
            "lie": self.lie,
            "stated": self.stated,
            "believed": self.believed,
            "drawn": self._lies.drawn,
        }

    @property
    def lit(self) -> str:
        """The flask that is lit and sounds: the last one played, or the revealed first; ""."""
        if self.steps:
            return self.steps[-1].colour
        return self.melody[0] if self.reveal_first else ""

    def lying_note(self, colour: str) -> str:
        """The note of another flask of the round."""
        return self.notes[self.melody[(self.melody.index(colour) + self.lie) % LENGTH]]

    def lying_block(self, colour: str) -> str:
        """Another flask of the round."""
        return self.blocks[(self.blocks.index(colour) + self.lie) % LENGTH]

    def _take(self, colour: str, right: bool) -> None:
        self.steps.append(Taken(colour, right))
        self.place = self.place + 1 if right else 0
        self.attempts += not right

    def _listen(self, action: Play) -> None:
        note = self.notes[action.colour]
        self.heard[action.colour] = note
        self.misheard[action.colour] = self.lying_note(action.colour)
        self.stated += action.note is not None
        self.believed += action.note == note


def block_of(heard: Mapping[str, str], note: str) -> str | None:
    """The flask that was heard to sound a note, if any."""
    return next((colour for colour, sounded in heard.items() if sounded == note), None)
