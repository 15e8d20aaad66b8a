"""Sokoban: the random player and the push-optimal oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.lmgame.sokoban.rules.board import DIRECTIONS, Level, walk
from polyathlon.envs.lmgame.sokoban.rules.game import NO_OP, PUSHES
from polyathlon.envs.lmgame.sokoban.rules.levels import parse
from polyathlon.envs.lmgame.sokoban.rules.pushing import Push
from polyathlon.envs.lmgame.sokoban.rules.solver import Position, position, solve

OPTIMAL_LIMIT = 50_000
HASTY_LIMIT = 100_000
HASTE = 5
WALKS_AND_PUSHES = (*DIRECTIONS, *PUSHES)


def random(observation: Observation, rng: Stream) -> str:
    """Uniform over the four walks and four pushes, ineffective ones included; never no_op."""
    return rng.choice(WALKS_AND_PUSHES)


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The next action of a shortest solution in pushes; no_op where none is found.

    Where a shortest one would take more than OPTIMAL_LIMIT positions, any solution will do.
    """
    level = _level(tuple(state["map"]))
    worker = _cell(level, state["worker"])
    boxes = sum(1 << _cell(level, place) for place in state["boxes"])
    push = _next_push(level, position(level, worker, boxes))
    if push is None:
        return NO_OP
    path = walk(level, boxes, worker, push.box - level.steps[push.direction])
    return DIRECTIONS[path[0]] if path else PUSHES[push.direction]


def _next_push(level: Level, here: Position) -> Push | None:
    """The plan from the level's start where `here` lies on it, else a new plan."""
    planned = _plan(level)
    if here in planned:
        return planned[here]
    found = _solution(level, here)
    return found[0] if found else None


@lru_cache(maxsize=1024)
def _plan(level: Level) -> Mapping[Position, Push]:
    """The next push for every position on the way from the level's start to its solution."""
    here = position(level, level.worker, level.boxes)
    plan: dict[Position, Push] = {}
    for push in _solution(level, here):
        plan[here] = push
        after = here.boxes ^ 1 << push.box ^ 1 << (push.box + level.steps[push.direction])
        here = position(level, push.box, after)
    return plan


@lru_cache(maxsize=4096)
def _solution(level: Level, here: Position) -> tuple[Push, ...]:
    best = solve(level, here.region, here.boxes, OPTIMAL_LIMIT)
    if best.status == "unknown":
        best = solve(level, here.region, here.boxes, HASTY_LIMIT, HASTE)
    return best.pushes


@lru_cache(maxsize=1024)
def _level(rows: tuple[str, ...]) -> Level:
    return parse(rows)


def _cell(level: Level, place: Sequence[int]) -> int:
    return place[0] * level.cols + place[1]
