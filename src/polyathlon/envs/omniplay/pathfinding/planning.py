"""Planning: the least number of straight moves of at most 3 m to the target.

Moves end at places of a lattice in the cells of the way, or on a line to the target. The count is
the least over those places; a search over a lattice of 0.1 m hardly ever finds fewer.
"""

from __future__ import annotations

import math
from functools import lru_cache

from polyathlon.envs.omniplay.pathfinding.maze import (
    LONGEST,
    METRE,
    RADIUS,
    REACH,
    START,
    Cell,
    Point,
    Rows,
    cell_at,
    centre,
    free,
    route,
    target_cell,
    within_reach,
)

CLEAR = RADIUS + 10_000
OFFSETS = (0, 100_000, CLEAR, METRE // 2, METRE - CLEAR, 900_000)
SAMPLE = 100_000
MARGIN = 10_000
SLACK = 1_000
FARTHEST_CELLS = 5


def least_moves(rows: Rows, start: Point) -> int:
    """How many moves the target is away; 0 within its reach."""
    return 0 if within_reach(start, centre(target_cell(rows))) else first_move(rows, start)[1]


def first_move(rows: Rows, start: Point) -> tuple[Point, int]:
    """Where the first of the least moves from `start` ends, and how many there are."""
    target = centre(target_cell(rows))
    counts = _counts(rows, _origin(rows, cell_at(start)))
    nearby = [stop for stop in counts if math.dist(start, stop) <= LONGEST + REACH]
    for stop in sorted(nearby, key=lambda stop: (counts[stop], math.dist(start, stop))):
        if _one_move(rows, start, stop, target, RADIUS):
            return _towards(start, stop), 1 + counts[stop]
    raise ValueError(f"no place of the way is in reach of {start}")


def _origin(rows: Rows, cell: Cell) -> Cell:
    """Where the planned way begins: at the maze's start if it leads through `cell`."""
    return START if cell in route(rows, START) else cell


@lru_cache(maxsize=1024)
def _counts(rows: Rows, origin: Cell) -> dict[Point, int]:
    """The least number of moves from every place on the way from `origin`, found backwards."""
    target = centre(target_cell(rows))
    cells = list(route(rows, origin))
    left = {cell: _places(rows, cell) for cell in cells}
    frontier = [place for place in left[cells[-1]] if within_reach(place, target)]
    counts = dict.fromkeys(frontier, 0)
    order = {cell: index for index, cell in enumerate(cells)}
    while frontier:
        reached: list[Point] = []
        for cell in cells:
            left[cell] = [place for place in left[cell] if place not in counts]
        for stop in frontier:
            index = order[cell_at(stop)]
            for cell in cells[max(0, index - FARTHEST_CELLS) : index + 1]:
                for place in left[cell]:
                    if place not in counts and _one_move(rows, place, stop, target, CLEAR):
                        counts[place] = counts[stop] + 1
                        reached.append(place)
        frontier = reached
    return counts


def _one_move(rows: Rows, start: Point, stop: Point, target: Point, radius: int) -> bool:
    """Whether a disc gets straight from `start` to `stop`; the target counts from afar."""
    longest = LONGEST + REACH - MARGIN if stop == target else LONGEST
    return math.dist(start, stop) <= longest + SLACK and _straight(rows, start, stop, radius)


def _places(rows: Rows, cell: Cell) -> list[Point]:
    left, top = cell[0] * METRE, cell[1] * METRE
    places = [(left + dx, top + dy) for dx in OFFSETS for dy in OFFSETS]
    return [place for place in places if free(rows, *place, CLEAR)]


def _straight(rows: Rows, start: Point, end: Point, radius: int) -> bool:
    """Whether no wall is nearer than `radius` to the line from `start` to `end`."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    samples = int(math.hypot(dx, dy) // SAMPLE) + 1
    for i in range(samples, 0, -1):
        if not free(rows, start[0] + dx * i // samples, start[1] + dy * i // samples, radius):
            return False
    return True


def _towards(start: Point, end: Point) -> Point:
    """`end`, or the point `LONGEST` away on the line to it."""
    share = min(1.0, LONGEST / math.dist(start, end))
    return (
        start[0] + round((end[0] - start[0]) * share),
        start[1] + round((end[1] - start[1]) * share),
    )
