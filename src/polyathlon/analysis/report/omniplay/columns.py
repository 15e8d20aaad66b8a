"""Columns: how the published columns are headed and printed, by game."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.analysis.report.omniplay.lines import Shown

COLUMNS: Mapping[str, tuple[tuple[str, Shown], ...]] = {
    "pathfinding": (
        ("mean_steps", Shown("mean steps", best="lowest")),
        ("min_steps", Shown("min", 0, "lowest")),
        ("max_steps", Shown("max", 0, "lowest")),
        ("trimmed_mean_steps", Shown("trimmed mean", best="lowest")),
        ("mean_invalid_actions", Shown("invalid actions", best="lowest")),
        ("success_rate_pct", Shown("success %")),
    ),
    "echoes": (
        ("success_rate_pct", Shown("success %")),
        ("mean_score", Shown("score", 2)),
        ("mean_coordinate_accuracy", Shown("coordinates", 2)),
        ("mean_icon_accuracy", Shown("icons", 2)),
        ("parse_failure_pct", Shown("parse failures %", best="lowest")),
    ),
    "alchemist": (
        ("composite_score", Shown("composite", 2)),
        ("completion_rate_pct", Shown("completed %")),
    ),
    "phantom": (
        ("normalized_score", Shown("normalized score", 2)),
        ("success_rate", Shown("success rate", 3)),
    ),
}
"""By game; the digits are those the paper prints."""

LEADS = {
    "pathfinding": "trimmed_mean_steps",
    "echoes": "mean_score",
    "alchemist": "composite_score",
    "phantom": "normalized_score",
}
"""The column whose relative change a study reads."""

NPS: tuple[tuple[str, Shown], ...] = (
    ("nps", Shown("NPS")),
    ("nps_sd", Shown("sd", best="none")),
    ("nps_sem", Shown("SEM", best="none")),
    ("reciprocal", Shown("NPS of 1/steps")),
    ("episodes", Shown("episodes", 0, "none")),
)

CHANGES: tuple[tuple[str, Shown], ...] = (
    ("change", Shown("change", 2, "none")),
    ("sem_change", Shown("change of SEM", 2, "none")),
)

RELATIVE: tuple[tuple[str, Shown], ...] = (
    ("relative", Shown("relative %", 1, "none")),
    ("parse_change", Shown("parse failures, change", 1, "none")),
)


def scores(game: str) -> tuple[tuple[str, Shown], ...]:
    """The columns of a study's score: efficiency in the maze, the raw score elsewhere."""
    steps = game == "pathfinding"
    name, digits = ("efficiency %", 1) if steps else ("raw score", 2)
    return (
        ("score", Shown(name, digits)),
        ("sd", Shown("sd", digits, "none")),
        ("sem", Shown("SEM", digits, "none")),
    )
