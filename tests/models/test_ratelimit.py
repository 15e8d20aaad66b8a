"""The limiter on a clock of its own: order, pace, adaptation."""

from __future__ import annotations

import asyncio

import pytest

from polyathlon.runtime.ratelimit import BURST_S, RateLimiter, RateLimits

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.time_s = 0.0

    def now(self) -> float:
        return self.time_s

    async def sleep(self, seconds: float) -> None:
        self.time_s += seconds
        await asyncio.sleep(0)


def limiter(**limits: float) -> tuple[RateLimiter, Clock]:
    clock = Clock()
    return RateLimiter(RateLimits(**{"in_flight": 64, **limits}), clock.now, clock.sleep), clock


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_at_most_so_many_are_in_flight_and_they_go_in_order() -> None:
    limit, _ = limiter(in_flight=3)
    running: list[int] = []
    order: list[int] = []
    most = 0
    gate = asyncio.Event()

    async def call(number: int) -> None:
        nonlocal most
        async with limit.slot():
            order.append(number)
            running.append(number)
            most = max(most, len(running))
            await gate.wait()
            running.remove(number)

    tasks = [asyncio.create_task(call(n)) for n in range(10)]
    await settle()
    assert order == [0, 1, 2]
    gate.set()
    await asyncio.gather(*tasks)
    assert most == 3
    assert order == list(range(10))


async def test_requests_a_minute() -> None:
    limit, clock = limiter(requests_per_minute=60)
    waits = []
    for _ in range(40):
        async with limit.slot() as slot:
            waits.append(slot.waited_s)
    assert clock.time_s == pytest.approx(40 - BURST_S)
    assert sum(waits) == pytest.approx(clock.time_s)


async def test_tokens_a_minute_count_what_was_used() -> None:
    limit, clock = limiter(tokens_per_minute=6_000)
    for _ in range(4):
        async with limit.slot(tokens=500) as slot:
            slot.tokens = 1_000
    assert clock.time_s == pytest.approx(25)


async def test_a_request_larger_than_the_bucket_still_goes() -> None:
    limit, clock = limiter(tokens_per_minute=60)
    async with limit.slot(tokens=100):
        pass
    async with limit.slot(tokens=1):
        pass
    assert clock.time_s == pytest.approx(91)


async def test_a_burst_of_429s_halves_once_and_success_recovers() -> None:
    limit, _ = limiter(in_flight=16)

    async def rejected() -> None:
        async with limit.slot() as slot:
            await gate.wait()
            slot.rate_limited = True

    gate = asyncio.Event()
    burst = [asyncio.create_task(rejected()) for _ in range(16)]
    await settle()
    gate.set()
    await asyncio.gather(*burst)
    assert limit.allowed == 8
    await rejected()
    assert limit.allowed == 4
    for _ in range(400):
        async with limit.slot():
            pass
    assert limit.allowed == 16


async def test_it_never_falls_below_one() -> None:
    limit, _ = limiter(in_flight=2)
    for _ in range(5):
        async with limit.slot() as slot:
            slot.rate_limited = True
    assert limit.allowed == 1
    async with limit.slot():
        pass


async def test_a_cancelled_waiter_blocks_nobody() -> None:
    limit, _ = limiter(in_flight=1)
    gate = asyncio.Event()

    async def hold() -> None:
        async with limit.slot():
            await gate.wait()

    async def quick() -> str:
        async with limit.slot():
            return "done"

    holder = asyncio.create_task(hold())
    await settle()
    waiter, other = asyncio.create_task(quick()), asyncio.create_task(quick())
    await settle()
    waiter.cancel()
    await settle()
    gate.set()
    await holder
    assert await asyncio.wait_for(other, 1) == "done"
