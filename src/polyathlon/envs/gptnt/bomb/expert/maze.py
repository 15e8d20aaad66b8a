"""The maze in words."""

from __future__ import annotations

import re

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, found
from polyathlon.envs.gptnt.bomb.rulebook.book import Cell
from polyathlon.envs.gptnt.bomb.rulebook.maze import SIZE, STEPS, find, path

_OPENING = "grid of six by six dots"
_CELL = re.compile(rf"row ([1-{SIZE}]), column ([1-{SIZE}])(?!\d)")


def describe(sight: Sight) -> str:
    """The circles, and where the light and the triangle are."""
    module = sight.module
    one, other = map(_told, module.puzzle.markers)
    return (
        f"There is a {_OPENING} with four arrows around it. Green circles are at {one} and at "
        f"{other}. The white light began at {_told(module.puzzle.start)}, and the red triangle is "
        f"at {_told(module.puzzle.goal)}."
    )


def advice(text: str, notes: Notes) -> str | None:
    """The way from the light to the triangle."""
    if _OPENING not in text:
        return None
    cells = [(int(row) - 1, int(column) - 1) for row, column in _CELL.findall(text)]
    known = [set(maze.markers) for maze in notes.book.maze.mazes]
    if len(cells) != 4 or set(cells[:2]) not in known or cells[2] == cells[3]:
        return UNCLEAR
    way = path(find(notes.book.maze, cells[:2]), cells[2], cells[3])
    return f"Move the light {', '.join(way)}."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """The arrows in order."""
    return found(tuple(STEPS), reply)


def _told(cell: Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"
