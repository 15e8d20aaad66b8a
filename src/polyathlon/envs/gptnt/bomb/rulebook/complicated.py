"""Complicated Wires: each wire is cut or not by its colours, its star and its LED."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import ComplicatedRules, Tint, Verdict
from polyathlon.envs.gptnt.bomb.rulebook.facts import (
    Batteries,
    CasingCondition,
    CasingFacts,
    HasPort,
    SerialIs,
    holds,
)

Colouring: TypeAlias = Literal["red", "blue", "white", "red+blue", "red+white", "blue+white"]

COLOURINGS: tuple[Colouring, ...] = get_args(Colouring)
FEWEST, MOST = 4, 6
CONDITIONS: dict[Verdict, CasingCondition] = {
    "S": SerialIs("even"),
    "P": HasPort("Parallel"),
    "B": Batteries(1),
}
_TINTS: dict[Colouring, Tint] = {
    "red": "red",
    "blue": "blue",
    "white": "white",
    "red+blue": "red+blue",
    "red+white": "red",
    "blue+white": "blue",
}


class ComplicatedWire(Struct, frozen=True):
    """A wire of one or two colours, the star below it and the LED above it."""

    colouring: Colouring
    star: bool
    led: bool


class Complicated(Struct, frozen=True):
    """The wires from the left."""

    wires: tuple[ComplicatedWire, ...]


def draw(rules: ComplicatedRules, facts: CasingFacts, rng: Stream) -> Complicated:
    """Four to six wires, all colourings and lamps equally likely, at least one to be cut.

    The rules must cut some wire whatever the casing says.
    """
    count = FEWEST + rng.below(MOST - FEWEST + 1)
    while True:
        wires = tuple(_draw_wire(rng) for _ in range(count))
        if any(cut(rules, wire, facts) for wire in wires):
            return Complicated(wires)


def verdict(rules: ComplicatedRules, wire: ComplicatedWire) -> Verdict:
    """The letter that the table gives for a wire."""
    return rules.verdicts[_TINTS[wire.colouring]][wire.star + 2 * wire.led]


def cut(rules: ComplicatedRules, wire: ComplicatedWire, facts: CasingFacts) -> bool:
    """Whether the wire has to be cut."""
    letter = verdict(rules, wire)
    return letter == "C" or (letter in CONDITIONS and holds(CONDITIONS[letter], facts))


def _draw_wire(rng: Stream) -> ComplicatedWire:
    return ComplicatedWire(rng.choice(COLOURINGS), bool(rng.below(2)), bool(rng.below(2)))
