"""Summaries of one metric: moments, bootstrap and Wilson intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from polyathlon.core.chance import stream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2_000
COVERAGE = 0.95
BLOCK_DRAWS = 1_000_000


class Summary(msgspec.Struct, frozen=True):
    """One metric over the `n` counted episodes of a cell, failed ones included.

    `sd` divides by n - 1 and `sem` is sd / sqrt(n) (LMGame-Bench, Tables 1 and 19); both are
    None for n = 1. `interval` is the 95 % percentile-bootstrap interval of the mean over seeds,
    None for fewer than two seeds. `wilson` is the 95 % Wilson interval of the share of ones, for
    metrics that say whether something happened. `values` are the episodes' own.
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


def summary(values: Sequence[float], clusters: Sequence[Hashable], event: bool = False) -> Summary:
    """Sum up one or more values; `clusters` names the seed each belongs to.

    `event` says that a value is 1 when something happened and else 0.
    """
    n = len(values)
    sd = statistics.stdev(values) if n > 1 else None
    return Summary(
        statistics.mean(map(float, values)),
        sd,
        None if sd is None else sd / math.sqrt(n),
        min(values),
        max(values),
        n,
        bootstrap(values, clusters),
        wilson(sum(value == 1 for value in values), n) if event else None,
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
    sums = np.bincount(at, np.asarray(values, float)).astype(np.float64)
    sizes = np.bincount(at)
    means = np.concatenate(list(_resampled_means(sums, sizes)))
    low, high = np.quantile(means, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)


def _resampled_means(
    sums: NDArray[np.float64], sizes: NDArray[np.int64]
) -> Iterator[NDArray[np.float64]]:
    """RESAMPLES means in blocks of bounded memory; `sums` and `sizes` are by cluster."""
    import numpy as np

    seed = stream(0, "analysis", "bootstrap").word()
    rng = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK_DRAWS // len(sums))
    for start in range(0, RESAMPLES, block):
        draws = rng.integers(len(sums), size=(min(block, RESAMPLES - start), len(sums)))
        yield sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
