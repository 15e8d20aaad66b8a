"""The Alchemist's Melody: the composite score and its six parts.

Maxima and formulas are those of OmniPlay (Table 5). The paper leaves the inner definitions open;
here a streak is a run of at least two equal steps, the required steps are twice the melody's,
and a same-colour error is a wrong step on the flask played just before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from polyathlon.core.world import Role
from polyathlon.envs.omniplay.alchemist.rules import LENGTH, Rules, Taken

REQUIRED = 2 * LENGTH
SHORTEST_STREAK = 2


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    steps, completed = rules.steps, rules.place == LENGTH
    points = parts(steps, completed)
    composite = min(100.0, sum(points.values()))
    return {
        "raw_score": composite,
        "composite": composite,
        "completed": float(completed),
        "steps": float(len(steps)),
        "hit_rate": _hit_rate(steps),
        "note_belief": rules.believed / rules.stated if rules.stated else 0.0,
        "invalid_actions": float(sum(not step.colour for step in steps)),
        **points,
    }


def parts(steps: Sequence[Taken], completed: bool) -> dict[str, float]:
    """The six parts in points; all 0 before the first step."""
    count = len(steps)
    if not count:
        return dict.fromkeys(_PARTS, 0.0)
    streaks = list(_streaks(steps))
    right = sum(length for kind, length in streaks if kind)
    wrong = sum(length for kind, length in streaks if not kind)
    repeated = sum(a.colour == b.colour != "" and not b.right for a, b in pairwise(steps))
    changes = sum(bool(a.colour and b.colour) and a.colour != b.colour for a, b in pairwise(steps))
    spared = 1.0 - max(0, count - REQUIRED) / REQUIRED
    values = (
        30.0 * _hit_rate(steps),
        30.0 * max(0.0, spared) if completed else 0.0,
        10.0 * right / count,
        10.0 - 10.0 * wrong / count,
        15.0 - 15.0 * repeated / count,
        5.0 * changes / (count - 1) if count > 1 else 0.0,
    )
    return dict(zip(_PARTS, values, strict=True))


_PARTS = (
    "hit_rate_points",
    "efficiency_points",
    "correct_streak_points",
    "error_streak_points",
    "colour_error_points",
    "exploration_points",
)


def _hit_rate(steps: Sequence[Taken]) -> float:
    return sum(step.right for step in steps) / len(steps) if steps else 0.0


def _streaks(steps: Sequence[Taken]) -> Iterator[tuple[bool, int]]:
    for right, run in groupby(steps, key=lambda step: step.right):
        length = sum(1 for _ in run)
        if length >= SHORTEST_STREAK:
            yield right, length
