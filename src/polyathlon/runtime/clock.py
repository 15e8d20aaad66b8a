"""Episode time: frozen while agents think, the wall's, or that of a simulation."""

from __future__ import annotations

import heapq
import itertools
import time
from typing import Literal, Protocol

import anyio

ACT, OBSERVE = 1, 3


class Clock(Protocol):
    """Where episode time comes from. `until` returns when the time is there."""

    def now_us(self) -> int: ...
    async def until(self, time_us: int, order: int, seat: int) -> None: ...
    def enter(self) -> None: ...
    def leave(self) -> None: ...


class FrozenClock:
    """Time moves only when a scheduler says so (`turns`, `stepped`)."""

    def __init__(self) -> None:
        self.time_us = 0

    def now_us(self) -> int:
        return self.time_us

    async def until(self, time_us: int, order: int, seat: int) -> None:
        return None

    def enter(self) -> None:
        pass

    def leave(self) -> None:
        pass


class WallClock:
    """Time is the wall's, from the moment of construction."""

    def __init__(self) -> None:
        self._start_ns = time.monotonic_ns()

    def now_us(self) -> int:
        return (time.monotonic_ns() - self._start_ns) // 1_000

    async def until(self, time_us: int, order: int, seat: int) -> None:
        await anyio.sleep(max(0, time_us - self.now_us()) / 1e6)

    def enter(self) -> None:
        pass

    def leave(self) -> None:
        pass


class VirtualClock:
    """Time of a discrete-event simulation.

    Every role's loop enters once and leaves once. Between these it is either busy, and time
    stands still, or waits in `until`. When nobody is busy the earliest waiter runs; ties go by
    order (acts before observations), then by seat.
    """

    def __init__(self) -> None:
        self._now_us = 0
        self._busy = 0
        self._serial = itertools.count()
        self._waiting: list[tuple[int, int, int, int, anyio.Event]] = []

    def now_us(self) -> int:
        return self._now_us

    def enter(self) -> None:
        self._busy += 1

    def leave(self) -> None:
        self._busy -= 1
        self._run_next()

    async def until(self, time_us: int, order: int, seat: int) -> None:
        woken = anyio.Event()
        entry = (max(time_us, self._now_us), order, seat, next(self._serial), woken)
        heapq.heappush(self._waiting, entry)
        self.leave()
        try:
            await woken.wait()
        finally:
            if not woken.is_set():
                self._waiting.remove(entry)
                heapq.heapify(self._waiting)
                self.enter()

    def _run_next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._now_us, *_, woken = heapq.heappop(self._waiting)
        self.enter()
        woken.set()


def make_clock(kind: Literal["turns", "stepped", "realtime", "virtual"]) -> Clock:
    """The clock of a scheduler kind."""
    if kind == "realtime":
        return WallClock()
    return VirtualClock() if kind == "virtual" else FrozenClock()
