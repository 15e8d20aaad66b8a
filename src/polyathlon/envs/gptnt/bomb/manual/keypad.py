"""Keypad: six columns of symbols."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import LIGHT, WHITE, Pen
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.symbols import CHARACTERS, NAMES

_CELL = 46.0
_HEAD = 22.0


def pages(book: RuleBook) -> list[Composer]:
    """The columns on one page."""
    columns = book.keypad.columns
    composer = Composer("Keypad", "keypad")
    composer.sketch(_sketch)
    composer.paragraph(
        "Four keys, four symbols from alphabets that rarely meet. Exactly one of the columns "
        "below holds all four."
    )
    composer.paragraph(
        "Press the four keys in the order in which their symbols stand in that column, from "
        "top to bottom. A key out of turn is a strike; keys that were right stay lit."
    )
    composer.clear()
    composer.heading("Columns")
    composer.say(*(_said(number, column) for number, column in enumerate(columns, 1)))
    pen = composer.figure(_HEAD + _CELL * len(columns[0]))
    step = (RIGHT - LEFT) / len(columns)
    for number, column in enumerate(columns, 1):
        _column(pen.at(step * (number - 0.5), 0), number, column)
    return [composer]


def _said(number: int, column: tuple[str, ...]) -> str:
    return f"Column {number}: " + " ".join(CHARACTERS[name] for name in column)


def _column(pen: Pen, number: int, column: tuple[str, ...]) -> None:
    """Around the pen's origin at its top."""
    pen.text(0, _HEAD / 2 - 2, f"Column {number}", 12, bold=True)
    for row, name in enumerate(column):
        pen.box(-30, _HEAD + _CELL * row, 60, _CELL, fill=WHITE if row % 2 else LIGHT, edge=0.8)
        pen.symbol(name, 0, _HEAD + _CELL * (row + 0.5), 37)


def _sketch(pen: Pen) -> None:
    plate(pen)
    for place, name in enumerate(NAMES[-4:]):
        left, top = 13 + 35 * (place % 2), 22 + 36 * (place // 2)
        pen.box(left, top, 31, 32, fill=WHITE)
        pen.box(left + 8, top + 3, 15, 3, fill=LIGHT)
        pen.symbol(name, left + 15.5, top + 19, 21)
