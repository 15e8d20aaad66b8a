"""Wires in words."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, found, indices, listed, ordinals
from polyathlon.envs.gptnt.bomb.rulebook.wires import COLOURS, FEWEST, MOST, Wires, wire_to_cut

_OPENING = "wires running across"


def describe(sight: Sight) -> str:
    """The colours from the top."""
    wires = sight.module.puzzle.wires
    return f"I see {len(wires)} {_OPENING}. From the top they are {listed(wires)}."


def advice(text: str, notes: Notes) -> str | None:
    """Which wire to cut."""
    if _OPENING not in text:
        return None
    wires = found(COLOURS, text)
    if not FEWEST <= len(wires) <= MOST:
        return UNCLEAR
    place = wire_to_cut(notes.book.wires, Wires(wires), notes.facts)
    return f"Cut the {ordinals([place])} wire from the top."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """That wire."""
    return tuple(f"wire{index + 1}" for index in indices(reply)[:1])
