"""Candy: the numbers of a game."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.lmgame.candy.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    """Raw score and progress are both the candies eliminated (LMGame-Bench)."""
    turns = max(1, rules.turns)
    return {
        "raw_score": float(rules.eliminated),
        "progress": float(rules.eliminated),
        "effective_rate": rules.hits / turns,
        "invalid_rate": rules.invalid / turns,
        "turns": float(rules.turns),
    }
