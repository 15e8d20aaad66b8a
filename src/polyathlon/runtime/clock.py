"""Episode time: frozen while agents think, the wall's, that of a simulation, or a recording's.

Whoever could act now holds a *token*; while any is held, simulated time stands still. A role's
loop begins with one, strands that run together have one each, and whoever waits lends its own.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeAlias

import anyio

ACT, OBSERVE, LAST = 1, 3, 5
"""Ties of one moment: the world, acts, observations, what cuts the rest off; then by seat."""

Waiter: TypeAlias = tuple[int, int, int, int, anyio.Event]


class World(Protocol):
    """What a clock drives: it says when it changes by itself, and is told when time has passed."""

    def next_event_us(self) -> int | None: ...
    def advance(self, time_us: int) -> None: ...
    def over(self) -> bool: ...


class Clock(Protocol):
    """Where episode time comes from.

    `until` returns when the time is there, `change` after the next `changed`. `at` waits until a
    recording comes to the event of a name, and says whether it ever does; live clocks have none.
    `enter` and `leave` count tokens.
    """

    def now_us(self) -> int: ...
    async def until(self, time_us: int, order: int, seat: int) -> None: ...
    async def change(self, seat: int) -> None: ...
    def changed(self) -> None: ...
    async def at(self, name: tuple[str | int, ...]) -> bool: ...
    def enter(self, tokens: int = 1) -> None: ...
    def leave(self) -> None: ...


@asynccontextmanager
async def lent(clock: Clock) -> AsyncIterator[None]:
    """Around a wait for something other than time: the waiter's token is given back meanwhile."""
    clock.leave()
    try:
        yield
    finally:
        clock.enter()


class _Live:
    async def at(self, name: tuple[str | int, ...]) -> bool:
        return True


class _NoTokens(_Live):
    def enter(self, tokens: int = 1) -> None:
        pass

    def leave(self) -> None:
        pass


class FrozenClock(_NoTokens):
    """Time moves only when a scheduler says so (`turns`, `stepped`)."""

    def __init__(self) -> None:
        self.time_us = 0

    def now_us(self) -> int:
        return self.time_us

    async def until(self, time_us: int, order: int, seat: int) -> None:
        return None

    async def change(self, seat: int) -> None:
        return None

    def changed(self) -> None:
        pass


class WallClock(_NoTokens):
    """Time is the wall's, from the moment of construction."""

    def __init__(self) -> None:
        self._start_ns = time.monotonic_ns()
        self._change = anyio.Event()

    def now_us(self) -> int:
        return (time.monotonic_ns() - self._start_ns) // 1_000

    async def until(self, time_us: int, order: int, seat: int) -> None:
        await anyio.sleep(max(0, time_us - self.now_us()) / 1e6)

    async def change(self, seat: int) -> None:
        await self._change.wait()

    async def change_or(self, time_us: int | None) -> None:
        """Wait for the next change, at most until a time."""
        with anyio.move_on_after(
            None if time_us is None else max(0, time_us - self.now_us()) / 1e6
        ):
            await self._change.wait()

    def changed(self) -> None:
        self._change.set()
        self._change = anyio.Event()


class VirtualClock(_Live):
    """Time of a discrete-event simulation.

    While nobody holds a token the earliest event runs: the world's own, or what waits longest;
    ties go by order, then by seat. Who waits for a change has no time of its own.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._now_us = 0
        self._tokens = 0
        self._serial = itertools.count()
        self._waiting: list[Waiter] = []
        self._idle: dict[anyio.Event, int] = {}

    def now_us(self) -> int:
        return self._now_us

    def enter(self, tokens: int = 1) -> None:
        self._tokens += tokens

    def leave(self) -> None:
        self._tokens -= 1
        if not self._tokens:
            self._run_next()

    async def until(self, time_us: int, order: int, seat: int) -> None:
        woken = anyio.Event()
        self._queue(time_us, order, seat, woken)
        await self._sleep(woken)

    async def change(self, seat: int) -> None:
        woken = anyio.Event()
        self._idle[woken] = seat
        await self._sleep(woken)

    def changed(self) -> None:
        for woken, seat in self._idle.items():
            self._queue(self._now_us, OBSERVE, seat, woken)
        self._idle.clear()

    def _queue(self, time_us: int, order: int, seat: int, woken: anyio.Event) -> None:
        entry = (max(time_us, self._now_us), order, seat, next(self._serial), woken)
        heapq.heappush(self._waiting, entry)

    async def _sleep(self, woken: anyio.Event) -> None:
        self.leave()
        try:
            await woken.wait()
        finally:
            if not woken.is_set():
                self._idle.pop(woken, None)
                self._waiting = [entry for entry in self._waiting if entry[-1] is not woken]
                heapq.heapify(self._waiting)
                self.enter()

    def _run_next(self) -> None:
        while True:
            due_us = self._world.next_event_us()
            if due_us is not None and not (self._waiting and self._waiting[0][0] < due_us):
                if not (self._waiting or self._idle):
                    return
                self._pass(due_us)
            elif self._waiting:
                self._now_us, *_, woken = heapq.heappop(self._waiting)
                self.enter()
                woken.set()
                return
            elif self._idle and not self._world.over():
                raise RuntimeError("nobody may act, and the world will not change by itself")
            else:
                return

    def _pass(self, due_us: int) -> None:
        """Let the world come to its own next event."""
        self._now_us = max(self._now_us, due_us)
        self._world.advance(self._now_us)
        following_us = self._world.next_event_us()
        if following_us is not None and following_us <= self._now_us:
            raise RuntimeError(f"the world's next event must lie after {self._now_us} us")
