"""Sokoban levels from a seed: a dug-out room, played backwards from its solution."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.sokoban.rules.board import Level, cells, reach, shift
from polyathlon.envs.lmgame.sokoban.rules.pushing import nearest_dock
from polyathlon.envs.lmgame.sokoban.rules.solver import lower_bound, position

FLOOR_SHARE = 0.55
MOST_FLOOR = 0.9
TURN_RATE = 0.4
PULLS_PER_BOX = 24
CELLS_PER_BOX = 5
LEAST_PUSHES = 2
ATTEMPTS = 300
PICKY_ATTEMPTS = 20


def generate(seed: int, rows: int, cols: int, boxes: int) -> Level:
    """A solvable level of `rows` x `cols` cells, walls included; no box starts on a dock.

    Solvable because it is reached from the solved position by pulls, each a push undone. It
    takes LEAST_PUSHES a box or more, and no box is one push from a dock unless PICKY_ATTEMPTS
    attempts found no such level. Raises UserError when the boxes do not fit.
    """
    rng = stream(seed, "lmgame/sokoban", "level")
    for attempt in range(ATTEMPTS):
        room = _room(rng, rows, cols, CELLS_PER_BOX * boxes)
        apart = 2 if attempt < PICKY_ATTEMPTS else 1
        level = _play_backwards(rng, room, boxes, apart)
        if level:
            return level
    raise UserError(
        f"found no {rows}x{cols} level with {boxes} boxes: ask for more rows or columns, "
        "or for fewer boxes"
    )


def _room(rng: Stream, rows: int, cols: int, least: int) -> Level:
    """An empty level, dug out by a random walk, one to four cells at a step.

    It covers FLOOR_SHARE of the inside, or `least` cells where that is more, never all of it.
    """
    inside = sum(((1 << (cols - 2)) - 1) << (row * cols + 1) for row in range(1, rows - 1))
    steps = (-cols, cols, -1, 1)
    stamps = (1, 1 | 1 << 1, 1 | 1 << cols, 1 | 1 << 1 | 1 << cols | 1 << (cols + 1))
    cell = rng.choice(cells(inside))
    step = rng.choice(steps)
    floor, area = 0, inside.bit_count()
    wanted = max(FLOOR_SHARE * area, min(least, MOST_FLOOR * area))
    while floor.bit_count() < wanted:
        floor |= rng.choice(stamps) << cell & inside
        if rng.uniform() < TURN_RATE or not inside >> (cell + step) & 1:
            step = rng.choice([step for step in steps if inside >> (cell + step) & 1])
        cell += step
    return Level(rows, cols, floor, docks=0, worker=cell, boxes=0)


def _play_backwards(rng: Stream, room: Level, boxes: int, apart: int) -> Level | None:
    """The hardest start on one random walk of pulls that never repeats a position.

    Every box is at least `apart` pushes (1 or 2) from every dock; None when there is no such
    start on the walk.
    """
    free = cells(room.floor)
    rng.shuffle(free)
    here, worker = sum(1 << cell for cell in free[:boxes]), free[boxes]
    room = msgspec.structs.replace(room, docks=here)
    found, hardest = None, (apart, LEAST_PUSHES * boxes - 1)
    seen = {position(room, worker, here)}
    for _ in range(PULLS_PER_BOX * boxes):
        fresh = [pull for pull in _pulls(room, worker, here) if position(room, *pull) not in seen]
        if not fresh:
            break
        worker, here = rng.choice(fresh)
        seen.add(position(room, worker, here))
        if (hardness := _hardness(room, here)) > hardest:
            found, hardest = msgspec.structs.replace(room, worker=worker, boxes=here), hardness
    return found


def _hardness(room: Level, boxes: int) -> tuple[int, int]:
    """Pushes from the nearest box to the nearest dock, 2 or more counting the same; all pushes."""
    table = nearest_dock(room)
    nearest = min(table[cell] for cell in cells(boxes))
    return min(nearest, 2), lower_bound(room, boxes)


def _pulls(room: Level, worker: int, boxes: int) -> Iterator[tuple[int, int]]:
    """The worker's cell and the boxes after every possible pull."""
    free = room.floor & ~boxes
    reached = reach(free, room.cols, worker)
    for step in room.steps:
        for cell in cells(boxes & shift(reached, -step) & shift(free, -2 * step)):
            yield cell + 2 * step, boxes ^ 1 << cell ^ 1 << (cell + step)
