"""The needy knob: a dial that has to stand where twelve LEDs ask for it when the time is up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment
from polyathlon.envs.gptnt.bomb.modules.needy import sleep_us
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook

Position: TypeAlias = Literal["up", "right", "down", "left"]
Leds: TypeAlias = tuple[bool, ...]

POSITIONS: tuple[Position, ...] = get_args(Position)
"""Clockwise."""
LED_ROWS, LED_COLUMNS = 2, 6
PATTERNS_PER_POSITION = 2
TURN_US = 300_000
"""How long a quarter turn takes to be seen; it counts at once."""
ANSWER_US = 30 * SECOND_US

_LEDS = LED_ROWS * LED_COLUMNS
_LEAST_APART = 3


class KnobModule(msgspec.Struct, frozen=True):
    """Sleeps until `due_us`, or shows `leds` (by rows) until the dial is judged then.

    `quarters` counts the clockwise quarter turns so far, the last one at `turned_us`, and `draws`
    the draws in play.
    """

    due_us: int
    leds: Leds | None = None
    quarters: int = 0
    turned_us: int = NEVER_US
    draws: int = 0

    @property
    def position(self) -> Position:
        """Where the dial points."""
        return POSITIONS[self.quarters % len(POSITIONS)]

    def parts(self) -> tuple[str, ...]:
        """The dial."""
        return ("dial",)

    def tap(self, part: str, moment: Moment) -> Effect:
        """A quarter turn clockwise."""
        return Effect(replace(self, quarters=self.quarters + 1, turned_us=moment.time_us))

    def elapsed(self, moment: Moment) -> Effect:
        """Wake with a pattern; or sleep again, after a mistake if the dial points elsewhere."""
        rng, draws, asked = moment.draws(self.draws), self.draws + 1, table(moment.rule_seed)
        if self.leds is None:
            leds = rng.choice(tuple(asked))
            due_us = moment.time_us + ANSWER_US
            return Effect(replace(self, due_us=due_us, leds=leds, draws=draws))
        due_us = moment.time_us + sleep_us(rng)
        asleep = replace(self, due_us=due_us, leds=None, draws=draws)
        return Effect(asleep, "done" if self.position == asked[self.leds] else "strike")

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """Nothing: all is drawn in play."""
        return {}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The LEDs by rows, if lit, the dial, and the time left to turn it."""
        awake = self.leds is not None
        left_s = (self.due_us - time_us) / SECOND_US if awake else None
        return {"awake": awake, "leds": self.leds, "position": self.position, "left_s": left_s}


@lru_cache(maxsize=64)
def table(rule_seed: int) -> Mapping[Leds, Position]:
    """The position that each pattern of LEDs asks for: two patterns a position, any two of which
    differ in three LEDs or more. Drawn for every rule seed, the standard one included."""
    rng = stream(rule_seed, "gptnt/defusal", "rulebook", "knob")
    asked: dict[Leds, Position] = {}
    while len(asked) < PATTERNS_PER_POSITION * len(POSITIONS):
        leds = tuple(bool(rng.below(2)) for _ in range(_LEDS))
        if all(_apart(leds, other) >= _LEAST_APART for other in asked):
            asked[leds] = POSITIONS[len(asked) // PATTERNS_PER_POSITION]
    return asked


def _apart(one: Leds, other: Leds) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))
