"""Wires: three to six in a row, exactly one has to be cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Cut,
    LastWire,
    WireColour,
    WireCondition,
    WireRule,
    WiresOf,
    WiresRules,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts, holds

COLOURS: tuple[WireColour, ...] = get_args(WireColour)
FEWEST, MOST = 3, 6


class Wires(Struct, frozen=True):
    """The wires from the top."""

    wires: tuple[WireColour, ...]


def draw(rng: Stream) -> Wires:
    """Three to six wires, each count and each colour equally likely."""
    count = FEWEST + rng.below(MOST - FEWEST + 1)
    return Wires(tuple(rng.choice(COLOURS) for _ in range(count)))


def wire_to_cut(rules: WiresRules, puzzle: Wires, facts: CasingFacts) -> int:
    """Index of the wire to cut, 0 at the top."""
    wires = puzzle.wires
    return position(first_match(rules.by_count[len(wires)], wires, facts).cut, wires)


def first_match(
    rules: Sequence[WireRule], wires: Sequence[WireColour], facts: CasingFacts
) -> WireRule:
    """The first rule whose conditions all hold; the last rule of a list has none."""
    return next(rule for rule in rules if all(_holds(c, wires, facts) for c in rule.when))


def position(cut: Cut, wires: Sequence[WireColour]) -> int:
    """Index of the wire that `cut` names; the rule's conditions guarantee that it exists."""
    named = [i for i, colour in enumerate(wires) if cut.colour in (None, colour)]
    return named[-1 if cut.place == "last" else cut.place - 1]


def _holds(condition: WireCondition, wires: Sequence[WireColour], facts: CasingFacts) -> bool:
    match condition:
        case WiresOf(colour, count):
            return count == ("none", "one", "several")[min(wires.count(colour), 2)]
        case LastWire(colour):
            return wires[-1] == colour
        case _:
            return holds(condition, facts)
