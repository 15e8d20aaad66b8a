"""The arena: its cells and what lies on them, ways through it, and the reach of flames.

A cell is `y * SIZE + x`, with x and y in [0, 15) from the top left. The ground is a byte a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from polyathlon.core.chance import Stream

SIZE = 15
CELLS = SIZE * SIZE
CORNERS = (0, SIZE - 1, CELLS - SIZE, CELLS - 1)
FLOOR, PILLAR, CRATE = b".#x"
POWER_UPS = {ord("f"): "fire", ord("b"): "bomb", ord("s"): "speed"}

Ground: TypeAlias = Sequence[int]
Way: TypeAlias = dict[int, int]


_XY = tuple((cell % SIZE, cell // SIZE) for cell in range(CELLS))
_NAMES = tuple(map(str, _XY))


def xy(cell: int) -> tuple[int, int]:
    """The coordinates of a cell."""
    return _XY[cell]


def named(cell: int) -> str:
    """The coordinates of a cell as text, `(x, y)`."""
    return _NAMES[cell]


def cell_at(x: int, y: int) -> int:
    """The cell at coordinates in [0, 15)."""
    return y * SIZE + x


def distance(a: int, b: int) -> int:
    """The Manhattan distance of two cells."""
    (ax, ay), (bx, by) = _XY[a], _XY[b]
    return abs(ax - bx) + abs(ay - by)


def within(a: int, b: int, radius: int) -> bool:
    """Whether two cells are at most `radius` columns and rows apart."""
    (ax, ay), (bx, by) = _XY[a], _XY[b]
    return max(abs(ax - bx), abs(ay - by)) <= radius


def _ray(x: int, y: int, dx: int, dy: int) -> Iterable[int]:
    x, y = x + dx, y + dy
    while 0 <= x < SIZE and 0 <= y < SIZE and not (x % 2 and y % 2):
        yield cell_at(x, y)
        x, y = x + dx, y + dy


_SIDES = ((0, -1), (-1, 0), (1, 0), (0, 1))
RAYS = tuple(tuple(tuple(_ray(*xy(cell), dx, dy)) for dx, dy in _SIDES) for cell in range(CELLS))
"""Of each cell, the cells up, left, right and down to the next pillar or edge."""

NEIGHBOURS = tuple(tuple(ray[0] for ray in rays if ray) for rays in RAYS)
PILLARS = frozenset(cell for cell in range(CELLS) if xy(cell)[0] % 2 and xy(cell)[1] % 2)


def built(crates: float, rng: Stream) -> bytearray:
    """A new ground: pillars at odd coordinates, crates on a share of the free cells.

    The corners, where players start, and the two cells beside each stay free.
    """
    ground = bytearray(PILLAR if cell in PILLARS else FLOOR for cell in range(CELLS))
    kept = {near for corner in CORNERS for near in (corner, *NEIGHBOURS[corner])}
    free = [cell for cell in range(CELLS) if ground[cell] == FLOOR and cell not in kept]
    rng.shuffle(free)
    for cell in free[: round(crates * len(free))]:
        ground[cell] = CRATE
    return ground


def hidden(ground: Ground, share: float, rng: Stream) -> dict[int, int]:
    """The power-ups under crates: each crate has one with probability `share`, kinds uniform."""
    kinds = tuple(POWER_UPS)
    crates = (cell for cell in range(CELLS) if ground[cell] == CRATE)
    return {cell: rng.choice(kinds) for cell in crates if rng.uniform() < share}


def reach(start: int, steps: int, solid: Ground) -> Way:
    """The cells within `steps` of `start`, nearest first, each with the cell before it.

    `solid` is not 0 for the cells besides pillars that block. The way to a cell is a shortest
    one; cells are visited in the order up, left, right, down.
    """
    way = {start: start}
    edge = [start]
    for _ in range(steps):
        beyond = []
        for cell in edge:
            for near in NEIGHBOURS[cell]:
                if near not in way and not solid[near]:
                    way[near] = cell
                    beyond.append(near)
        if not beyond:
            break
        edge = beyond
    return way


def path(way: Way, cell: int) -> list[int]:
    """The cells entered from the start of `way` to `cell`, which it must hold."""
    entered = []
    while way[cell] != cell:
        entered.append(cell)
        cell = way[cell]
    return entered[::-1]


def nearest(way: Way, target: int) -> int:
    """The cell of `way` nearest to `target`; ties go to the shorter path, then the first (y, x)."""
    if target in way:
        return target
    closest = min(distance(cell, target) for cell in way)
    tied = (cell for cell in way if distance(cell, target) == closest)
    return min(tied, key=lambda cell: (len(path(way, cell)), cell))


def blast(cell: int, fire: int, ground: Ground) -> list[int]:
    """The cells that the flames of a bomb reach: a cross that stops in crates, before pillars."""
    reached = [cell]
    for ray in RAYS[cell]:
        for flame in ray[:fire]:
            reached.append(flame)
            if ground[flame] == CRATE:
                break
    return reached
