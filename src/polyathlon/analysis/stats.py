"""Summaries of one metric: moments, bootstrap and Wilson intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from polyathlon.core.chance import stream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2_000
COVERAGE = 0.95


class Summary(msgspec.Struct, frozen=True):
    """One metric over the `n` counted episodes of a cell, failed ones included.

    `sd` divides by n - 1 and `sem` is sd / sqrt(n) (LMGame-Bench, Tables 1 and 19); both are
    None for n = 1. `interval` is the 95 % percentile-bootstrap interval of the mean over seeds,
    None for fewer than two seeds. `wilson` is the 95 % Wilson interval of the share of ones, for
    metrics without unit whose values are all 0 or 1. `values` are the episodes' own.
    """

    mean: float
    sd: float | None
    sem: float | None
    min: float
    max: float
    n: int
    interval: tuple[float, float] | None
    wilson: tuple[float, float] | None
    values: tuple[float, ...]


def summary(values: Sequence[float], clusters: Sequence[Hashable], share: bool = True) -> Summary:
    """Sum up one or more values; `clusters` names the seed each belongs to.

    `share` says that zeros and ones, if there is nothing else, are failures and successes.
    """
    n = len(values)
    sd = statistics.stdev(values) if n > 1 else None
    ones = sum(value == 1 for value in values)
    binary = share and ones + sum(value == 0 for value in values) == n
    return Summary(
        statistics.mean(map(float, values)),
        sd,
        None if sd is None else sd / math.sqrt(n),
        min(values),
        max(values),
        n,
        bootstrap(values, clusters),
        wilson(ones, n) if binary else None,
        tuple(values),
    )


def wilson(successes: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of successes (Wilson 1927, without continuity correction)."""
    z = statistics.NormalDist().inv_cdf((1 + COVERAGE) / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, float] | None:
    """The 95 % percentile-bootstrap interval of the mean, or None for fewer than two clusters.

    The unit of resampling is the cluster: attempts that share a seed are drawn together, since
    they are not independent. 2,000 resamples from a fixed stream: equal input, equal interval.
    """
    import numpy as np

    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    if len(places) < 2:
        return None
    at = [places[cluster] for cluster in clusters]
    sums = np.bincount(at, np.asarray(values, float))
    sizes = np.bincount(at)
    draws = _draws(len(places))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.quantile(means, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(clusters: int) -> NDArray[np.int64]:
    """Cluster numbers of every resample, shape RESAMPLES x clusters."""
    import numpy as np

    seed = stream(0, "analysis", "bootstrap").word()
    return np.random.Generator(np.random.PCG64(seed)).integers(clusters, size=(RESAMPLES, clusters))
