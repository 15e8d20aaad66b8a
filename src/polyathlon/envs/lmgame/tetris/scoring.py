"""Tetris: the numbers of a game."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.lmgame.tetris.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    return {
        "raw_score": float(rules.score),
        "progress": float(rules.lines),
        "pieces": float(rules.pieces),
        "lines": float(rules.lines),
        "invalid_rate": rules.invalid / rules.turns if rules.turns else 0.0,
        "turns": float(rules.turns),
    }
