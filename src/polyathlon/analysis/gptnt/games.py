"""Games: the episodes of the same players at the same kind of bomb."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from polyathlon.analysis.gptnt.figures import MULTI, SINGLE
from polyathlon.analysis.labels import DEFAULT, JOIN
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.analysis.stats import wilson
from polyathlon.core import trace
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play import catalogue

Setup: TypeAlias = Literal["pair", "alone", "no manual"]
Mode: TypeAlias = Literal["sync", "async"]
Ending: TypeAlias = Literal["solved", "strikeout", "timeout", "cut off"]
Events: TypeAlias = Callable[[EpisodeRow], Iterable[trace.Event]]
"""The trace of an episode."""

RUNNING = ("realtime", "virtual")
"""Schedulers under which the countdown runs while players think."""
_TOLD_ELSEWHERE = {
    DEFAULT,
    *("kind=stepped", "kind=realtime", "kind=virtual", "dt_s=3.0"),
    *("pace=stepped", "pace=realtime", "no manual"),
}
"""What a condition says of nothing, or of setup and mode."""


class Share(msgspec.Struct, frozen=True):
    """How often something happened among `n` occasions."""

    hits: int
    n: int

    @property
    def share(self) -> float | None:
        """In [0, 1]; None without occasions."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval."""
        return wilson(self.hits, self.n) if self.n else None


class Team(msgspec.Struct, frozen=True, order=True):
    """Who plays, and how.

    `players` is the model that has all seats, or Defuser + Expert. In `mode` sync the countdown
    stands still while players think, in async it runs. `setting` is the rest of the condition.
    """

    setup: Setup
    mode: Mode
    players: str
    setting: str

    @property
    def play(self) -> str:
        return f"{self.setup}, {self.mode}"

    @property
    def who(self) -> str:
        return JOIN.join(filter(None, [self.players, self.setting]))


class Games(msgspec.Struct, frozen=True):
    """The counted games of a team: at bombs `multi`, of one module (`single`), or of a level."""

    team: Team
    bombs: str
    rows: tuple[EpisodeRow, ...]

    @property
    def roles(self) -> tuple[Role, ...]:
        return tuple(self.rows[0].roles)

    @property
    def self_play(self) -> bool:
        return len({seat.model for seat in self.rows[0].roles.values()}) == 1

    @property
    def is_random(self) -> bool:
        return all(seat.agent == "random" for seat in self.rows[0].roles.values())

    def by_level(self) -> Iterator[Games]:
        """Games at bombs of one module by module, in the paper's order; others as they are."""
        if self.bombs != SINGLE:
            yield self
            return
        for level in catalogue.SINGLE:
            rows = tuple(row for row in self.rows if row.level == level)
            if rows:
                yield Games(self.team, level, rows)


def games(rows: Iterable[EpisodeRow]) -> list[Games]:
    """All games with the bomb that have metrics, by team; bombs of several modules come first.

    An episode that several runs hold counts once.
    """
    groups: dict[tuple[str, Team], list[EpisodeRow]] = {}
    for row in {row.id: row for row in rows}.values():
        if name_of(row.env) in ("defusal", "solo") and row.counted and row.metrics:
            bombs = SINGLE if row.level in catalogue.SINGLE else row.level
            groups.setdefault((bombs, _team(row)), []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (_place(item[0][0]), item[0]))
    return [Games(team, bombs, tuple(found)) for (bombs, team), found in ordered]


def name_of(env: str) -> str:
    """The name of an env of the family, whatever its version; "" for any other env."""
    family, _, name = env.rsplit("-v", 1)[0].partition("/")
    return name if family == "gptnt" else ""


def ending(row: EpisodeRow) -> Ending:
    """How a game ended; `cut off` by a failure or a limit of the experiment."""
    for name in ("solved", "strikeout", "timeout"):
        if row.metrics.get(name) == 1:
            return name
    return "cut off"


def _team(row: EpisodeRow) -> Team:
    models = [seat.model for _, seat in sorted(row.roles.items())]
    players = models[0] if len(set(models)) == 1 else " + ".join(models)
    mode: Mode = "async" if row.scheduler.kind in RUNNING else "sync"
    return Team(_setup(row), mode, players, _setting(row.condition))


def _setting(condition: str) -> str:
    parts = (
        ", ".join(item for item in part.split(", ") if item not in _TOLD_ELSEWHERE)
        for part in condition.split(JOIN)
    )
    return JOIN.join(filter(None, parts))


def _setup(row: EpisodeRow) -> Setup:
    if name_of(row.env) == "defusal":
        return "pair"
    return "no manual" if row.options.get("manual") is False else "alone"


def _place(bombs: str) -> int:
    return (MULTI, SINGLE).index(bombs) if bombs in (MULTI, SINGLE) else 2
