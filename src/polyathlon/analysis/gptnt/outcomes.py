"""Outcomes: what teams solved, and how the other games ended (section 15 of the specification)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

import msgspec

from polyathlon.analysis.gptnt.figures import MODULES, MULTI, SINGLE, Figures, level_of
from polyathlon.analysis.gptnt.games import Ending, Games, Share, Team, ending
from polyathlon.analysis.rows import EpisodeRow

MEANS = (
    *("modules_solved_share", "strikes", "time_share"),
    *("turns", "messages", "interactions", "invalid_actions"),
)
"""The metrics of which a record holds the mean of a game."""


class Record(msgspec.Struct, frozen=True):
    """What a team came to at some bombs; `means` are those of `MEANS` over games."""

    team: Team
    bombs: str
    solved: Share
    strikeouts: Share
    timeouts: Share
    means: Mapping[str, float]


class Ends(msgspec.Struct, frozen=True):
    """Games by ending and strikes.

    `strikes` counts games by ending and number of strikes, from 0; `time_share` is the mean
    share of the time limit that was used, by ending.
    """

    team: Team
    bombs: str
    strikes: Mapping[Ending, tuple[int, ...]]
    time_share: Mapping[Ending, float]

    @property
    def failures(self) -> int:
        return sum(self.count(name) for name in self.strikes if name != "solved")

    def count(self, ending: Ending) -> int:
        """How many games ended so."""
        return sum(self.strikes.get(ending, ()))

    def of_failures(self, ending: Ending) -> Share:
        """The share of an ending among the games not solved."""
        return Share(self.count(ending), self.failures)

    def at(self, ending: Ending, strikes: int) -> Share:
        """The share of games with so many strikes among those that ended so."""
        counts = self.strikes.get(ending, ())
        return Share(counts[strikes] if strikes < len(counts) else 0, sum(counts))

    def reached(self, strikes: int) -> int:
        """How many games had at least so many strikes."""
        return sum(sum(counts[strikes:]) for counts in self.strikes.values())


class Mission(msgspec.Struct, frozen=True):
    """The games at one of the ten bombs; `modules_solved` is their mean of `modules`."""

    number: int
    modules: int
    modules_solved: float
    endings: Mapping[Ending, int]


class Missions(msgspec.Struct, frozen=True):
    """The bombs of several modules, one after the other."""

    team: Team
    missions: tuple[Mission, ...]

    @property
    def modules(self) -> int:
        return sum(one.modules for one in self.missions)

    @property
    def modules_solved(self) -> float:
        return sum(one.modules_solved for one in self.missions)


class Deviation(msgspec.Struct, frozen=True):
    """Random play on one module beside the published one.

    `errors` is the difference in standard errors of the difference of two proportions, pooled;
    None where neither ever solved or both always did.
    """

    team: Team
    module: str
    own: Share
    published: float
    errors: float | None


def record(games: Games) -> Record:
    """The record of at least one game."""
    endings = Counter(ending(row) for row in games.rows)
    n = len(games.rows)
    return Record(
        games.team,
        games.bombs,
        Share(endings["solved"], n),
        Share(endings["strikeout"], n),
        Share(endings["timeout"], n),
        {name: fmean(row.metrics.get(name, 0.0) for row in games.rows) for name in MEANS},
    )


def ends(games: Games) -> Ends:
    """How games ended; those cut off count with no strike."""
    groups: dict[Ending, list[EpisodeRow]] = {}
    for row in games.rows:
        groups.setdefault(ending(row), []).append(row)
    return Ends(
        games.team,
        games.bombs,
        {name: _by_strikes(name, rows) for name, rows in groups.items()},
        {name: fmean(row.metrics["time_share"] for row in rows) for name, rows in groups.items()},
    )


def missions(games: Games) -> Missions | None:
    """The games at the ten bombs of several modules by bomb; None for other bombs."""
    if games.bombs != MULTI:
        return None
    groups: dict[int, list[EpisodeRow]] = {}
    for row in games.rows:
        groups.setdefault(int(row.metrics.get("mission", 0)), []).append(row)
    groups.pop(0, None)  # games that failed before they began
    found = tuple(_mission(number, rows) for number, rows in sorted(groups.items()))
    return Missions(games.team, found) if found else None


def deviations(games: Games, figures: Figures) -> Iterator[Deviation]:
    """Random play without a partner beside the published one (Table 11), by module.

    Nothing for other players, or where the countdown runs or an option was changed.
    """
    team = games.team
    comparable = games.is_random and team.setup != "pair" and team.mode == "sync"
    if not comparable or team.setting or games.bombs != SINGLE:
        return
    own = {one.bombs: record(one).solved for one in games.by_level()}
    for module in MODULES:
        found = own.get(level_of(module))
        if found is not None:
            published = Share(
                round(figures.random[module] / 100 * figures.random_games), figures.random_games
            )
            yield Deviation(team, module, found, figures.random[module], errors(found, published))


def errors(one: Share, other: Share) -> float | None:
    """The difference of two shares over its standard error, pooled; None without spread."""
    pooled = (one.hits + other.hits) / (one.n + other.n)
    error = math.sqrt(pooled * (1 - pooled) * (1 / one.n + 1 / other.n))
    return (one.hits / one.n - other.hits / other.n) / error if error else None


def mean_rate(records: Iterable[Record]) -> float:
    """The mean over module types of the share solved, in [0, 1]."""
    return fmean(one.solved.hits / one.solved.n for one in records)


def _by_strikes(ending: Ending, rows: Sequence[EpisodeRow]) -> tuple[int, ...]:
    if ending == "cut off":
        return (len(rows),)
    counts = Counter(int(row.metrics["strikes"]) for row in rows)
    return tuple(counts[strikes] for strikes in range(max(counts) + 1))


def _mission(number: int, rows: Sequence[EpisodeRow]) -> Mission:
    return Mission(
        number,
        int(max(row.metrics.get("modules", 0) for row in rows)),
        fmean(row.metrics.get("modules_solved", 0) for row in rows),
        Counter(ending(row) for row in rows),
    )
