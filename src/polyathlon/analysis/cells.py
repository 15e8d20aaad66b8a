"""Cells: episodes that differ in seed and attempt alone, summed up with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend, invalid_rate, tally
from polyathlon.analysis.stats import Summary, summary
from polyathlon.core.canonical import JSON
from polyathlon.core.world import Role, Status

Seat: TypeAlias = tuple[EpisodeRow, RoleRow]

ANY = "any"
MOST_LINEUPS = 12


class Cell(msgspec.Struct, frozen=True):
    """Episodes of one env, level, lineup, role, model and condition.

    `episodes` counts what is in the means: done, truncated and failed. `stopped` ones, which can
    be resumed, are in no mean. `spend` covers all of them, stopped ones too, for it was spent.
    `lead` names the metric the env declares first. `statuses` and `invalid_rate` are over the
    turns of counted episodes. An outcome of the rules (`labels.is_outcome`) is over those that did
    not fail. `access` is what its agents were given, the same for all. `seats`
    are its episodes, each with the seat that is meant; where more than `MOST_LINEUPS` lineups met,
    as in a tournament, a cell holds a player's games in any seat against anybody, and role and
    lineup are `ANY`.
    """

    env: str
    level: str
    lineup: str
    role: Role
    model: str
    condition: str
    agent: str
    harness: Mapping[str, JSON]
    options: Mapping[str, JSON]
    lead: str
    episodes: int
    failed: int
    truncated: int
    stopped: int
    causes: Mapping[str, int]
    seeds: tuple[int, ...]
    metrics: Mapping[str, Summary]
    statuses: Mapping[Status, int]
    invalid_rate: float
    repairs: Mapping[str, int]
    overdue: int
    spend: Spend
    wall_s: float
    access: labels.Stamp
    seats: tuple[Seat, ...]

    @property
    def rows(self) -> tuple[EpisodeRow, ...]:
        return tuple(row for row, _ in self.seats)

    @property
    def who(self) -> str:
        """What tables call it: the model, marked where it was given more than a plain agent."""
        return labels.marked(self.model, self.access)

    @property
    def all_failed(self) -> bool:
        """Whether none of its episodes tells anything but that it failed."""
        return 0 < self.episodes == self.failed

    @property
    def score(self) -> Summary | None:
        """The leading metric; None while no episode counts."""
        return self.metrics.get(self.lead)

    def to_json(self) -> dict[str, Any]:
        """The cell as an object of `report --json`; costs are null where a price is unknown."""
        fields = {
            name: msgspec.to_builtins(getattr(self, name))
            for name in self.__struct_fields__
            if name not in ("spend", "seats")
        }
        return {**fields, "usage": usage_json(self.spend, self.wall_s)}


def cells(rows: Iterable[EpisodeRow]) -> list[Cell]:
    """Group episodes into cells, one per role, in order of env, level, model and condition.

    The episodes of a cell are in order of seed and attempt.
    """
    rows = list(rows)
    lineups: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        lineups.setdefault((row.env, row.level), set()).add(row.lineup)
    groups: dict[tuple[str, ...], list[Seat]] = {}
    for row in rows:
        pooled = len(lineups[row.env, row.level]) > MOST_LINEUPS and len(row.roles) > 1
        for role, seat in row.roles.items():
            who = (ANY, ANY) if pooled else (row.lineup, role)
            key = (row.env, row.level, *who, seat.model, row.condition, seat.access)
            groups.setdefault(key, []).append((row, seat))
    ordered = sorted(groups.items(), key=lambda item: item[0])
    return [_cell(key[2], key[3], sorted(group, key=_order)) for key, group in ordered]


def _order(seat: Seat) -> tuple[int, int]:
    return seat[0].seed, seat[0].attempt


def _cell(lineup: str, role: Role, seats: Sequence[Seat]) -> Cell:
    first, own = seats[0]
    counted = [seat for seat in seats if seat[0].counted]
    statuses = tally(seat.statuses for _, seat in counted)
    names = dict.fromkeys(name for _, seat in counted for name in seat.metrics)
    rows = [row for row, _ in seats]
    return Cell(
        first.env,
        first.level,
        lineup,
        role,
        own.model,
        first.condition,
        own.agent,
        own.harness,
        first.options,
        labels.lead_metric(first.env, names),
        len(counted),
        sum(row.status == "failed" for row in rows),
        sum(row.status == "truncated" for row in rows),
        len(rows) - len(counted),
        tally([{f"{row.status}: {row.cause}": 1} for row, _ in counted]),
        tuple(sorted({row.seed for row in rows})),
        {name: _metric(name, told) for name in names if (told := _told(name, counted))},
        statuses,
        invalid_rate(statuses),
        tally(seat.repairs for _, seat in counted),
        sum(seat.overdue for _, seat in counted),
        sum((seat.spend for _, seat in seats), Spend()),
        sum(row.wall_s for row in rows),
        own.access,
        tuple(seats),
    )


def _told(name: str, seats: Sequence[Seat]) -> list[Seat]:
    """The episodes that a metric says something of: of failed ones, no outcome of the rules."""
    outcome = labels.is_outcome(seats[0][0].env, name)
    return [seat for seat in seats if not (outcome and seat[0].status == "failed")]


def _metric(name: str, seats: Sequence[Seat]) -> Summary:
    scored = [(row, seat.metrics[name]) for row, seat in seats if name in seat.metrics]
    values, seeds = [value for _, value in scored], [row.seed for row, _ in scored]
    return summary(values, seeds, event=labels.is_event(seats[0][0].env, name))


def usage_json(spend: Spend, wall_s: float) -> dict[str, Any]:
    """Spend as JSON: tokens by kind, calls, attempts, seconds and US dollars or null."""
    return {
        **msgspec.structs.asdict(spend.usage),
        "calls": spend.calls,
        "attempts": spend.attempts,
        "failed_attempts": dict(spend.failed_attempts),
        "cost_usd": spend.cost_usd,
        "latency_s": spend.latency_s,
        "wall_s": wall_s,
    }
