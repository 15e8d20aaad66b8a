"""A coordinator and workers in one process that talk over real sockets, on a clock by hand."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from tests.experiments.test_runner import _specs

from polyathlon.experiments import messages
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.desk import Desk
from polyathlon.experiments.line import Line, connect
from polyathlon.experiments.messages import ToCoordinator, ToWorker
from polyathlon.experiments.remote import RemoteHub
from polyathlon.experiments.rundir import create
from polyathlon.experiments.settings import Settings
from polyathlon.runtime.ratelimit import Limiters, RateLimits, Slot

GROUP = "account"


class Clock:
    """Time that passes while somebody sleeps, once all that was said is heard, or by hand."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now(self) -> float:
        return self.time_s

    async def sleep(self, seconds: float) -> None:
        await settled()
        self.time_s += seconds


class Office:
    """A coordinator, and workers that are tasks of this process but ask over real sockets."""

    def __init__(self, folder: Path, limits: RateLimits, budget_usd: float | None = None) -> None:
        run = create(folder / "run", {"experiment": {}})
        settings = Settings(rates={GROUP: limits}, budget_usd=budget_usd)
        self.clock = Clock()
        self.coordinator = Coordinator(run, _specs(episodes=6), settings)
        self.coordinator.slots = Limiters(settings.rates, self.clock.now, self.clock.sleep)
        self.limiter = self.coordinator.slots.limiter(GROUP, 1)
        self.desks: set[Desk] = set()

    async def worker(self) -> Worker:
        ours, theirs = socket.socketpair()
        desk = Desk(self.coordinator, 4, self.desks)
        line: Line[ToWorker, ToCoordinator] = await connect(ours, messages.by_workers)
        end: Line[ToCoordinator, ToWorker] = await connect(theirs, messages.by_coordinator)
        hub = RemoteHub(end, {GROUP})
        served = asyncio.create_task(desk.serve(line))
        return Worker(desk, hub, end, served, asyncio.create_task(hub.listen()))


class Worker:
    """Its calls are held until they are told to end."""

    def __init__(
        self,
        desk: Desk,
        hub: RemoteHub,
        end: Line[ToCoordinator, ToWorker],
        served: asyncio.Task[None],
        listening: asyncio.Task[None],
    ) -> None:
        self.desk, self.hub = desk, hub
        self._end, self._served, self._listening = end, served, listening
        self.calls: dict[asyncio.Task[None], asyncio.Event] = {}
        self.held: dict[asyncio.Task[None], Slot] = {}

    def call(self, tokens: int, on_granted: Callable[[], None] = lambda: None) -> None:
        over = asyncio.Event()

        async def calling() -> None:
            async with self.hub.slot(GROUP, 1, tokens) as slot:
                self.held[task] = slot
                on_granted()
                try:
                    await over.wait()
                finally:
                    del self.held[task]

        task = asyncio.create_task(calling())
        self.calls[task] = over
        task.add_done_callback(lambda done: self.calls.pop(done, None))

    def end_call(self, number: int, tokens: int | None = None, rate_limited: bool = False) -> None:
        running = [task for task in self.held if not self.calls[task].is_set()]
        if not running:
            return
        task = running[number % len(running)]
        self.held[task].tokens, self.held[task].rate_limited = tokens, rate_limited
        self.calls[task].set()

    async def die(self) -> None:
        """Hang up in the middle of everything, without a word."""
        self._end._transport.abort()
        await self._served
        self.held.clear()
        await self._go()
        await self.desk.died()

    async def leave(self) -> None:
        self._end.hang_up()
        await self._served
        await self._go()

    async def _go(self) -> None:
        for task in [*self.calls, self._listening]:
            task.cancel()
            with suppress(asyncio.CancelledError, KeyError):
                await task


async def settled() -> None:
    for _ in range(40):
        await asyncio.sleep(0)


def in_office(
    program: Callable[[Office], Awaitable[None]],
    limits: RateLimits,
    budget_usd: float | None = None,
) -> None:
    with TemporaryDirectory() as folder:
        office_folder = Path(folder)

        async def go() -> None:
            office = Office(office_folder, limits, budget_usd)
            try:
                with anyio.fail_after(20):
                    await program(office)
            finally:
                office.coordinator.close()

        asyncio.run(go())
