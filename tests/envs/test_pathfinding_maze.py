"""Whispered Pathfinding: mazes, collision, sight, and plans against independent searches."""

from __future__ import annotations

import math
from collections import deque
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from polyathlon.core.chance import stream
from polyathlon.envs.omniplay.pathfinding import maze
from polyathlon.envs.omniplay.pathfinding.maze import METRE, OPEN, RADIUS, START, WALL, Rows
from polyathlon.envs.omniplay.pathfinding.planning import least_moves
from polyathlon.envs.omniplay.pathfinding.rules import SIZES

SIZE = st.sampled_from(sorted(SIZES.values()))
SEED = st.integers(0, 10_000)
ANGLE = st.floats(0, 360, exclude_max=True)
DISTANCE = st.integers(-METRE, 3 * METRE)
SHARES = np.linspace(0.0, 1.0, 61)


def made(size: int, seed: int) -> Rows:
    return maze.generate(size, stream(seed, "test"))


def gap(rows: Rows, point: maze.Point) -> float:
    """Micrometres from a point to the nearest wall, by looking at every wall of the maze."""
    x, y = point
    return min(
        math.hypot(
            max(column * METRE - x, 0, x - (column + 1) * METRE),
            max(row * METRE - y, 0, y - (row + 1) * METRE),
        )
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if mark == WALL
    )


@given(SIZE, SEED)
def test_mazes_are_spanning_trees_of_their_rooms(size: int, seed: int) -> None:
    rows = made(size, seed)
    cells = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == OPEN}
    rooms = {(x, y) for x in range(1, size, 2) for y in range(1, size, 2)}
    links = cells - rooms
    assert rooms <= cells
    assert len(links) == len(rooms) - 1
    assert all((x + y) % 2 for x, y in links)
    reached, queue = {START}, deque([START])
    while queue:
        x, y = queue.popleft()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if cell in cells and cell not in reached:
                reached.add(cell)
                queue.append(cell)
    assert reached == cells


def test_mazes_differ_by_seed() -> None:
    assert len({made(11, seed) for seed in range(50)}) == 50


@given(SIZE, SEED)
def test_the_route_goes_from_cell_to_cell_to_the_target(size: int, seed: int) -> None:
    rows = made(size, seed)
    cells = list(maze.route(rows, START))
    assert cells[-1] == maze.target_cell(rows) == (size - 2, size - 2)
    assert len(set(cells)) == len(cells)
    assert all(math.dist(a, b) == 1 for a, b in pairwise(cells))
    assert all(rows[y][x] == OPEN for x, y in cells)


def test_the_first_leg_ends_where_the_way_turns() -> None:
    rows = ("#####", "#...#", "###.#", "###.#", "#####")
    assert maze.leg_end(rows, (1, 1)) == maze.centre((3, 1))
    assert maze.leg_end(rows, (3, 1)) == maze.centre((3, 3))
    assert maze.leg_end(rows, (3, 3)) == maze.centre((3, 3))


@given(SEED, st.data())
def test_the_body_fits_where_no_wall_is_near(seed: int, data: st.DataObject) -> None:
    rows = made(7, seed)
    point = data.draw(st.tuples(*[st.integers(METRE, 6 * METRE - 1)] * 2))
    assert maze.free(rows, *point) == (gap(rows, point) >= RADIUS)


@given(SIZE, SEED, st.lists(st.tuples(ANGLE, DISTANCE), min_size=1, max_size=12))
def test_walks_never_enter_a_wall(size: int, seed: int, moves: list[tuple[float, int]]) -> None:
    rows = made(size, seed)
    point = maze.centre(START)
    for heading, distance in moves:
        before = point
        point, covered, blocked = maze.walk(rows, point, heading, distance)
        assert gap(rows, point) >= RADIUS
        assert math.dist(before, point) <= covered + 100 <= abs(distance) * 1.0001 + 200
        if not blocked and not maze.within_reach(point, maze.centre(maze.target_cell(rows))):
            assert math.dist(before, point) == pytest.approx(abs(distance), abs=100)


CORRIDOR = ("#######", "#.....#", "#####.#", "#####.#", "#####.#", "#####.#", "#######")


def test_a_walk_into_a_wall_stops_before_it() -> None:
    point, covered, blocked = maze.walk(CORRIDOR, maze.centre(START), 180.0, METRE)
    assert point == (1_200_000, 1_500_000)
    assert covered == 300_000
    assert blocked


def test_a_walk_at_a_slant_slides_along_the_wall() -> None:
    point, _, blocked = maze.walk(CORRIDOR, maze.centre(START), 30.0, 2 * METRE)
    x = 1_500_000 + 40 * round(50_000 * math.cos(math.radians(30)))
    assert point == (x, 1_800_000)
    assert blocked


