"""The Button: tap it, or hold it and release it at the right moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    ButtonColour,
    ButtonCondition,
    ButtonLabel,
    ButtonRule,
    ButtonRules,
    ColourIs,
    Do,
    LabelIs,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts, holds

COLOURS: tuple[ButtonColour, ...] = get_args(ButtonColour)
LABELS: tuple[ButtonLabel, ...] = get_args(ButtonLabel)


class Button(Struct, frozen=True):
    """The button's cap and what is written on it."""

    colour: ButtonColour
    label: ButtonLabel


def draw(rng: Stream) -> Button:
    """Every colour and label equally likely."""
    return Button(rng.choice(COLOURS), rng.choice(LABELS))


def draw_strip(rng: Stream) -> ButtonColour:
    """The colour of the strip, drawn anew at each hold."""
    return rng.choice(COLOURS)


def to_do(rules: ButtonRules, puzzle: Button, facts: CasingFacts) -> Do:
    """Whether to tap the button or to hold it."""
    return first_match(rules.rules, puzzle, facts).do


def first_match(rules: Sequence[ButtonRule], puzzle: Button, facts: CasingFacts) -> ButtonRule:
    """The first rule whose conditions all hold; the last rule of a list has none."""
    return next(rule for rule in rules if all(_holds(c, puzzle, facts) for c in rule.when))


def release_digit(rules: ButtonRules, strip: ButtonColour) -> int:
    """The digit, 0 to 9, that must stand on the countdown when the button is let go."""
    return rules.release.get(strip, rules.release_otherwise)


def may_release(rules: ButtonRules, strip: ButtonColour, countdown: str) -> bool:
    """Whether letting go is right while the countdown shows these characters."""
    return str(release_digit(rules, strip)) in countdown


def _holds(condition: ButtonCondition, puzzle: Button, facts: CasingFacts) -> bool:
    match condition:
        case ColourIs(colour):
            return puzzle.colour == colour
        case LabelIs(label):
            return puzzle.label == label
        case _:
            return holds(condition, facts)
