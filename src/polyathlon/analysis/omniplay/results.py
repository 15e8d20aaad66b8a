"""Results: what every arm came to, in the columns of the published tables and as NPS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import msgspec

from polyathlon.analysis.labels import Stamp
from polyathlon.analysis.omniplay.arms import Arm, Entry, Treatment
from polyathlon.analysis.omniplay.figures import TASKS, Figures, Row
from polyathlon.analysis.omniplay.nps import Spread, spread, task_nps, trimmed_mean

SUPERHUMAN = 100.0


class Column(msgspec.Struct, frozen=True):
    """How a printed column follows from a metric of single episodes."""

    metric: str
    statistic: Callable[[Sequence[float]], float] = fmean
    factor: float = 1.0


COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "pathfinding": {
        "mean_steps": Column("steps"),
        "min_steps": Column("steps", min),
        "max_steps": Column("steps", max),
        "mean_invalid_actions": Column("invalid_actions"),
        "trimmed_mean_steps": Column("steps", trimmed_mean),
        "success_rate_pct": Column("success", factor=100),
    },
    "echoes": {
        "success_rate_pct": Column("success", factor=100),
        "mean_score": Column("score"),
        "mean_coordinate_accuracy": Column("coordinate_accuracy"),
        "mean_icon_accuracy": Column("icon_accuracy"),
        "parse_failure_pct": Column("parse_failure", factor=100),
    },
    "alchemist": {
        "composite_score": Column("composite"),
        "completion_rate_pct": Column("completed", factor=100),
    },
    "phantom": {
        "normalized_score": Column("normalized_score"),
        "success_rate": Column("success_rate"),
    },
}
"""The columns of Tables 8 to 15 and 21 to 24 by game; success in the maze is our addition."""


class Result(msgspec.Struct, frozen=True):
    """One arm summed up.

    `columns` are those of the published tables, `values` the raw scores of the episodes and
    `raw` their spread, with the trimmed mean for steps. `nps` maps raw scores linearly;
    `reciprocal`, of pathfinding alone, one over the steps. There is no NPS where the task was
    made another one (`phases=1`). `access` is what the player was given.
    """

    entry: Entry
    agent: str
    treatment: Treatment
    episodes: int
    columns: Row
    values: tuple[float, ...]
    seeds: tuple[int, ...]
    raw: Spread
    nps: Spread | None = None
    reciprocal: Spread | None = None
    access: Stamp = "plain"

    @property
    def superhuman(self) -> bool:
        """Whether the mean lies above the human expert's."""
        return self.nps is not None and self.nps.mean > SUPERHUMAN


def result(arm: Arm, figures: Figures) -> Result:
    """The figures of an arm with at least one raw score."""
    values = arm.values("raw_score")
    task = arm.entry.task
    steps = arm.entry.game == "pathfinding"
    mapped = task in TASKS and arm.treatment.kind != "simplification"
    return Result(
        arm.entry,
        arm.agent,
        arm.treatment,
        len(values),
        columns(arm),
        tuple(values),
        tuple(sorted({row.seed for row, _ in arm.seats})),
        spread(values, trimmed_mean(values) if steps else None),
        task_nps(task, values, figures) if mapped else None,
        task_nps(task, values, figures, "reciprocal") if mapped and steps else None,
        arm.access,
    )


def columns(arm: Arm) -> Row:
    """The printed columns of an arm; those without a metric in its traces are left out.

    With one phase the mean score is that of the transcription (section 10.5).
    """
    found = {}
    for name, column in COLUMNS[arm.entry.game].items():
        transcribed = name == "mean_score" and arm.treatment.kind == "simplification"
        values = arm.values("raw_score" if transcribed else column.metric)
        if values:
            found[name] = column.factor * column.statistic(values)
    return found