def test_walks_go_backwards() -> None:
    point, covered, blocked = maze.walk(CORRIDOR, maze.centre((3, 1)), 0.0, -METRE)
    assert point == maze.centre((2, 1))
    assert (covered, blocked) == (METRE, False)


def test_a_walk_ends_within_reach_of_the_target() -> None:
    point, covered, _ = maze.walk(CORRIDOR, maze.centre((5, 3)), 90.0, 3 * METRE)
    assert point == (5_500_000, 5_050_000)
    assert covered == 1_550_000


@given(SIZE, SEED, ANGLE)
def test_depth_is_where_marching_meets_a_wall(size: int, seed: int, angle: float) -> None:
    rows = made(size, seed)
    x, y = 1.5, 1.5
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    steps = 0
    while rows[int(y + steps * 1e-3 * sin)][int(x + steps * 1e-3 * cos)] == OPEN:
        steps += 1
    assert maze.depth(rows, x, y, angle) == pytest.approx(steps * 1e-3, abs=0.02)


@pytest.mark.parametrize(
    ("end", "heading", "bearing"),
    [
        ((2, 1), 0.0, 0.0),
        ((1, 2), 0.0, 90.0),
        ((1, 2), 90.0, 0.0),
        ((1, 0), 0.0, -90.0),
        ((0, 1), 0.0, 180.0),
        ((2, 1), 350.0, 10.0),
        ((0, 1), 359.0, -179.0),
    ],
)
def test_bearings_are_positive_to_the_right(end: maze.Cell, heading: float, bearing: float) -> None:
    found = maze.bearing_deg(maze.centre((1, 1)), maze.centre(end), heading)
    assert found == pytest.approx(bearing)


def test_only_what_is_in_the_field_and_not_behind_walls_is_visible() -> None:
    here = maze.centre(START)
    cells = maze.open_cells(CORRIDOR)
    assert set(maze.visible(CORRIDOR, here, 0.0, cells)) == {(x, 1) for x in range(1, 6)}
    assert maze.visible(CORRIDOR, here, 90.0, [(2, 1), (5, 5)]) == []


def fewest(rows: Rows, pitch_cm: int = 10) -> int:
    """The least moves over a fine lattice of places, by breadth-first search from the start.

    Independent of the planner and of the rules: a raster of 1 cm from a distance transform says
    where the body fits, and every pair of places is looked at.
    """
    walls = np.kron(np.array([[mark == WALL for mark in row] for row in rows]), np.ones((100, 100)))
    fits = ndimage.distance_transform_edt(walls == 0) > 21.5
    ys, xs = np.nonzero(fits[::pitch_cm, ::pitch_cm])
    places = np.stack([xs, ys], axis=1) * pitch_cm
    target = np.array([len(rows) * 100 - 150] * 2)
    ends = np.append(places, [target], axis=0)
    left = np.ones(len(ends), bool)
    frontier, moves = np.array([[150, 150]]), 0
    while left[-1]:
        moves += 1
        reached = np.zeros(len(ends), bool)
        for place in frontier:
            within = np.hypot(*(ends - place).T) <= 300
            within[-1] = np.hypot(*(target - place)) < 349
            candidates = np.flatnonzero(left & ~reached & within)
            lines = place + (ends[candidates] - place)[:, None] * SHARES[:, None]
            columns, lines_down = np.rint(lines).astype(int).transpose(2, 0, 1)
            reached[candidates[fits[lines_down, columns].all(axis=1)]] = True
        assert reached.any(), "the target cannot be reached"
        left &= ~reached
        frontier = ends[reached]
    return moves


@pytest.mark.parametrize("seed", range(2))
def test_plans_are_as_short_as_a_fine_search(seed: int) -> None:
    rows = made(7, seed)
    assert least_moves(rows, maze.centre(START)) == fewest(rows)


@pytest.mark.slow
@pytest.mark.parametrize("size", sorted(SIZES.values()))
def test_plans_are_nearly_always_as_short_as_a_fine_search(size: int) -> None:
    mazes = [made(size, seed) for seed in range(6)]
    more = [least_moves(rows, maze.centre(START)) - fewest(rows) for rows in mazes]
    assert set(more) <= {-1, 0, 1}
    assert abs(sum(more)) <= 2


@settings(max_examples=12, deadline=None)
@given(SIZE, SEED)
def test_plans_are_bounded_by_their_runs_and_their_length(size: int, seed: int) -> None:
    rows = made(size, seed)
    cells = list(maze.route(rows, START))
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)]
    runs = [len(list(run)) for _, run in groupby(steps)]
    straight = math.dist(cells[0], cells[-1])
    least = least_moves(rows, maze.centre(START))
    assert math.ceil((straight - 0.5) / 3) <= least <= sum(math.ceil(run / 3) for run in runs)
