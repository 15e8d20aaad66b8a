"""What boxes can do: pushes, push distances, dead squares and frozen boxes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from polyathlon.envs.lmgame.sokoban.rules.board import Level, cells, shift

UNREACHABLE = 1 << 20


class Push(NamedTuple):
    """The box on cell `box` moves one cell in DIRECTIONS[direction]."""

    box: int
    direction: int


@lru_cache(maxsize=256)
def distances(level: Level) -> tuple[tuple[int, ...], ...]:
    """For each dock, ascending, the pushes that a lone box needs from every cell.

    The worker is taken to be wherever a push needs him, so it never overestimates.
    UNREACHABLE where a box cannot be pushed to the dock.
    """
    return tuple(_distances_to(level, dock) for dock in cells(level.docks))


@lru_cache(maxsize=256)
def dead_squares(level: Level) -> int:
    """Floor from which a box can be pushed to no dock."""
    alive = 0
    for table in distances(level):
        for cell in cells(level.floor & ~alive):
            if table[cell] < UNREACHABLE:
                alive |= 1 << cell
    return level.floor & ~alive


def pushes(level: Level, boxes: int, reached: int) -> Iterator[tuple[Push, int]]:
    """Every push by a worker who reaches the mask `reached`, with the boxes after it.

    Pushes onto dead squares are left out.
    """
    landing = level.floor & ~boxes & ~dead_squares(level)
    for direction, step in enumerate(level.steps):
        movable = boxes & shift(reached, step) & shift(landing, -step)
        for cell in cells(movable):
            yield Push(cell, direction), boxes ^ 1 << cell ^ 1 << (cell + step)


def frozen(level: Level, boxes: int) -> bool:
    """Whether a box that is on no dock can never move again.

    The freeze deadlock of the Sokoban literature (Junghanns and Schaeffer 2001): a box is stuck
    along an axis when a wall, a stuck box, or dead squares on both sides hold it. It is a proof:
    the first box of the group to move would need an axis that the others still block.
    """
    walls = ~level.floor
    return any(_stuck(level, boxes, cell, walls) for cell in cells(boxes & ~level.docks))


def _stuck(level: Level, boxes: int, cell: int, walls: int) -> bool:
    return all(_held(level, boxes, cell, step, walls) for step in (1, level.cols))


def _held(level: Level, boxes: int, cell: int, step: int, walls: int) -> bool:
    sides = 1 << (cell - step) | 1 << (cell + step)
    if walls & sides or dead_squares(level) & sides == sides:
        return True
    walls |= 1 << cell
    return any(_stuck(level, boxes, side, walls) for side in cells(boxes & sides))


def _distances_to(level: Level, dock: int) -> tuple[int, ...]:
    table = [UNREACHABLE] * (level.rows * level.cols)
    front, seen, distance = 1 << dock, 0, 0
    while front:
        for cell in cells(front):
            table[cell] = distance
        seen |= front
        front = _one_push_before(level, front) & ~seen
        distance += 1
    return tuple(table)


def _one_push_before(level: Level, front: int) -> int:
    before = 0
    for step in level.steps:
        before |= shift(front, -step) & level.floor & shift(level.floor, step)
    return before
