"""Folding the events of one trace into rows, in one pass."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend, TurnRow
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.world import STATUSES, Role, Status
from polyathlon.experiments.measure import check_attempt, check_end, check_header, check_numbers
from polyathlon.experiments.traces import DamagedTrace


class _Seat:
    """What has happened to one role so far."""

    def __init__(self) -> None:
        self.statuses: Counter[Status] = Counter(dict.fromkeys(STATUSES, 0))
        self.repairs: Counter[str] = Counter()
        self.warnings = 0
        self.tools = 0
        self.tool_errors: Counter[str] = Counter()
        self.overdue = 0
        self.spend = Spend()
        self.turn = Spend()

    def close_turn(self) -> Spend:
        """The spend since the turn before; what follows belongs to the next turn."""
        spent, self.turn = self.turn, Spend()
        self.spend += spent
        return spent


def fold(run: str, id: str, events: Iterable[trace.Event]) -> tuple[EpisodeRow, list[TurnRow]]:
    """The rows of one episode, with the errors of `fold_episode`."""
    turns: list[TurnRow] = []
    return fold_episode(run, id, events, turns.append), turns


def fold_episode(
    run: str, id: str, events: Iterable[trace.Event], on_turn: Callable[[TurnRow], object]
) -> EpisodeRow:
    """The row of one episode; `on_turn` is given those of its turns.

    Raises DamagedTrace for a trace without a header, and for what no episode can hold: events of
    roles that nobody plays, and numbers, names and metrics out of all measure.
    """
    stream = iter(events)
    header = next(stream, None)
    if not isinstance(header, trace.Header):
        raise DamagedTrace("its trace has no header: delete it to play the episode again")
    check_header(header)
    seats = {role: _Seat() for role in header.episode.lineup}
    curve = array("d")
    ended: trace.Ended | None = None
    refused = ""
    for event in stream:
        if isinstance(event, _OfARole) and event.role not in seats:
            raise DamagedTrace(f"its trace has an event of {event.role[:40]!r}, whom nobody plays")
        match event:
            case trace.Called():
                seats[event.role].turn += Spend(calls=1)
            case trace.Attempted():
                check_attempt(event)
                seats[event.role].turn += _attempt(event)
                refused = event.detail if event.final and event.cause else refused
            case trace.Used():
                seats[event.role].tools += 1
                seats[event.role].tool_errors.update([event.error] if event.error else [])
            case trace.Overdue():
                seats[event.role].overdue += 1
            case trace.Acted():
                check_numbers(event.time_us, event.turn, event.score, *event.rewards.values())
                curve.append(event.score)
                on_turn(_turn(id, event, seats[event.role]))
            case trace.Ended():
                check_end(event)
                ended = event
    row = _episode(run, id, header, ended, seats, tuple(curve))
    if ended is None or ended.status != "failed":
        return row
    detail = refused if ended.cause.startswith("model:") else ""
    return msgspec.structs.replace(row, detail=detail, traceback=ended.traceback)


_OfARole = (trace.Called, trace.Attempted, trace.Used, trace.Overdue, trace.Acted)


def _attempt(event: trace.Attempted) -> Spend:
    reply = event.reply
    if reply is None:
        return Spend(0, 1, {event.cause: 1}, latency_s=event.latency_s)
    return Spend(0, 1, {}, reply.usage, reply.cost_usd, event.latency_s or reply.latency_s)


def _turn(id: str, event: trace.Acted, seat: _Seat) -> TurnRow:
    seat.statuses[event.status] += 1
    seat.repairs.update(repair.split(":", 1)[0] for repair in event.repairs)
    seat.warnings += len(event.warnings)
    return TurnRow(
        id,
        event.role,
        event.turn,
        event.time_us,
        event.action,
        event.status,
        event.malformed,
        event.rewards.get(event.role, 0.0),
        event.score,
        event.repairs,
        event.warnings,
        event.raw,
        event.thought,
        seat.close_turn(),
    )


def _episode(
    run: str,
    id: str,
    header: trace.Header,
    ended: trace.Ended | None,
    seats: Mapping[Role, _Seat],
    curve: tuple[float, ...],
) -> EpisodeRow:
    spec = header.episode
    metrics = _metrics(spec.env, ended)
    by_role = ended.roles if ended else {}
    return EpisodeRow(
        run,
        id,
        spec.env,
        spec.level,
        spec.options,
        labels.lineup(spec),
        labels.condition(spec),
        spec.seed,
        spec.attempt,
        ended.status if ended else "running",
        ended.cause if ended else "",
        metrics,
        ended.winners if ended else (),
        {
            role: _role(
                role,
                agent,
                {**metrics, **by_role.get(role, {})},
                seats[role],
                labels.stamp(agent, header.access.get(role)),
            )
            for role, agent in spec.lineup.items()
        },
        curve,
        ended.wall_s if ended else 0.0,
        header.package,
        header.env_version,
        spec.interventions,
        spec.scheduler,
    )


def _metrics(env: str, ended: trace.Ended | None) -> dict[str, float]:
    if ended is None:
        return {}
    if ended.status != "failed":
        return dict(ended.metrics)
    return {name: metric.failed for name, metric in labels.declared(env).items()} | dict(
        ended.metrics
    )


def _role(
    role: Role,
    agent: AgentSpec,
    metrics: Mapping[str, float],
    seat: _Seat,
    access: labels.Stamp,
) -> RoleRow:
    seat.close_turn()
    return RoleRow(
        role,
        agent.kind,
        agent.label,
        agent.harness,
        metrics,
        dict(seat.statuses),
        dict(seat.repairs),
        seat.warnings,
        seat.tools,
        dict(seat.tool_errors),
        seat.overdue,
        seat.spend,
        access,
    )
