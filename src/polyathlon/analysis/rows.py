"""Rows: what one seat, one turn and one episode came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from polyathlon.analysis.labels import Stamp
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import Ending, SchedulerSpec
from polyathlon.core.models import Usage
from polyathlon.core.world import Role, Status

K = TypeVar("K", bound=str)
COUNTED: tuple[Ending, ...] = ("done", "truncated", "failed")


class Spend(msgspec.Struct, frozen=True):
    """What model calls used. `cost_usd` is None when the price of any reply is unknown.

    `latency_s` sums over attempts; `failed_attempts` counts attempts without a reply by cause.
    """

    calls: int = 0
    attempts: int = 0
    failed_attempts: Mapping[str, int] = {}
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    latency_s: float = 0.0

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.calls + other.calls,
            self.attempts + other.attempts,
            tally([self.failed_attempts, other.failed_attempts]),
            self.usage + other.usage,
            _add(self.cost_usd, other.cost_usd),
            self.latency_s + other.latency_s,
        )


class TurnRow(msgspec.Struct, frozen=True):
    """One decision. `action` is None when the reply was no action; `reward` is the actor's own."""

    episode: str
    role: Role
    turn: int
    time_us: int
    action: str | None
    status: Status
    malformed: str
    reward: float
    score: float
    repairs: tuple[str, ...]
    warnings: tuple[str, ...]
    raw: str
    thought: str
    spend: Spend


class RoleRow(msgspec.Struct, frozen=True):
    """One seat of an episode.

    `statuses` counts turns by status; `repairs` counts mended replies by kind, the text of a
    repair up to its first colon. `access` is what its agent was given.
    """

    role: Role
    agent: str
    model: str
    harness: Mapping[str, JSON]
    metrics: Mapping[str, float]
    statuses: Mapping[Status, int]
    repairs: Mapping[str, int]
    warnings: int
    tools: int
    tool_errors: Mapping[str, int]
    overdue: int
    spend: Spend
    access: Stamp

    @property
    def turns(self) -> int:
        return sum(self.statuses.values())

    @property
    def invalid_rate(self) -> float:
        """Share of turns that were ineffective, illegal or malformed; 0 without turns."""
        return invalid_rate(self.statuses)


class EpisodeRow(msgspec.Struct, frozen=True):
    """One episode. `status` is `running` when its trace has no end yet.

    `metrics` of a failed episode are the values that its env's metrics declare for failure.
    `curve` holds the score after each turn. `detail` says more of a failed one: what the server or
    client said of the last attempt at a call; `traceback` where another fault was raised.
    """

    run: str
    id: str
    env: str
    level: str
    options: Mapping[str, JSON]
    lineup: str
    condition: str
    seed: int
    attempt: int
    status: Ending
    cause: str
    metrics: Mapping[str, float]
    winners: tuple[Role, ...]
    roles: Mapping[Role, RoleRow]
    curve: tuple[float, ...]
    wall_s: float
    package: str
    env_version: str
    interventions: tuple[str, ...] = ()
    scheduler: SchedulerSpec = SchedulerSpec()
    detail: str = ""
    traceback: str = ""

    @property
    def counted(self) -> bool:
        """Whether it is in the means: done, truncated and failed are; stopped and running not."""
        return self.status in COUNTED

    @property
    def turns(self) -> int:
        return sum(role.turns for role in self.roles.values())

    @property
    def spend(self) -> Spend:
        return sum((role.spend for role in self.roles.values()), Spend())


def tally(counts: Iterable[Mapping[K, int]]) -> dict[K, int]:
    """The sum of some counts by key."""
    total: Counter[K] = Counter()
    for count in counts:
        total.update(count)
    return dict(total)


def invalid_rate(statuses: Mapping[Status, int]) -> float:
    """Share of turns that were ineffective, illegal or malformed; 0 without turns."""
    turns = sum(statuses.values())
    return (turns - statuses.get("ok", 0)) / turns if turns else 0.0


def _add(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
