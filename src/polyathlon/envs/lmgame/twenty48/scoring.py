"""2048: the numbers of a game."""

from __future__ import annotations

import math
from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.lmgame.twenty48.rules import Rules


def raw_score(merged_sum: int) -> float:
    """10 log2 of the merged sum (LMGame-Bench, raw score of 2048); 0 without a merge."""
    return 10.0 * math.log2(merged_sum) if merged_sum else 0.0


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    highest = max(map(max, rules.board))
    return {
        "raw_score": raw_score(rules.merged_sum),
        "progress": float(highest),
        "merged_sum": float(rules.merged_sum),
        "reached_2048": float(highest >= 2048),
        "invalid_rate": rules.invalid / rules.turns if rules.turns else 0.0,
        "turns": float(rules.turns),
    }
