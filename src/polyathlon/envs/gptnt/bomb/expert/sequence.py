"""Wire Sequence in words: the expert counts wires over the panels."""

from __future__ import annotations

import re
from itertools import chain

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import (
    ORDINALS,
    UNCLEAR,
    indices,
    listed,
    numbers,
    ordinals,
)
from polyathlon.envs.gptnt.bomb.rulebook.sequence import (
    COLOURS,
    ENDS,
    MOST_OF_COLOUR,
    PANELS,
    SLOTS,
    SequenceWire,
    WireSequence,
    cuts,
)

_OPENING = "of the panels with wires from numbers to letters"
_WIRE = re.compile(rf"({'|'.join(COLOURS)}) from the ({'|'.join(ORDINALS[:SLOTS])}) to ([A-C])\b")
_COLOURS = {str(colour): colour for colour in COLOURS}
_ENDS = {str(end): end for end in ENDS}


def describe(sight: Sight) -> str:
    """The wires of the panel in view."""
    module = sight.module
    panel = enumerate(module.puzzle.panels[module.panel])
    wires = [f"{w.colour} from the {ORDINALS[i]} to {w.end}" for i, w in panel if w is not None]
    told = f"has {listed(wires)}" if wires else "has no wire"
    return f"Number {module.panel + 1} {_OPENING} {told}."


def advice(text: str, notes: Notes) -> str | None:
    """Which wires of this panel to cut."""
    if _OPENING not in text:
        return None
    number = next(iter(numbers(text)), 0) - 1
    if not 0 <= number <= min(len(notes.panels), PANELS - 1):
        return UNCLEAR
    panel: list[SequenceWire | None] = [None] * SLOTS
    for colour, place, end in _WIRE.findall(text):
        panel[ORDINALS.index(place)] = SequenceWire(_COLOURS[colour], _ENDS[end])
    del notes.panels[number:]
    colours = [wire.colour for wire in (*chain(*notes.panels), *panel) if wire is not None]
    if any(colours.count(colour) > MOST_OF_COLOUR for colour in COLOURS):
        return UNCLEAR
    notes.panels.append(tuple(panel))
    due = cuts(notes.book.sequence, WireSequence(tuple(notes.panels)))[number]
    if not any(due):
        return "Cut nothing on this panel and go on to the next one below."
    wires = ordinals(i for i in range(SLOTS) if due[i])
    return f"Cut what starts at the {wires} number, then go on to the next one below."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """Those wires that are not cut yet, and the arrow down."""
    if "next one below" not in reply:
        return ()
    module = sight.module
    left = (i for i in indices(reply) if (module.panel, i) not in module.cut)
    return (*(f"wire{i + 1}" for i in left), "down")
