"""The clock of a wall-clock game that is played again: time is what the recording says it was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import anyio

from polyathlon.core import trace
from polyathlon.runtime.clock import World
from polyathlon.runtime.recorder import TOOL, Key, OfOperation, ReplayMismatch, key, words


class RecordedClock:
    """Lets what has a time happen again in the order in which the recording holds it.

    Whoever comes to such an event waits in `at` until it is its turn. Once nobody holds a token the
    next event in the file runs: the world advances by itself, or who waits for the event goes on.
    The world is advanced where it was, at its own events and where somebody looked or acted, or
    what it came to late would come early. A name that the recording does not hold waits until its
    decision, or the whole game, was cut off.
    """

    def __init__(self, world: World, recording: Iterable[trace.Event]) -> None:
        self._world = world
        self._now_us = 0
        self._tokens = 0
        self._events = [(key(event), _time_us(event)) for event in recording if _timed(event)]
        self._names = {name for name, _ in self._events}
        self._next = 0
        self._waiting: defaultdict[Key, list[tuple[anyio.Event, bool]]] = defaultdict(list)

    def now_us(self) -> int:
        return self._now_us

    def enter(self, tokens: int = 1) -> None:
        self._tokens += tokens

    def leave(self) -> None:
        self._tokens -= 1
        self._run_next()

    async def until(self, time_us: int, order: int, seat: int) -> None:
        return None

    async def change(self, seat: int) -> None:
        return None

    def changed(self) -> None:
        pass

    async def at(self, name: Key) -> bool:
        if self._over:
            return False
        there = name in self._names
        overdue = ("Overdue", *name[1:3])
        waits_for = name if there else overdue if overdue in self._names else END
        woken = anyio.Event()
        entry = (woken, there)
        self._waiting[waits_for].append(entry)
        self.leave()
        try:
            await woken.wait()
        finally:
            if not woken.is_set():
                self._waiting[waits_for].remove(entry)
                self.enter()
        return there

    @property
    def _over(self) -> bool:
        return self._next >= len(self._events) or self._events[self._next][0] == END

    def _run_next(self) -> None:
        while not self._tokens and self._next < len(self._events):
            name, time_us = self._events[self._next]
            waiting = self._waiting.pop(name, [])
            if name[0] == "Advanced" or any(there for _, there in waiting):
                self._next += 1
                self._now_us = max(self._now_us, time_us)
                if name[0] in _ADVANCES:
                    self._world.advance(self._now_us)
            elif name != END and not waiting:
                raise ReplayMismatch(
                    f"replay differs: the trace holds {words(name)}, which does not come"
                )
            for woken, _ in waiting:
                self.enter()
                woken.set()
            if name == END:
                self._now_us = time_us
                return


END: Key = ("Ended",)
_ADVANCES = ("Advanced", "Observed", "Acted")


def _timed(event: trace.Event) -> bool:
    """Whether the wall's clock decided when this happened, and something may wait for it."""
    if isinstance(event, OfOperation):
        ended = isinstance(event, trace.Attempted) and event.final
        lasting = isinstance(event, trace.Called | trace.Using | trace.Used | trace.Landed)
        return (ended or lasting) and TOOL not in event.path
    return not isinstance(event, trace.Header | trace.Said)


def _time_us(event: trace.Event) -> int:
    return 0 if isinstance(event, trace.Header | trace.Said) else getattr(event, "time_us", 0)
