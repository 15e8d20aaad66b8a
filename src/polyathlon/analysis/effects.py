"""What a harness changes: Glass's delta, paired t, coefficient of variation, counts.

All of it follows the statistics of LMGame-Bench (Tables 5, 6 and 7 and the counts in its text).
With a handful of runs per cell every test here is exploratory, and nothing is corrected for
the number of games tested.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

import msgspec

Game = str
Runs = Mapping[Game, Sequence[float]]


class Pair(msgspec.Struct, frozen=True):
    """The runs of one model: scores by game, with the harness and without."""

    harness: Runs
    no_harness: Runs


class Study(msgspec.Struct, frozen=True):
    """The runs of several models, by name, and of random play."""

    models: Mapping[str, Pair]
    random: Runs

    def games(self) -> list[Game]:
        """The games that some model played both ways, in the order they first appear."""
        return list(
            dict.fromkeys(
                game
                for pair in self.models.values()
                for game in pair.harness
                if pair.harness[game] and pair.no_harness.get(game)
            )
        )

    def both(self, game: Game) -> dict[str, tuple[Sequence[float], Sequence[float]]]:
        """The runs (with, without) of every model that played `game` both ways."""
        return {
            model: (pair.harness[game], pair.no_harness[game])
            for model, pair in self.models.items()
            if pair.harness.get(game) and pair.no_harness.get(game)
        }


class Contrast(msgspec.Struct, frozen=True):
    """One statistic of one model and game, with the harness and without."""

    game: Game
    model: str
    harness: float
    no_harness: float


class GlassSummary(msgspec.Struct, frozen=True):
    """Glass's delta over `pairs` model-game pairs."""

    pairs: int
    mean_harness: float
    mean_no_harness: float
    difference: float
    positive_harness: int
    positive_no_harness: int
    harness_better: int


class PairedT(msgspec.Struct, frozen=True):
    """A paired t-test over models, harness minus none.

    `percent` is the gain of the mean over models; None where the mean without harness is 0.
    `t` and `p` are None where they are undefined: fewer than two models, or equal differences.
    """

    game: Game
    models: int
    difference: float
    percent: float | None
    t: float | None
    p: float | None


class VariationSummary(msgspec.Struct, frozen=True):
    """How often the coefficient of variation with harness is below the two others."""

    game: Game
    models: int
    random: float | None
    below_random: int
    below_no_harness: int


class AboveRandom(msgspec.Struct, frozen=True):
    """How many of `cells` model-game means lie above the mean of random play; ties do not."""

    cells: int
    harness: int
    no_harness: int


def glass_delta(runs: Sequence[float], random: Sequence[float]) -> float:
    """(mean - random mean) / random sd, with n - 1 (Glass 1976; LMGame-Bench, Table 5).

    Raises ValueError when random play has no variance.
    """
    sd = statistics.stdev(random)
    if not sd:
        raise ValueError("Glass's delta needs a baseline with variance")
    return (statistics.mean(runs) - statistics.mean(random)) / sd


def glass(study: Study) -> list[Contrast]:
    """Glass's delta of every model and game whose random play varies."""
    return [
        Contrast(game, model, *(glass_delta(runs, study.random[game]) for runs in pair))
        for game in study.games()
        if varies(study.random.get(game, ()))
        for model, pair in study.both(game).items()
    ]


def summarise_glass(contrasts: Sequence[Contrast]) -> GlassSummary | None:
    """Means and counts over all pairs; None without pairs."""
    if not contrasts:
        return None
    harness = statistics.mean(contrast.harness for contrast in contrasts)
    none = statistics.mean(contrast.no_harness for contrast in contrasts)
    return GlassSummary(
        len(contrasts),
        harness,
        none,
        harness - none,
        sum(contrast.harness > 0 for contrast in contrasts),
        sum(contrast.no_harness > 0 for contrast in contrasts),
        sum(contrast.harness > contrast.no_harness for contrast in contrasts),
    )


def paired_t(study: Study) -> list[PairedT]:
    """A paired t-test of the cell means per game, two-sided (LMGame-Bench, Table 6)."""
    return [_paired_t(game, list(study.both(game).values())) for game in study.games()]


def variation(runs: Sequence[float]) -> float | None:
    """The coefficient of variation in percent, 100 sd / mean; None for n < 2 or mean 0."""
    mean = statistics.mean(runs) if len(runs) > 1 else 0.0
    return 100 * statistics.stdev(runs) / mean if mean else None


def variations(study: Study) -> list[Contrast]:
    """The coefficient of variation of every model and game with two runs or more both ways."""
    found = []
    for game in study.games():
        for model, (runs, without) in study.both(game).items():
            harness, none = variation(runs), variation(without)
            if harness is not None and none is not None:
                found.append(Contrast(game, model, harness, none))
    return found


def summarise_variations(contrasts: Iterable[Contrast], random: Runs) -> list[VariationSummary]:
    """The counts per game (LMGame-Bench, Table 7)."""
    games: dict[Game, list[Contrast]] = {}
    for contrast in contrasts:
        games.setdefault(contrast.game, []).append(contrast)
    return [
        VariationSummary(
            game,
            len(items),
            (base := variation(random.get(game, ()))),
            sum(base is not None and item.harness < base for item in items),
            sum(item.harness < item.no_harness for item in items),
        )
        for game, items in games.items()
    ]


def above_random(study: Study) -> AboveRandom:
    """Cell means above random play (LMGame-Bench, text of the main results)."""
    means = [
        (statistics.mean(runs), statistics.mean(without), statistics.mean(study.random[game]))
        for game in study.games()
        if study.random.get(game)
        for runs, without in study.both(game).values()
    ]
    return AboveRandom(
        len(means),
        sum(harness > random for harness, _, random in means),
        sum(none > random for _, none, random in means),
    )


def varies(runs: Sequence[float]) -> bool:
    """Whether some runs can be a baseline of Glass's delta."""
    return len(set(runs)) > 1


def _paired_t(game: Game, runs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> PairedT:
    from scipy.stats import ttest_rel  # type: ignore[import-untyped]

    harness = [statistics.mean(pair[0]) for pair in runs]
    none = [statistics.mean(pair[1]) for pair in runs]
    gains = [one - other for one, other in zip(harness, none, strict=True)]
    base = statistics.mean(none)
    percent = 100 * statistics.mean(gains) / base if base else None
    if not varies(gains):
        return PairedT(game, len(runs), statistics.mean(gains), percent, None, None)
    test = ttest_rel(harness, none)
    return PairedT(
        game, len(runs), statistics.mean(gains), percent, float(test.statistic), float(test.pvalue)
    )
