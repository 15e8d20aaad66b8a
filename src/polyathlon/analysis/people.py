"""People: baselines of human players, and how far they agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

import msgspec

from polyathlon.analysis.rows import EpisodeRow

ALL = "all"
GROUPS = ("age_group", "gender")


class Reliability(msgspec.Struct, frozen=True):
    """The people of one group on one env and level.

    `mean` is over all their episodes; `sd` is that of the participants' means (n − 1, 0 for one)
    and `sem` it over the root of their number (section 8.1).
    """

    env: str
    level: str
    condition: str
    group: str
    participants: int
    episodes: int
    mean: float
    sd: float

    @property
    def sem(self) -> float:
        return self.sd / math.sqrt(self.participants)


def reliability(rows: Iterable[EpisodeRow]) -> list[Reliability]:
    """Every env, level and set of interventions that people played, for all and by group.

    Episodes marked as warm-up and those that do not count are left out.
    """
    played: dict[tuple[str, str, str], dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        for seat in row.roles.values() if row.counted else ():
            if seat.agent != "human" or seat.harness.get("warm_up") or not seat.metrics:
                continue
            groups = played.setdefault((row.env, row.level, " + ".join(row.interventions)), {})
            named = [f"{name} {seat.harness[name]}" for name in GROUPS if seat.harness.get(name)]
            for group in (ALL, *named):
                people = groups.setdefault(group, {})
                score = next(iter(seat.metrics.values()))
                people.setdefault(str(seat.harness.get("participant", "")), []).append(score)
    return [
        _reliability(*place, group, list(people.values()))
        for place, groups in sorted(played.items())
        for group, people in sorted(groups.items(), key=lambda item: (item[0] != ALL, item[0]))
    ]


def _reliability(
    env: str, level: str, condition: str, group: str, people: Sequence[Sequence[float]]
) -> Reliability:
    means = [fmean(scores) for scores in people]
    scores = [score for own in people for score in own]
    sd = stdev(means) if len(means) > 1 else 0.0
    return Reliability(env, level, condition, group, len(people), len(scores), fmean(scores), sd)
