"""Out of all measure: what no episode holds, and what statistics and tables must not be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from polyathlon.core import trace
from polyathlon.experiments.traces import DamagedTrace

MOST = 1e15
MOST_ROLES, MOST_METRICS, MOST_NAME = 64, 1_000, 200
_SEEDS = 2**63


def check_header(header: trace.Header) -> None:
    """Raises DamagedTrace for an episode of impossible names, roles or numbers."""
    spec = header.episode
    agents = [text for agent in spec.lineup.values() for text in (agent.kind, agent.weights)]
    names = (spec.env, spec.level, *spec.options, *spec.lineup, *agents, *spec.interventions)
    check_names(names)
    if len(spec.lineup) > MOST_ROLES or not 0 <= spec.seed < _SEEDS:
        raise _refused("roles or a seed")
    check_numbers(spec.attempt, header.copied)


def check_attempt(event: trace.Attempted) -> None:
    """Raises DamagedTrace for an attempt of impossible length, cost or use."""
    check_numbers(event.latency_s, event.number)
    if event.reply is not None:
        reply = event.reply
        check_numbers(reply.latency_s, reply.cost_usd, *msgspec.structs.astuple(reply.usage))


def check_end(ended: trace.Ended) -> None:
    """Raises DamagedTrace for an end with impossible metrics or numbers."""
    for metrics in (ended.metrics, *ended.roles.values()):
        check_metrics(metrics)
    check_numbers(ended.turns, ended.calls, ended.attempts, ended.wall_s, ended.cost_usd)
    check_numbers(ended.time_us, ended.booked_usd, *msgspec.structs.astuple(ended.usage))
    check_names(ended.winners)


def check_numbers(*numbers: float | None) -> None:
    """Raises DamagedTrace for a number beyond `MOST` in size."""
    for number in numbers:
        if number is not None and not -MOST <= number <= MOST:
            raise _refused("a number")


def check_names(names: Iterable[str]) -> None:
    """Raises DamagedTrace for a name of more than `MOST_NAME` characters."""
    if any(len(name) > MOST_NAME for name in names):
        raise _refused("a name")


def check_metrics(metrics: Mapping[str, float]) -> None:
    """Raises DamagedTrace for too many of them, and for impossible names and numbers."""
    if len(metrics) > MOST_METRICS:
        raise _refused("metrics")
    check_names(metrics)
    check_numbers(*metrics.values())


def _refused(what: str) -> DamagedTrace:
    return DamagedTrace(f"its trace holds {what} out of all measure: restore it, or delete it")
