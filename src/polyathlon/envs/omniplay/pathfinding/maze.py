"""Mazes: generation, routes, collision and lines of sight, all in whole micrometres.

Integers make a pose and every collision exact, equal on all machines and complete in a state.
x grows to the right of the map, y downwards; angles are degrees, 0 along x, clockwise positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, pairwise, repeat
from typing import TypeAlias

from polyathlon.core.chance import Stream

Rows: TypeAlias = tuple[str, ...]
Cell: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[int, int]

METRE = 1_000_000
RADIUS = 200_000
INCREMENT = 50_000
REACH = 500_000
LONGEST = 3 * METRE
FIELD_DEG = 75.0
SLOPE = math.tan(math.radians(FIELD_DEG / 2))
EYE_M = 0.5
WALL, OPEN, UNKNOWN = "#", ".", "?"
START: Cell = (1, 1)
NEIGHBOURS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def generate(size: int, rng: Stream) -> Rows:
    """A perfect maze of `size` x `size` cells (odd), by randomised depth-first search.

    Rooms are the cells at odd indices; between any two of them there is exactly one way.
    """
    cells = [[WALL] * size for _ in range(size)]
    stack = [START]
    cells[START[1]][START[0]] = OPEN
    while stack:
        x, y = stack[-1]
        doors = [
            (dx, dy)
            for dx, dy in NEIGHBOURS
            if 0 < x + 2 * dx < size
            and 0 < y + 2 * dy < size
            and cells[y + 2 * dy][x + 2 * dx] == WALL
        ]
        if not doors:
            stack.pop()
            continue
        dx, dy = rng.choice(doors)
        cells[y + dy][x + dx] = cells[y + 2 * dy][x + 2 * dx] = OPEN
        stack.append((x + 2 * dx, y + 2 * dy))
    return tuple("".join(row) for row in cells)


@lru_cache(maxsize=1024)
def open_cells(rows: Rows) -> tuple[Cell, ...]:
    """The cells that are no wall, row by row."""
    return tuple((x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == OPEN)


def target_cell(rows: Rows) -> Cell:
    """The room with the beacon: the one in the last corner."""
    return len(rows) - 2, len(rows) - 2


def centre(cell: Cell) -> Point:
    """The middle of a cell."""
    return cell[0] * METRE + METRE // 2, cell[1] * METRE + METRE // 2


def cell_at(point: Point) -> Cell:
    """The cell that holds a point."""
    return point[0] // METRE, point[1] // METRE


@lru_cache(maxsize=1024)
def next_cells(rows: Rows) -> dict[Cell, Cell]:
    """For every open cell but the target's, its neighbour on the way to the target."""
    target = target_cell(rows)
    onward: dict[Cell, Cell] = {}
    queue = [target]
    for x, y in queue:
        for dx, dy in NEIGHBOURS:
            cell = x + dx, y + dy
            if rows[cell[1]][cell[0]] == OPEN and cell != target and cell not in onward:
                onward[cell] = x, y
                queue.append(cell)
    return onward


def route(rows: Rows, cell: Cell) -> Iterator[Cell]:
    """The cells from `cell` to the target's, both included."""
    onward = next_cells(rows)
    yield cell
    while cell in onward:
        cell = onward[cell]
        yield cell


@lru_cache(maxsize=1 << 14)
def leg_end(rows: Rows, cell: Cell) -> Point:
    """The middle of the cell where the way from `cell` to the target makes its first turn."""
    onward = next_cells(rows)
    following = onward.get(cell, cell)
    step = following[0] - cell[0], following[1] - cell[1]
    cell = following
    while cell in onward:
        following = onward[cell]
        if (following[0] - cell[0], following[1] - cell[1]) != step:
            break
        cell = following
    return centre(cell)


