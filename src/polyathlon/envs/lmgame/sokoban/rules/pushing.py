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


@lru_cache(maxsize=64)
def distances(level: Level) -> tuple[tuple[int, ...], ...]:
    """For each dock, ascending, the pushes that a lone box needs from every cell.

    The worker is taken to be wherever a push needs him, so it never overestimates.
    UNREACHABLE where a box cannot be pushed to the dock.
    """
    return tuple(_distances_to(level, dock) for dock in cells(level.docks))


@lru_cache(maxsize=64)
def nearest_dock(level: Level) -> tuple[int, ...]:
    """For every cell, the pushes that a lone box needs to its nearest dock, or UNREACHABLE."""
    return tuple(map(min, zip(*distances(level), strict=True)))


@lru_cache(maxsize=64)
def dead_squares(level: Level) -> int:
    """Floor from which a box can be pushed to no dock."""
    nearest = nearest_dock(level)
    return sum(1 << cell for cell in cells(level.floor) if nearest[cell] == UNREACHABLE)


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
    """Whether a box that is on no dock can never move again without reaching a dead square.

    A freeze deadlock: a set of boxes each held on both axes by a wall, by another box of the
    set, or by dead squares on both sides. The first of them to move would need an axis that the
    others still hold, so none ever moves. The largest such set is found by taking away boxes
    that are not held until none is left to take away.
    """
    walls, dead = ~level.floor, dead_squares(level)
    held, before = boxes, 0
    while held != before:
        before = held
        solid = walls | held
        for step in (1, level.cols):
            held &= (
                shift(solid, step) | shift(solid, -step) | shift(dead, step) & shift(dead, -step)
            )
    return bool(held & ~level.docks)


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
