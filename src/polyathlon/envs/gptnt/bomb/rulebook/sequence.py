"""Wire Sequence: four panels of wires, cut by how often their colour has occurred."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import SequenceColour, SequenceRules

End: TypeAlias = Literal["A", "B", "C"]

COLOURS: tuple[SequenceColour, ...] = get_args(SequenceColour)
ENDS: tuple[End, ...] = get_args(End)
PANELS, SLOTS = 4, 3
MOST_OF_COLOUR = 9
_FEWEST, _MOST = 9, 10


class SequenceWire(Struct, frozen=True):
    """A wire from a numbered start to one of three ends."""

    colour: SequenceColour
    end: End


class WireSequence(Struct, frozen=True):
    """Four panels of three slots from the top; an empty slot is None."""

    panels: tuple[tuple[SequenceWire | None, ...], ...]


def draw(rng: Stream) -> WireSequence:
    """Nine or ten wires over twelve slots, at least one on the first panel.

    Colours come from a bag of nine wires of each, ends are equally likely.
    """
    bag = [colour for colour in COLOURS for _ in range(MOST_OF_COLOUR)]
    rng.shuffle(bag)
    count = _FEWEST + rng.below(_MOST - _FEWEST + 1)
    slots: list[SequenceWire | None] = [None] * (PANELS * SLOTS)
    slots[:count] = [SequenceWire(colour, rng.choice(ENDS)) for colour in bag[:count]]
    while True:
        rng.shuffle(slots)
        if any(slots[:SLOTS]):
            panels = (slots[i : i + SLOTS] for i in range(0, len(slots), SLOTS))
            return WireSequence(tuple(map(tuple, panels)))


def cuts(rules: SequenceRules, puzzle: WireSequence) -> tuple[tuple[bool, ...], ...]:
    """For each slot of each panel whether there is a wire that has to be cut.

    Wires are counted by colour over all panels, whether or not they have been cut.
    """
    seen: Counter[SequenceColour] = Counter()
    return tuple(tuple(_cut(rules, wire, seen) for wire in panel) for panel in puzzle.panels)


def _cut(rules: SequenceRules, wire: SequenceWire | None, seen: Counter[SequenceColour]) -> bool:
    """Whether to cut the next wire; counts it in `seen`."""
    if wire is None:
        return False
    seen[wire.colour] += 1
    return wire.end in rules.cut_at[wire.colour][seen[wire.colour] - 1]
