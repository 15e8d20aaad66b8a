"""Proofs that a position can no longer be solved."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.lmgame.sokoban.rules.board import Level
from polyathlon.envs.lmgame.sokoban.rules.pushing import dead_squares, frozen
from polyathlon.envs.lmgame.sokoban.rules.solver import solve

HASTE = 3


@lru_cache(maxsize=1 << 16)
def deadlocked(level: Level, worker: int, boxes: int, search: int) -> bool:
    """Whether the position is proven unsolvable.

    A box on a dead square or frozen off its dock is a proof; otherwise a search of at most
    `search` positions that runs dry is one. Never True for a solvable position.
    """
    if boxes & dead_squares(level) or frozen(level, boxes):
        return True
    if not search:
        return False
    return solve(level, worker, boxes, limit=search, weight=HASTE).status == "unsolvable"
