"""Normalised performance: scores between random play and a human expert."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Literal, TypeAlias

import msgspec

from polyathlon.analysis.omniplay.figures import Figures

ScoreMode: TypeAlias = Literal["linear", "reciprocal"]


class Spread(msgspec.Struct, frozen=True):
    """A mean with its sd (n − 1; 0 for one value) and standard error of the mean."""

    mean: float
    sd: float
    n: int

    @property
    def sem(self) -> float:
        return self.sd / math.sqrt(self.n)


def spread(values: Sequence[float], mean: float | None = None) -> Spread:
    """The spread of one value or more, around their mean or a given headline."""
    sd = stdev(values) if len(values) > 1 else 0.0
    return Spread(fmean(values) if mean is None else mean, sd, len(values))


def nps(score: float, random: float, human: float) -> float:
    """`100 (score - random) / (human - random)`: 0 is random play, 100 the human expert.

    Above 100 is superhuman; below 0 is worse than random play; nothing is clipped (section 9.2).
    Scores of which lower ones are better work as they are.
    """
    return 100 * (score - random) / (human - random)


def task_nps(
    task: str, values: Sequence[float], figures: Figures, mode: ScoreMode = "linear"
) -> Spread:
    """NPS of a task from the raw scores of its episodes, at least one.

    Each episode's raw score is mapped; sd is over episodes. The mean of pathfinding maps the
    trimmed mean of the steps, as the published one does (section 3.6). `reciprocal` maps one
    over the steps instead of the steps; other games have no such mode.
    """
    steps = task.startswith("pathfinding/")
    scores = [1 / value if steps and mode == "reciprocal" else value for value in values]
    random, human = (figures.raw(task, who) for who in ("random", "human"))
    headline = trimmed_mean(values) if steps else fmean(values)
    if steps and mode == "reciprocal":
        random, human, headline = 1 / random, 1 / human, 1 / headline
    mapped = [nps(score, random, human) for score in scores]
    return spread(mapped, nps(headline, random, human))


def trimmed_mean(values: Sequence[float]) -> float:
    """The mean without the one lowest and the one highest value (section 3.6).

    Of one or two values it is the mean; there is none of no values.
    """
    kept = sorted(values)[1:-1] if len(values) > 2 else values
    return fmean(kept)


def efficiency(steps: float, human: float, worst: float) -> float:
    """`100 (worst - steps) / (worst - human)`, in percent.

    100 is the human expert's steps, 0 the worst trimmed mean of the experiment, so that equal
    steps score differently in different experiments (section 9.3, behind Tables 16 and 17).
    """
    return 100 * (worst - steps) / (worst - human)


def efficiencies(values: Sequence[float], human: float, worst: float) -> Spread:
    """Efficiency of a cell from its episodes' steps.

    The mean is that of the trimmed mean; sd is over episodes, each clipped to [0, 100].
    """
    each = [min(100.0, max(0.0, efficiency(steps, human, worst))) for steps in values]
    return spread(each, efficiency(trimmed_mean(values), human, worst))
