"""Whispered Pathfinding: the numbers of an episode."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.omniplay.pathfinding.maze import METRE, corridor_moves
from polyathlon.envs.omniplay.pathfinding.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    """Until the beacon is reached the score is the cap, as if it never were (section 3.2)."""
    return {
        "raw_score": float(rules.steps if rules.reached else rules.cap),
        "steps": float(rules.steps),
        "success": float(rules.reached),
        "invalid_actions": float(rules.invalid),
        "blocked_steps": float(rules.blocked),
        "distance_m": rules.walked / METRE,
        "path_efficiency": path_efficiency(rules),
    }


def path_efficiency(rules: Rules) -> float:
    """success * least / max(least, taken), counted in steps (SPL, Anderson et al. 2018).

    The least are those along the middle of the corridors.
    """
    if not rules.reached:
        return 0.0
    least = corridor_moves(rules.rows)
    return least / max(least, rules.steps)
