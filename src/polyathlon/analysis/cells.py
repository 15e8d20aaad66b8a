"""Cells: episodes that differ in seed and attempt alone, summed up with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.rows import EpisodeRow, Spend, invalid_rate, tally
from polyathlon.analysis.stats import Summary, summary
from polyathlon.core.canonical import JSON
from polyathlon.core.world import Role, Status


class Cell(msgspec.Struct, frozen=True):
    """Episodes of one env, level, lineup, role, model and condition.

    `episodes` counts what is in the means: done, truncated and failed. `stopped` ones, which can
    be resumed, are in no mean. `spend` covers all of them, stopped ones too, for it was spent.
    `lead` names the metric the env declares first. `statuses` and `invalid_rate` are over the
    turns of counted episodes.
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
    rows: tuple[EpisodeRow, ...]

    @property
    def score(self) -> Summary | None:
        """The leading metric; None while no episode counts."""
        return self.metrics.get(self.lead)

    def to_json(self) -> dict[str, Any]:
        """The cell as an object of `report --json`; costs are null where a price is unknown."""
        fields = {
            name: msgspec.to_builtins(getattr(self, name))
            for name in self.__struct_fields__
            if name not in ("spend", "rows")
        }
        return {**fields, "usage": usage_json(self.spend, self.wall_s)}


def cells(rows: Iterable[EpisodeRow]) -> list[Cell]:
    """Group episodes into cells, one per role, in order of env, level, model and condition.

    The episodes of a cell are in order of seed and attempt.
    """
    groups: dict[tuple[str, ...], list[EpisodeRow]] = {}
    for row in rows:
        for role, seat in row.roles.items():
            key = (row.env, row.level, row.lineup, role, seat.model, row.condition)
            groups.setdefault(key, []).append(row)
    ordered = sorted(groups.items(), key=lambda item: item[0])
    return [
        _cell(key[3], sorted(group, key=lambda row: (row.seed, row.attempt)))
        for key, group in ordered
    ]


def _cell(role: Role, rows: Sequence[EpisodeRow]) -> Cell:
    first, seat = rows[0], rows[0].roles[role]
    counted = [row for row in rows if row.counted]
    seats = [row.roles[role] for row in counted]
    statuses = tally(seat.statuses for seat in seats)
    names = dict.fromkeys(name for seat in seats for name in seat.metrics)
    return Cell(
        first.env,
        first.level,
        first.lineup,
        role,
        seat.model,
        first.condition,
        seat.agent,
        seat.harness,
        first.options,
        labels.lead_metric(first.env, names),
        len(counted),
        sum(row.status == "failed" for row in rows),
        sum(row.status == "truncated" for row in rows),
        len(rows) - len(counted),
        tally([{f"{row.status}: {row.cause}": 1} for row in counted]),
        tuple(sorted({row.seed for row in rows})),
        {name: _metric(name, role, counted) for name in names},
        statuses,
        invalid_rate(statuses),
        tally(seat.repairs for seat in seats),
        sum(seat.overdue for seat in seats),
        sum((row.roles[role].spend for row in rows), Spend()),
        sum(row.wall_s for row in rows),
        tuple(rows),
    )


def _metric(name: str, role: Role, rows: Sequence[EpisodeRow]) -> Summary:
    scored = [(row.seed, row.roles[role].metrics) for row in rows]
    pairs = [(seed, metrics[name]) for seed, metrics in scored if name in metrics]
    values, seeds = [value for _, value in pairs], [seed for seed, _ in pairs]
    return summary(values, seeds, event=labels.is_event(rows[0].env, name))


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
