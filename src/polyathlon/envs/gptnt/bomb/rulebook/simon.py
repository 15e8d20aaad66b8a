"""Simon Says: answer a growing sequence of flashes through a colour map."""

from __future__ import annotations

from typing import get_args

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp, SimonRules
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts, SerialIs, holds

LAMPS: tuple[Lamp, ...] = get_args(Lamp)
FEWEST, MOST = 3, 5
_VOWEL = SerialIs("vowel")


class Simon(Struct, frozen=True):
    """The whole sequence; stage k flashes its first k lamps."""

    flashes: tuple[Lamp, ...]


def draw(rng: Stream) -> Simon:
    """Three to five stages, each count and each lamp equally likely."""
    stages = FEWEST + rng.below(MOST - FEWEST + 1)
    return Simon(tuple(rng.choice(LAMPS) for _ in range(stages)))


def press(rules: SimonRules, flash: Lamp, facts: CasingFacts, strikes: int) -> Lamp:
    """The lamp to press for one flash; from two strikes on the last map counts."""
    maps = rules.vowel if holds(_VOWEL, facts) else rules.no_vowel
    return maps[min(strikes, len(maps) - 1)][flash]
