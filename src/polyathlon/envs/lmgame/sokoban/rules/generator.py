"""Sokoban levels from a seed: a dug-out room, played backwards from its solution."""

from __future__ import annotations

from collections.abc import Iterator

from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.sokoban.rules.board import Level, cells, reach, shift
from polyathlon.envs.lmgame.sokoban.rules.solver import lower_bound, position

FLOOR_SHARE = 0.55
TURN_RATE = 0.4
PULLS_PER_BOX = 12
LEAST_PUSHES_PER_BOX = 3
ATTEMPTS = 300


def generate(seed: int, rows: int, cols: int, boxes: int) -> Level:
    """A solvable level of `rows` x `cols` cells, walls included; no box starts on a dock.

    Solvable because it is reached from the solved position by pulls, each a push undone. Every
    box is LEAST_PUSHES_PER_BOX pushes from its dock on average, at least. Raises UserError when
    the boxes do not fit.
    """
    rng = stream(seed, "lmgame/sokoban", "level")
    for _ in range(ATTEMPTS):
        floor = _room(rng, rows, cols)
        if floor.bit_count() > 2 * boxes:
            level = _play_backwards(rng, rows, cols, floor, boxes)
            if level:
                return level
    raise UserError(
        f"found no {rows}x{cols} level with {boxes} boxes: ask for more rows or columns, "
        "or for fewer boxes"
    )


def _room(rng: Stream, rows: int, cols: int) -> int:
    """A connected floor: a digger walks at random and digs out one to four cells at a time."""
    inside = sum(((1 << (cols - 2)) - 1) << (row * cols + 1) for row in range(1, rows - 1))
    steps = (-cols, cols, -1, 1)
    stamps = (1, 1 | 1 << 1, 1 | 1 << cols, 1 | 1 << 1 | 1 << cols | 1 << (cols + 1))
    cell = rng.choice(cells(inside))
    step = rng.choice(steps)
    floor = 0
    while floor.bit_count() < FLOOR_SHARE * inside.bit_count():
        floor |= rng.choice(stamps) << cell & inside
        if rng.uniform() < TURN_RATE or not inside >> (cell + step) & 1:
            step = rng.choice([step for step in steps if inside >> (cell + step) & 1])
        cell += step
    return floor


def _play_backwards(rng: Stream, rows: int, cols: int, floor: int, boxes: int) -> Level | None:
    """The farthest start of one random walk of pulls that never repeats a position."""
    free = cells(floor)
    rng.shuffle(free)
    docks = sum(1 << cell for cell in free[:boxes])
    room = Level(rows, cols, floor, docks, free[boxes], docks)
    found, farthest = None, LEAST_PUSHES_PER_BOX * boxes - 1
    here, worker = docks, room.worker
    seen = {position(room, worker, here)}
    for _ in range(PULLS_PER_BOX * boxes):
        fresh = [pull for pull in _pulls(room, worker, here) if position(room, *pull) not in seen]
        if not fresh:
            break
        worker, here = rng.choice(fresh)
        seen.add(position(room, worker, here))
        if not here & docks and (far := lower_bound(room, here)) > farthest:
            found, farthest = Level(rows, cols, floor, docks, worker, here), far
    return found


def _pulls(room: Level, worker: int, boxes: int) -> Iterator[tuple[int, int]]:
    """The worker's cell and the boxes after every possible pull."""
    free = room.floor & ~boxes
    reached = reach(free, room.cols, worker)
    for step in room.steps:
        for cell in cells(boxes & shift(reached, -step) & shift(free, -2 * step)):
            yield cell + 2 * step, boxes ^ 1 << cell ^ 1 << (cell + step)
