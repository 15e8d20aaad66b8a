"""Myriad Echoes: the numbers of a game."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.omniplay.echoes.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    return {
        "raw_score": rules.raw_score(),
        "score": float(rules.correct),
        "coordinate_accuracy": float(rules.coordinate_accuracy()),
        "icon_accuracy": float(rules.icon_accuracy()),
        "success": float(_succeeded(rules)),
        "parse_failure": float(rules.turns > 0 and rules.transcription is None),
        "steps": float(rules.turns),
    }


def _succeeded(rules: Rules) -> bool:
    if rules.phases == 2:
        return rules.correct == len(rules.order)
    written = rules.transcription
    truth = rules.order, rules.icons(rules.order)
    return written is not None and (written.cells, written.icons) == truth
