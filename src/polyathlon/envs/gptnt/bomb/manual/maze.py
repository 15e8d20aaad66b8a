"""Maze: nine plates that show the walls."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import BLACK, DARK, MIDDLE, THICK, WHITE, Pen
from polyathlon.envs.gptnt.bomb.rulebook.book import Cell, MazeMap, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.maze import CELLS, SIZE

CELL = 26.0
"""The side of a cell on a plate in points."""
WALL = 3.6
"""The width of a wall on a plate in points."""
_PLATE = SIZE * CELL
_ACROSS = 3
_ROW_HEIGHT = 210.0
_CAPTION = 22.0


def pages(book: RuleBook) -> list[Composer]:
    """How to find the maze by its circles, and the plates."""
    mazes = book.maze.mazes
    first = Composer("Maze", "maze", part="1 of 2")
    first.sketch(_sketch)
    first.paragraph(
        "A field of six rows and six columns. A white light is where you are, a red triangle is "
        "where you have to go, and four arrows move the light. There are walls. The module does "
        "not show them; this manual does."
    )
    first.paragraph(
        "Two green circles mark two cells. They tell which of the nine mazes it is: no two mazes "
        "have a circle in the same cell, so one circle is enough. Rows are counted from the top, "
        "columns from the left, both from 1."
    )
    first.clear()
    first.table(
        [("Maze", "One circle", "Other circle")]
        + [(f"Maze {number}", *map(_cell, maze.markers)) for number, maze in enumerate(mazes, 1)],
        (1, 1.6, 1.6),
    )
    first.paragraph(
        "Then find the way on the next page, where thick lines are walls. To bump into a wall is "
        "a strike; the light stays where it was, and the wall gives itself away. The border only "
        "stops it."
    )
    second = Composer("Maze", "maze", part="2 of 2")
    second.paragraph("Thick lines are walls, rings are the green circles.")
    pen = second.figure(_ROW_HEIGHT * (len(mazes) / _ACROSS))
    step = (RIGHT - LEFT) / _ACROSS
    for index, maze in enumerate(mazes):
        x, y = step * (index % _ACROSS + 0.5), _ROW_HEIGHT * (index // _ACROSS)
        pen.text(x, y + _CAPTION / 2, f"Maze {index + 1}", 13, bold=True)
        _plate(pen.at(x - _PLATE / 2, y + _CAPTION + 4), maze)
    second.say(*(f"Maze {number}" for number in range(1, len(mazes) + 1)))
    return [first, second]


def _cell(cell: Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def _plate(pen: Pen, maze: MazeMap) -> None:
    """One maze; the pen is at its top left corner."""
    for row, column in CELLS:
        x, y = CELL * (column + 0.5), CELL * (row + 0.5)
        pen.box(x - 2.5, y - 2.5, 5, 5, fill=MIDDLE, edge=0)
        if (row, column) in maze.markers:
            pen.disc(x, y, 9, edge=2.4, ink=DARK)
    for row, walls in enumerate(maze.right):
        for column, wall in enumerate(walls, 1):
            if wall == "1":
                x = CELL * column
                pen.line((x, CELL * row), (x, CELL * (row + 1)), width=WALL)
    for row, walls in enumerate(maze.below, 1):
        for column, wall in enumerate(walls):
            if wall == "1":
                y = CELL * row
                pen.line((CELL * column, y), (CELL * (column + 1), y), width=WALL)
    pen.box(0, 0, _PLATE, _PLATE, edge=WALL)


def _sketch(pen: Pen) -> None:
    plate(pen)
    pen.box(17, 20, 60, 60, fill=DARK)
    for row, column in CELLS:
        pen.box(21 + 10 * column, 24 + 10 * row, 2, 2, fill=WHITE, edge=0)
    pen.disc(32, 35, 4.5, edge=THICK, ink=MIDDLE)
    pen.disc(62, 65, 4.5, edge=THICK, ink=MIDDLE)
    pen.box(39, 62, 6, 6, fill=WHITE)
    pen.area((52, 29), (47.5, 21), (56.5, 21), fill=WHITE)
    for x, y, dx, dy in ((47, 13, 0, -1), (47, 87, 0, 1), (10, 50, -1, 0), (84, 50, 1, 0)):
        tip = (x + 5 * dx, y + 5 * dy)
        wings = (
            (x + 6 * dy - 2 * dx, y + 6 * dx - 2 * dy),
            (x - 6 * dy - 2 * dx, y - 6 * dx - 2 * dy),
        )
        pen.area(tip, *wings, fill=BLACK, edge=0)
