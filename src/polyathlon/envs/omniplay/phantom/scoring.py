"""Phantom Soldiers in the Fog: the numbers of a mission (OmniPlay; specification, section 6.7).

With S_base the points of all objectives but late ones, R the rounds there are and R_opt the
heuristic least number of them:

    B_rounds     = 0.5 S_base (1 - R_opt / R)
    B_efficiency = 0.3 S_base
    S_max        = S_base + B_rounds + B_efficiency + B_dynamic     B_dynamic: late points
    S_main       = points of completed objectives
    S_aux        = B_efficiency x effective share x success rate
    E_rounds     = B_rounds x min(1, (R - R_used) / (R - R_opt))    0 while incomplete
    normalized   = 100 (S_main + S_aux + E_rounds) / S_max, at most 100
    raw_score    = 0.5 (100 success rate) + 0.5 normalized

so that a complete mission within R_opt rounds whose orders were all effective has 100.
"""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.omniplay.phantom.rules import Rules

ROUNDS_WEIGHT, EFFICIENCY_WEIGHT = 0.5, 0.3


def success_rate(rules: Rules) -> float:
    """Completed objectives of all objectives, in [0, 1]."""
    return rules.completed / len(rules.objectives)


def effective_share(rules: Rules) -> float:
    """Effective orders of all orders and error commands, in [0, 1]; 0 before the first."""
    counted = rules.orders + rules.errors
    return len(rules.effective) / counted if counted else 0.0


def normalized_score(rules: Rules) -> float:
    """Points and bonuses of the possible ones, in [0, 100]."""
    base, late = rules.level.base_points, rules.level.late_points
    rounds_bonus = ROUNDS_WEIGHT * base * (1 - rules.optimal_rounds / rules.rounds)
    efficiency_bonus = EFFICIENCY_WEIGHT * base
    aux = efficiency_bonus * effective_share(rules) * success_rate(rules)
    pace = rounds_bonus * _rounds_credit(rules, rules.points / (base + late))
    most = base + rounds_bonus + efficiency_bonus + late
    return min(100.0, 100.0 * (rules.points + aux + pace) / most)


def _rounds_credit(rules: Rules, completed: float) -> float:
    """The share of the bonus for pace; `completed` is the share of points in [0, 1].

    Option `rounds_credit`: complete missions only, or in proportion to the completed points and
    counted up to the last completion.
    """
    if completed < 1 and rules.rounds_credit == "complete":
        return 0.0
    saved = (rules.rounds - rules.last_completion) / (rules.rounds - rules.optimal_rounds)
    return completed * min(1.0, saved)


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    success, normalized = success_rate(rules), normalized_score(rules)
    found = [target for target in rules.objectives if target.sort == "hidden" and target.known]
    return {
        "raw_score": 50.0 * success + 0.5 * normalized,
        "success_rate": success,
        "normalized_score": normalized,
        "error_commands": float(rules.errors),
        "discoveries": float(len(found)),
        "health_lost": float(rules.health_lost),
        "effective_share": effective_share(rules),
        "rounds": float(rules.round),
    }
