"""Sokoban: the numbers of an episode."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.lmgame.sokoban.rules import Rules, started_on_docks


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    outcome = rules.outcome()
    scoring = sum(level.boxes.bit_count() - started_on_docks(level) for level in rules.levels)
    return {
        "raw_score": float(rules.score),
        "progress": rules.number + rules.best / rules.level.boxes.bit_count(),
        "levels_solved": float(rules.solved),
        "solved": float(rules.solved == len(rules.levels)),
        "boxes_total": float(scoring),
        "deadlocked": float(outcome is not None and outcome.reason == "deadlock"),
        "invalid_rate": rules.invalid / rules.turns if rules.turns else 0.0,
        "turns": float(rules.turns),
    }
