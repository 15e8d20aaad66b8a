"""Sokoban: what the player sees."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.core.actions import Labels
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.lmgame.sokoban.rules import Rules
from polyathlon.envs.lmgame.sokoban.rules.board import DIRECTIONS
from polyathlon.envs.lmgame.sokoban.rules.game import NO_OP, PUSHES
from polyathlon.envs.lmgame.sokoban.view.painting import centre, draw
from polyathlon.envs.lmgame.sokoban.view.telling import (
    Scene,
    read,
    tell_both,
    tell_map,
    tell_table,
)

__all__ = ["actions", "draw", "percepts", "read", "tell_both", "tell_map", "tell_table"]

_TELL = {"table": tell_table, "map": tell_map, "both": tell_both}
_ACTIONS = (*DIRECTIONS, *PUSHES, NO_OP)


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    scene = Scene(
        rules.level, rules.worker, rules.boxes, rules.number, len(rules.levels), rules.effective
    )
    return (Percept("board", "image", scene, draw, _TELL[rules.text]),)


def actions(rules: Rules, role: Role) -> Labels:
    level, worker = rules.level, rules.worker
    boxed = tuple([rules.boxes >> (worker + step) & 1 for step in level.steps])
    return _labels(level.rows, level.cols, worker, boxed)


@lru_cache(maxsize=4096)
def _labels(rows: int, cols: int, worker: int, boxed: tuple[int, ...]) -> Labels:
    """The actions; pointing at a cell beside the worker walks there or pushes its box."""
    points = []
    for index, step in enumerate((-cols, cols, -1, 1)):
        label = PUSHES[index] if boxed[index] else DIRECTIONS[index]
        points.append((label, *centre(rows, cols, worker + step)))
    return Labels(_ACTIONS, tuple(points))