def corridor_moves(rows: Rows) -> int:
    """Moves of at most 3 m from the start to the beacon along the middle of the corridors.

    Who cuts corners may need fewer.
    """
    cells = list(route(rows, START))
    ways = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)]
    legs = [len(list(leg)) * METRE for _, leg in groupby(ways)]
    legs[-1] -= REACH
    return sum(-(-leg // LONGEST) for leg in legs)


def free(rows: Rows, x: int, y: int, radius: int = RADIUS) -> bool:
    """Whether a disc, the body unless a `radius` is given, fits at a point of the maze."""
    column, row = x // METRE, y // METRE
    line = rows[row]
    if line[column] == WALL:
        return False
    dx, dy = x % METRE, y % METRE
    side = -1 if dx < radius else 1 if dx > METRE - radius else 0
    ahead = -1 if dy < radius else 1 if dy > METRE - radius else 0
    if side and line[column + side] == WALL:
        return False
    if ahead and rows[row + ahead][column] == WALL:
        return False
    if not side or not ahead or rows[row + ahead][column + side] == OPEN:
        return True
    gap_x = dx if side < 0 else METRE - dx
    gap_y = dy if ahead < 0 else METRE - dy
    return gap_x * gap_x + gap_y * gap_y >= radius * radius


def within_reach(point: Point, target: Point) -> bool:
    """Whether the beacon at `target` counts as reached."""
    dx, dy = target[0] - point[0], target[1] - point[1]
    return dx * dx + dy * dy < REACH * REACH


def walk(rows: Rows, start: Point, heading_deg: float, distance: int) -> tuple[Point, int, bool]:
    """Walk `distance` (backwards if negative): the end, the way covered, and whether blocked.

    Goes by `INCREMENT`. Where the body does not fit it slides along the axis that is free, the
    longer share first, else stops. Ends within `REACH` of the target.
    """
    x, y = start
    tx, ty = centre(target_cell(rows))
    covered, blocked = 0, False
    for dx, dy, length in _increments(heading_deg, distance):
        if not free(rows, x + dx, y + dy):
            blocked = True
            dx, dy = _slide(rows, x, y, dx, dy)
            length = abs(dx) + abs(dy)
            if not length:
                break
        x, y, covered = x + dx, y + dy, covered + length
        if (tx - x) * (tx - x) + (ty - y) * (ty - y) < REACH * REACH:
            break
    return (x, y), covered, blocked


def _increments(heading_deg: float, distance: int) -> Iterator[tuple[int, int, int]]:
    """The way along x and y, and the length, of every increment of a walk."""
    angle = math.radians(heading_deg)
    cos, sin = math.cos(angle), math.sin(angle)
    count, rest = divmod(abs(distance), INCREMENT)
    sign = 1 if distance > 0 else -1
    whole, part = (
        (round(sign * length * cos), round(sign * length * sin), length)
        for length in (INCREMENT, rest)
    )
    yield from repeat(whole, count)
    if rest:
        yield part


def _slide(rows: Rows, x: int, y: int, dx: int, dy: int) -> tuple[int, int]:
    """What is left of an increment that is blocked."""
    if abs(dx) >= abs(dy):
        if free(rows, x + dx, y):
            return dx, 0
        return (0, dy) if dy and free(rows, x, y + dy) else (0, 0)
    if free(rows, x, y + dy):
        return 0, dy
    return (dx, 0) if dx and free(rows, x + dx, y) else (0, 0)


def depth(rows: Rows, x_m: float, y_m: float, angle_deg: float) -> float:
    """Metres from a point to the first wall in a direction."""
    cos, sin = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    column, row = int(x_m), int(y_m)
    step_x, step_y = (1 if cos > 0 else -1), (1 if sin > 0 else -1)
    each_x = 1.0 / abs(cos) if cos else math.inf
    each_y = 1.0 / abs(sin) if sin else math.inf
    next_x = (column + 1 - x_m if cos > 0 else x_m - column) * each_x if cos else math.inf
    next_y = (row + 1 - y_m if sin > 0 else y_m - row) * each_y if sin else math.inf
    while True:
        if next_x < next_y:
            found, next_x, column = next_x, next_x + each_x, column + step_x
        else:
            found, next_y, row = next_y, next_y + each_y, row + step_y
        if rows[row][column] == WALL:
            return found


def bearing_deg(start: Point, end: Point, heading_deg: float) -> float:
    """The direction from `start` to `end` relative to a heading, in (-180, 180]; right is > 0."""
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    return 180.0 - (180.0 - angle + heading_deg) % 360.0


def in_sight(rows: Rows, start: Point, end: Point) -> bool:
    """Whether no wall stands between two points."""
    x_m, y_m = start[0] / METRE, start[1] / METRE
    away_x, away_y = end[0] / METRE - x_m, end[1] / METRE - y_m
    angle = math.degrees(math.atan2(away_y, away_x))
    return depth(rows, x_m, y_m, angle) >= math.hypot(away_x, away_y)


def visible(rows: Rows, start: Point, heading_deg: float, cells: Iterable[Cell]) -> list[Cell]:
    """Those cells whose middle a player at `start` has in view, no wall before it."""
    angle = math.radians(heading_deg)
    cos, sin = math.cos(angle), math.sin(angle)
    found = []
    for cell in cells:
        point = centre(cell)
        dx, dy = point[0] - start[0], point[1] - start[1]
        aside = abs(dy * cos - dx * sin)
        if aside <= SLOPE * (dx * cos + dy * sin) and in_sight(rows, start, point):
            found.append(cell)
    return found


def revealed(rows: Rows, known: Rows, cells: Iterable[Cell]) -> Rows:
    """`known` with open cells and the walls around each added; what is unknown is `UNKNOWN`."""
    marks = [list(row) for row in known]
    for x, y in cells:
        marks[y][x] = OPEN
        for row in (y - 1, y, y + 1):
            for column in (x - 1, x, x + 1):
                if rows[row][column] == WALL:
                    marks[row][column] = WALL
    return tuple("".join(row) for row in marks)
