"""Sokoban boards: a cell is the number row * cols + col, a set of cells is a bit mask.

Every level is closed by walls, so a shifted mask never wraps onto floor.
"""

from __future__ import annotations

from functools import cached_property

import msgspec

DIRECTIONS = ("up", "down", "left", "right")
WALL, FLOOR, DOCK, BOX, BOX_ON_DOCK, WORKER, WORKER_ON_DOCK = "# ?$*@+"


class Level(msgspec.Struct, frozen=True, dict=True):
    """A level and its start. `floor` holds every cell the worker can reach when no box is there.

    `floor`, `docks` and `boxes` are masks; `worker` is a cell.
    """

    rows: int
    cols: int
    floor: int
    docks: int
    worker: int
    boxes: int

    @cached_property
    def steps(self) -> tuple[int, int, int, int]:
        """What each of DIRECTIONS adds to a cell."""
        return (-self.cols, self.cols, -1, 1)

    @cached_property
    def map(self) -> tuple[str, ...]:
        """The start as rows of symbols."""
        return draw_map(self, self.worker, self.boxes)

    def place(self, cell: int) -> tuple[int, int]:
        """(row, column) of a cell."""
        return divmod(cell, self.cols)


def cells(mask: int) -> list[int]:
    """The cells of a mask, ascending."""
    found: list[int] = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def shift(mask: int, step: int) -> int:
    """Every cell of a mask moved by a step."""
    return mask << step if step > 0 else mask >> -step


def reach(free: int, cols: int, cell: int) -> int:
    """The cells that can be walked to from `cell` over the mask `free`, itself included."""
    seen, grown = 0, 1 << cell
    while grown != seen:
        seen = grown
        grown |= (grown << 1 | grown >> 1 | grown << cols | grown >> cols) & free
    return grown


def walk(level: Level, boxes: int, start: int, end: int) -> list[int]:
    """A shortest walk around the boxes as indices into DIRECTIONS.

    Raises ValueError when `end` cannot be reached.
    """
    free, cols = level.floor & ~boxes, level.cols
    waves = [1 << end]
    while not waves[-1] >> start & 1:
        wave = waves[-1]
        grown = wave | (wave << 1 | wave >> 1 | wave << cols | wave >> cols) & free
        if grown == wave:
            raise ValueError(f"cell {end} cannot be reached from {start}")
        waves.append(grown)
    path: list[int] = []
    for wave in reversed(waves[:-1]):
        step = next(step for step in level.steps if wave >> (start + step) & 1)
        path.append(level.steps.index(step))
        start += step
    return path


def draw_map(level: Level, worker: int, boxes: int) -> tuple[str, ...]:
    """A position as rows of symbols."""
    symbols = [
        FLOOR if level.floor >> cell & 1 else WALL for cell in range(level.rows * level.cols)
    ]
    for cell in cells(level.docks):
        symbols[cell] = DOCK
    for cell in cells(boxes):
        symbols[cell] = BOX_ON_DOCK if level.docks >> cell & 1 else BOX
    symbols[worker] = WORKER_ON_DOCK if level.docks >> worker & 1 else WORKER
    text = "".join(symbols)
    return tuple(text[at : at + level.cols] for at in range(0, len(text), level.cols))
