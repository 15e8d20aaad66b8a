"""Contrasts: a treatment beside the same player's baseline, and what removed senses tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from polyathlon.analysis.omniplay.arms import Entry, Kind
from polyathlon.analysis.omniplay.figures import Figures
from polyathlon.analysis.omniplay.nps import Spread, efficiencies, trimmed_mean
from polyathlon.analysis.omniplay.results import Result
from polyathlon.analysis.omniplay.verdicts import Verdict, verdict


class Change(msgspec.Struct, frozen=True):
    """One column before and after a treatment."""

    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def relative(self) -> float | None:
        """The difference as a share of what was before; None where that was nothing."""
        return self.difference / self.before if self.before else None


class Contrast(msgspec.Struct, frozen=True):
    """One treated result beside the baseline of the same player, setting, game and level.

    The scores are better the higher they are: efficiency in percent in pathfinding (None where
    no cell of the study is worse than the human expert), raw scores elsewhere. `changes` are by
    printed column.
    """

    before: Result
    after: Result
    score_before: Spread | None
    score_after: Spread | None
    changes: Mapping[str, Change]

    @property
    def kind(self) -> Kind:
        return self.after.treatment.kind

    @property
    def same_seeds(self) -> bool:
        """Whether both were played on the same seeds, as the protocol asks."""
        return self.before.seeds == self.after.seeds

    @property
    def change(self) -> float | None:
        """The change of the mean score."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_after.mean - self.score_before.mean

    @property
    def sem_change(self) -> float | None:
        """The change of the score's standard error, which reads as stability (section 10.2)."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_after.sem - self.score_before.sem


class Ablation(msgspec.Struct, frozen=True):
    """The verdict on a player's removed senses on one game and level.

    `parse_failures` are the changes of the rate of unreadable answers in percentage points.
    """

    entry: Entry
    full: Spread
    without: Mapping[str, Spread]
    verdict: Verdict
    parse_failures: Mapping[str, float]


def contrasts(results: Iterable[Result], figures: Figures) -> list[Contrast]:
    """Every result of one kind of treatment beside its baseline, where there is one."""
    results = list(results)
    baselines = {one.entry: one for one in results if one.treatment.kind == "baseline"}
    pairs = [
        (baselines[one.entry], one)
        for one in results
        if one.treatment.kind not in ("baseline", "mixed") and one.entry in baselines
    ]
    worst = _worst(pairs)
    return [
        Contrast(
            before,
            after,
            _score(before, worst[_study(after)], figures),
            _score(after, worst[_study(after)], figures),
            _changes(before, after),
        )
        for before, after in pairs
    ]


def ablations(found: Iterable[Contrast]) -> Iterator[Ablation]:
    """The verdicts on all players of whom senses were removed."""
    groups: dict[Entry, list[Contrast]] = {}
    for contrast in found:
        if contrast.kind == "ablation" and contrast.change is not None:
            groups.setdefault(contrast.after.entry, []).append(contrast)
    for entry, group in groups.items():
        full = group[0].score_before
        without = {one.after.treatment.name: one.score_after for one in group}
        known = {name: score for name, score in without.items() if score is not None}
        assert full is not None
        failures = {
            one.after.treatment.name: one.changes["parse_failure_pct"].difference
            for one in group
            if "parse_failure_pct" in one.changes
        }
        yield Ablation(entry, full, known, verdict(full, known), failures)


def _study(treated: Result) -> tuple[str, Kind]:
    return treated.entry.task, treated.treatment.kind


def _worst(pairs: Sequence[tuple[Result, Result]]) -> dict[tuple[str, Kind], float]:
    """The worst trimmed mean of every study: of all players, baseline and treatments."""
    worst: dict[tuple[str, Kind], float] = {}
    for before, after in pairs:
        steps = [trimmed_mean(before.values), trimmed_mean(after.values)]
        worst[_study(after)] = max(worst.get(_study(after), 0.0), *steps)
    return worst


def _score(result: Result, worst: float, figures: Figures) -> Spread | None:
    if result.entry.game != "pathfinding":
        return result.raw
    human = figures.raw(result.entry.task, "human")
    if worst <= human:
        return None
    return efficiencies(result.values, human, worst)


def _changes(before: Result, after: Result) -> dict[str, Change]:
    return {
        name: Change(value, after.columns[name])
        for name, value in before.columns.items()
        if name in after.columns
    }
