"""Myriad Echoes: where the cells of a grid lie on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
"""Row and column, both from 1; (1, 1) is at the top left."""
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom lie outside."""

WIDTH_PX, HEIGHT_PX = 480, 288
GAP_PX = 8
MOST_CELL_PX = 128


def cells(rows: int, columns: int) -> Iterator[Cell]:
    """All cells, row by row."""
    return ((row, column) for row in range(1, rows + 1) for column in range(1, columns + 1))


@cache
def boxes(rows: int, columns: int) -> dict[Cell, Box]:
    """The square of each cell, centred on the screen as large as fits."""
    side = min(
        (WIDTH_PX - GAP_PX) // columns - GAP_PX, (HEIGHT_PX - GAP_PX) // rows - GAP_PX, MOST_CELL_PX
    )
    step = side + GAP_PX
    left = (WIDTH_PX - step * columns + GAP_PX) // 2
    top = (HEIGHT_PX - step * rows + GAP_PX) // 2
    corners = {
        (r, c): (left + (c - 1) * step, top + (r - 1) * step) for r, c in cells(rows, columns)
    }
    return {cell: (x, y, x + side, y + side) for cell, (x, y) in corners.items()}


def cell_at(rows: int, columns: int, x: float, y: float) -> Cell | None:
    """The cell at (x, y) in [0, 1]² of the screen, None between cells."""
    for cell, (left, top, right, bottom) in boxes(rows, columns).items():
        if left <= x * WIDTH_PX < right and top <= y * HEIGHT_PX < bottom:
            return cell
    return None
