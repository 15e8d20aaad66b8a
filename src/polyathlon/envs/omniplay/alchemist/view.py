"""The Alchemist's Melody: what the player sees, hears and reads.

What `facts["suggests"]` says, as the text of an action, where a channel alone suggests one:

| channel | suggests |
|---|---|
| `board` | at the start, the flask that is lit |
| `note` | while the sequence is right, the flask heard to sound the next note up |
| `state` | the flask that stood at this place of a sequence that the recent rounds show |
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Audio, Image, Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.omniplay.alchemist import bells
from polyathlon.envs.omniplay.alchemist.actions import BOARD, Plays
from polyathlon.envs.omniplay.alchemist.picture import BOTTOM, EDGES, TOP, paint
from polyathlon.envs.omniplay.alchemist.report import WINDOW, Report, told
from polyathlon.envs.omniplay.alchemist.rules import LENGTH, Rules, block_of, successor

Shelf: TypeAlias = tuple[tuple[str, ...], str]
Mapped: TypeAlias = tuple[tuple[str, str], ...]


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    """The board and the report; between them the note, unless nothing sounds."""
    lit = rules.lit
    note = (_note(rules, lit),) if lit else ()
    return (_board(rules, lit), *note, _state(rules))


def actions(rules: Rules, role: Role) -> Plays:
    return _plays(rules.blocks)


def draw(scene: Shelf) -> Image:
    """The flasks on their shelf, 640x400."""
    return paint(*scene)


def tell(scene: Shelf) -> str:
    """The flasks from left to right, and which is lit."""
    blocks, lit = scene
    return f"flasks from left to right: {', '.join(blocks)}\nlit: {lit or 'none'}"


def sound(scene: str) -> Audio:
    """The note on a glass bell."""
    return bells.ring(scene)


def write(scene: Report) -> Part:
    return Text(told(scene))


def write_mapping(scene: Mapped) -> Part:
    return Text(tell_mapping(scene))


def tell_mapping(scene: Mapped) -> str:
    """One entry a colour, in the paper's form (OmniPlay, aided prompt of this game)."""
    entries = ", ".join(
        f"'{colour.title()}' ='{note.lower() or 'Unknown'}'" for colour, note in scene
    )
    return f"learned so far: {entries}\nThe order of the colours means nothing."


@lru_cache(maxsize=4096)
def _plays(blocks: tuple[str, ...]) -> Plays:
    return Plays(blocks, EDGES, TOP, BOTTOM)


def _board(rules: Rules, lit: str) -> Percept:
    start = not rules.steps
    aids = (_mapping(rules),)
    if not lit:
        return Percept(BOARD, "image", (rules.blocks, ""), draw, tell, {"block": ""}, aids=aids)
    other = rules.lying_block(lit)
    lie = Percept(BOARD, "image", (rules.blocks, other), draw, tell, _seen(other, start))
    return Percept(
        BOARD, "image", (rules.blocks, lit), draw, tell, _seen(lit, start), {"wrong": lie}, aids
    )


def _seen(block: str, start: bool) -> Mapping[str, JSON]:
    return {"block": block, "suggests": block} if start else {"block": block}


def _note(rules: Rules, lit: str) -> Percept:
    note, other = rules.notes[lit], rules.lying_note(lit)
    in_sequence = rules.place > 0
    lie = Percept("note", "audio", other, sound, str, _listened(other, rules.misheard, in_sequence))
    facts = _listened(note, rules.heard, in_sequence)
    return Percept("note", "audio", note, sound, str, facts, {"wrong": lie})


def _listened(note: str, heard: Mapping[str, str], in_sequence: bool) -> Mapping[str, JSON]:
    """The note, and by flask what an attentive ear has heard from the player's own clicks."""
    facts: dict[str, JSON] = {"note": note, "heard": dict(heard)}
    following = block_of(heard, successor(note)) if in_sequence else None
    return facts if following is None else {**facts, "suggests": f"{following}, {successor(note)}"}


def _state(rules: Rules) -> Percept:
    count = len(rules.steps)
    report = Report(
        rules.blocks,
        tuple(step.colour for step in rules.steps),
        tuple(rules.steps[-WINDOW:]),
        rules.place,
        rules.attempts,
        rules.place == LENGTH or count >= rules.cap,
        rules.place > 0,
        count > WINDOW and rules.steps[-WINDOW - 1].right,
    )
    inverted = report._replace(in_sequence=not report.in_sequence)
    lie = Percept("state", "text", inverted, write, told, _read(inverted))
    return Percept("state", "text", report, write, told, _read(report), {"inverted": lie})


def _read(report: Report) -> Mapping[str, JSON]:
    """The flag, and the flask of this place where the recent rounds show it.

    A report that denies the sequence it shows asks for the first flask; one that claims a
    sequence and shows none suggests nothing.
    """
    facts: dict[str, JSON] = {"in_sequence": report.in_sequence}
    if report.in_sequence and not report.place:
        return facts
    known = report.proven().get(report.place if report.in_sequence else 0)
    return facts if known is None else {**facts, "suggests": known}


def _mapping(rules: Rules) -> Percept:
    learned = tuple((colour, rules.heard.get(colour, "")) for colour in rules.blocks)
    return Percept("mapping", "text", learned, write_mapping, tell_mapping)
