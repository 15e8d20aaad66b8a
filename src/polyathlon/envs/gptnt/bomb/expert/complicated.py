"""Complicated Wires in words."""

from __future__ import annotations

import re

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import (
    ORDINALS,
    UNCLEAR,
    indices,
    ordinals,
)
from polyathlon.envs.gptnt.bomb.rulebook.complicated import (
    COLOURINGS,
    FEWEST,
    MOST,
    ComplicatedWire,
    cut,
)

_OPENING = "wires running down"
_WIRE = re.compile(r"is ((?:[a-z]+ and )?[a-z]+), its light (on|off), (with|without) a star")
_TOLD = {colouring: colouring.replace("+", " and ") for colouring in COLOURINGS}


def describe(sight: Sight) -> str:
    """Each wire with its colours, its light and its star."""
    wires = sight.module.puzzle.wires
    told = (f"The {ORDINALS[i]} is {_look(wire)}." for i, wire in enumerate(wires))
    return f"I see {len(wires)} {_OPENING}, each with a small light above. {' '.join(told)}"


def advice(text: str, notes: Notes) -> str | None:
    """Which wires to cut."""
    if _OPENING not in text:
        return None
    wires = [_read(*told) for told in _WIRE.findall(text)]
    known = [wire for wire in wires if wire is not None]
    if not FEWEST <= len(known) <= MOST or len(known) < len(wires):
        return UNCLEAR
    rules, facts = notes.book.complicated, notes.facts
    due = [i for i, wire in enumerate(known) if cut(rules, wire, facts)]
    if not due:
        return UNCLEAR
    return f"Counted from the left, cut the {ordinals(due)} and leave the others alone."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """Those wires."""
    return tuple(f"wire{i + 1}" for i in indices(reply) if i not in sight.module.cut)


def _look(wire: ComplicatedWire) -> str:
    light, star = "on" if wire.led else "off", "with" if wire.star else "without"
    return f"{_TOLD[wire.colouring]}, its light {light}, {star} a star"


def _read(colours: str, light: str, star: str) -> ComplicatedWire | None:
    matching = (c for c in COLOURINGS if set(c.split("+")) == set(colours.split(" and ")))
    colouring = next(matching, None)
    return colouring and ComplicatedWire(colouring, star == "with", light == "on")
