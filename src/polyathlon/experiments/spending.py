"""What a run has cost, from its traces alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from polyathlon.core import trace
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.traces import readable
from polyathlon.runtime.recorder import Operation, operation


def spent_usd(run: RunDir) -> float:
    """US dollars of all that a run ever asked for; unknown prices count as 0.

    What a kill cut off is booked at the most that it could cost. A damaged trace counts as far as
    it can be read, and an amount below nothing as nothing.
    """
    return sum(max(0.0, usd) for events in run.traces() for usd in costs_usd(readable(events)))


def costs_usd(events: Iterable[trace.Event]) -> Iterator[float]:
    """US dollars of one trace, item by item; what a branch copied was paid for elsewhere."""
    copied = -1
    most_usd: dict[Operation, float] = {}
    in_flight: dict[Operation, float] = {}
    for number, event in enumerate(events):
        match event:
            case trace.Header():
                copied = event.copied
            case trace.Called():
                most_usd[operation(event)] = event.most_usd or 0.0
                if number > copied:
                    in_flight[operation(event)] = event.most_usd or 0.0
            case _ if number <= copied:
                continue
            case trace.Retried():
                in_flight[operation(event)] = most_usd.get(operation(event), 0.0)
            case trace.Attempted():
                in_flight.pop(operation(event), None)
                if event.reply is not None:
                    yield event.reply.cost_usd or 0.0
            case trace.Used():
                yield event.cost_usd or 0.0
            case trace.Interrupted():
                yield in_flight.get(operation(event), 0.0)
                in_flight[operation(event)] = event.booked_usd or 0.0
    yield from in_flight.values()
