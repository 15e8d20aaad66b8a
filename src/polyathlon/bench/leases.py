"""What a turn at a rate-limited provider costs: waiting, adaptation, and the line between."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import time
from pathlib import Path

import anyio

from polyathlon.bench import Benchmark
from polyathlon.experiments import messages
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.desk import Desk
from polyathlon.experiments.line import Line, connect
from polyathlon.experiments.messages import ToCoordinator, ToWorker
from polyathlon.experiments.remote import RemoteHub
from polyathlon.experiments.rundir import create
from polyathlon.experiments.settings import Settings
from polyathlon.runtime.ratelimit import RateLimits, Slots

ROOM, CROWD = {"bench": RateLimits(1_000)}, {"bench": RateLimits(16)}
CALLERS = 64
CALLS = 20_000


def benchmarks() -> list[Benchmark]:
    """`lease/own` in one process; `lease/far` and `lease/near` the limit of several, both ends."""
    return [
        Benchmark("lease/own", "us", lambda: asyncio.run(_own_us())),
        Benchmark("lease/far", "us", lambda: asyncio.run(_leased_us(ROOM))),
        Benchmark("lease/near", "us", lambda: asyncio.run(_leased_us(CROWD))),
    ]


async def _own_us() -> float:
    with tempfile.TemporaryDirectory() as folder:
        run = create(Path(folder) / "bench", {"experiment": {}})
        coordinator = Coordinator(run, (), Settings(rates=ROOM))
        cost_us = await _cost_us(coordinator.slots)
        coordinator.close()
    return cost_us


async def _leased_us(rates: dict[str, RateLimits]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        run = create(Path(folder) / "bench", {"experiment": {}})
        coordinator = Coordinator(run, (), Settings(rates=rates))
        ours, theirs = socket.socketpair()
        desk_end: Line[ToWorker, ToCoordinator] = await connect(ours, messages.by_workers)
        worker_end: Line[ToCoordinator, ToWorker] = await connect(theirs, messages.by_coordinator)
        hub = RemoteHub(worker_end, rates)
        async with anyio.create_task_group() as group:
            group.start_soon(Desk(coordinator, CALLERS, set()).serve, desk_end)
            group.start_soon(hub.listen)
            cost_us = await _cost_us(hub.slots)
            group.cancel_scope.cancel()
        await worker_end.close()
        coordinator.close()
    return cost_us


async def _cost_us(slots: Slots) -> float:
    """CPU microseconds a call of `CALLERS` tasks that call again and again."""
    start_s = time.process_time()
    async with anyio.create_task_group() as group:
        for _ in range(CALLERS):
            group.start_soon(_call, slots, CALLS // CALLERS)
    return (time.process_time() - start_s) / CALLS * 1e6


async def _call(slots: Slots, times: int) -> None:
    for _ in range(times):
        async with slots.slot("bench", CALLERS, 1_000):
            await asyncio.sleep(0)
