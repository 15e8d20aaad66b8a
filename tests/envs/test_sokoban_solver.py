"""Sokoban: solver, deadlock proofs and generator."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.envs.sokoban_reference import fewest_pushes

from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.sokoban.rules.board import Level, draw_map, reach, walk
from polyathlon.envs.lmgame.sokoban.rules.deadlock import deadlocked
from polyathlon.envs.lmgame.sokoban.rules.generator import generate
from polyathlon.envs.lmgame.sokoban.rules.levels import built_in, parse
from polyathlon.envs.lmgame.sokoban.rules.pushing import dead_squares, frozen, pushes
from polyathlon.envs.lmgame.sokoban.rules.solver import (
    cheapest_assignment,
    labels,
    lower_bound,
    solve,
)

OPTIMAL = (8, 9, 11, 12, 13, 15)
small_levels = st.builds(
    generate, st.integers(0, 10_000), st.just(7), st.just(7), st.integers(1, 3)
)


def solution(level: Level) -> int:
    return len(solve(level, level.worker, level.boxes).pushes)


def test_optimal_pushes_of_the_built_in_levels_rise() -> None:
    assert tuple(map(solution, built_in())) == OPTIMAL


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_optimal_pushes_agree_with_breadth_first_search(number: int) -> None:
    assert fewest_pushes(built_in()[number - 1].map) == OPTIMAL[number - 1]


@pytest.mark.slow
@pytest.mark.parametrize("number", [5, 6])
def test_optimal_pushes_of_long_levels_agree_with_breadth_first_search(number: int) -> None:
    assert fewest_pushes(built_in()[number - 1].map) == OPTIMAL[number - 1]


@given(small_levels)
@settings(deadline=None, max_examples=25)
def test_generated_levels_are_solved_with_fewest_pushes(level: Level) -> None:
    assert solution(level) == fewest_pushes(level.map) >= lower_bound(level, level.boxes)


@given(small_levels, st.lists(st.integers(0, 100), max_size=12))
@settings(deadline=None, max_examples=40)
def test_deadlocks_are_exactly_the_unsolvable_positions(level: Level, choices: list[int]) -> None:
    worker, boxes = level.worker, level.boxes
    for choice in choices:
        options = _all_pushes(level, worker, boxes)
        if not options:
            break
        worker, boxes = options[choice % len(options)]
    unsolvable = fewest_pushes(draw_map(level, worker, boxes)) is None
    assert deadlocked(level, worker, boxes, 10**6) == unsolvable
    assert unsolvable or not deadlocked(level, worker, boxes, 10)
    assert unsolvable or not deadlocked(level, worker, boxes, 0)


def _all_pushes(level: Level, worker: int, boxes: int) -> list[tuple[int, int]]:
    """The worker and boxes after every push, dead squares included."""
    found = []
    reached = reach(level.floor & ~boxes, level.cols, worker)
    for cell in range(level.rows * level.cols):
        for step in level.steps:
            landing = cell + step
            free = (
                level.floor >> landing & 1 and not boxes >> landing & 1 if boxes >> cell & 1 else 0
            )
            if free and reached >> (cell - step) & 1:
                found.append((cell, boxes ^ 1 << cell ^ 1 << landing))
    return found


def test_two_boxes_at_a_wall_freeze_each_other() -> None:
    level = parse(["#######", "#.   .#", "#     #", "# $$@ #", "#     #", "#######"])
    at_the_wall = 1 << 4 * 7 + 2 | 1 << 4 * 7 + 3
    apart = 1 << 3 * 7 + 2 | 1 << 3 * 7 + 4
    assert frozen(level, at_the_wall)
    assert not frozen(level, apart)


def test_a_frozen_box_on_its_dock_is_no_deadlock() -> None:
    level = parse(["######", "#*  .#", "# $@ #", "#    #", "######"])
    assert not frozen(level, level.boxes)


def test_dead_squares_are_corners_and_dockless_walls() -> None:
    level = parse(["######", "#@   #", "# $  #", "#   .#", "######"])
    dead = draw_map(level, level.worker, dead_squares(level) & ~level.docks)
    assert dead == ("######", "#@$$$#", "#$   #", "#$  ?#", "######")


def test_a_limited_search_admits_that_it_does_not_know() -> None:
    level = built_in()[5]
    result = solve(level, level.worker, level.boxes, limit=20)
    assert result.status == "unknown"
    assert result.pushes == ()


def test_a_hasty_search_solves_too() -> None:
    for level in built_in():
        hasty = solve(level, level.worker, level.boxes, weight=5)
        assert hasty.status == "solved"
        assert len(hasty.pushes) >= solution(level)


def test_labels_name_a_walk_and_then_a_push() -> None:
    level = parse(["#######", "#@ $ .#", "#######"])
    plan = solve(level, level.worker, level.boxes).pushes
    assert labels(level, level.worker, level.boxes, plan) == ("right", "push right", "push right")


def test_no_walk_through_boxes() -> None:
    level = parse(["#######", "#@ $ .#", "#######"])
    with pytest.raises(ValueError, match="cannot be reached"):
        walk(level, level.boxes, level.worker, level.worker + 3)


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 30), min_size=n, max_size=n), min_size=n, max_size=n
        )
    )
)
@settings(max_examples=50)
def test_cheapest_assignment_against_all_assignments(costs: list[list[int]]) -> None:
    orders = itertools.permutations(range(len(costs)))
    least = min(sum(costs[row][col] for row, col in enumerate(order)) for order in orders)
    assert cheapest_assignment(costs) == least


@given(small_levels)
@settings(deadline=None, max_examples=25)
def test_lower_bound_falls_by_one_push_at_most(level: Level) -> None:
    here = lower_bound(level, level.boxes)
    reached = reach(level.floor & ~level.boxes, level.cols, level.worker)
    for _, after in pushes(level, level.boxes, reached):
        assert lower_bound(level, after) >= here - 1


def test_generator_is_determined_by_its_seed() -> None:
    assert generate(3, 10, 10, 3) == generate(3, 10, 10, 3)
    assert generate(3, 10, 10, 3) != generate(4, 10, 10, 3)
    assert generate(0, 10, 10, 3).map == (
        "##########",
        "#?    ####",
        "#  $@ ####",
        "#    ? ###",
        "#     $ ##",
        "##$ #   ##",
        "##  ######",
        "#    #####",
        "#?  ######",
        "##########",
    )


@given(
    seed=st.integers(0, 2**63),
    rows=st.integers(7, 14),
    cols=st.integers(7, 14),
    boxes=st.integers(1, 3),
)
@settings(deadline=None, max_examples=30)
def test_generated_levels_are_proper(seed: int, rows: int, cols: int, boxes: int) -> None:
    level = generate(seed, rows, cols, boxes)
    assert (level.rows, level.cols, level.boxes.bit_count()) == (rows, cols, boxes)
    assert not level.boxes & level.docks
    assert parse(level.map) == level
    assert solve(level, level.worker, level.boxes, weight=5).status == "solved"


def test_generator_says_when_the_boxes_do_not_fit() -> None:
    with pytest.raises(UserError, match="fewer boxes"):
        generate(0, 6, 6, 8)


def test_generator_makes_fifty_levels_a_second() -> None:
    spent_s = []
    for first in range(0, 20, 5):
        begun_s = time.process_time()
        for seed in range(first, first + 5):
            generate(seed, 10, 10, 3)
        spent_s.append(time.process_time() - begun_s)
    assert 5 / min(spent_s) > 50
