"""Slots, money and episodes that workers lease, over real sockets and under any interleaving."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from contextlib import AsyncExitStack

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments.offices import GROUP, Office, Worker, in_office, settled
from tests.experiments.test_runner import _specs

from polyathlon.experiments import messages
from polyathlon.experiments.line import Line, connect
from polyathlon.experiments.messages import ToCoordinator, ToWorker
from polyathlon.runtime.ratelimit import BURST_S, RateLimits

WORKERS = 3
ASK = st.tuples(st.just("ask"), st.integers(0, 2), st.integers(1, 40))
ACTS = st.one_of(
    ASK,
    ASK,
    st.tuples(st.just("end"), st.integers(0, 2), st.integers(0, 9)),
    st.tuples(st.just("429"), st.integers(0, 2), st.integers(0, 9)),
    st.tuples(st.just("cancel"), st.integers(0, 2), st.integers(0, 9)),
    st.tuples(st.just("die"), st.integers(0, 2), st.just(0)),
    st.tuples(st.just("wait"), st.just(0), st.integers(1, 90)),
)
LIMITS = st.builds(
    RateLimits,
    st.integers(1, 6),
    st.sampled_from([None, None, 30.0, 600.0]),
    st.sampled_from([None, None, 60.0, 600.0]),
)


@given(limits=LIMITS, acts=st.lists(ACTS, min_size=5, max_size=60), hurry=st.booleans())
def test_no_interleaving_passes_a_limit_or_leaks_a_lease(limits, acts, hurry):
    async def program(office: Office) -> None:
        workers = [await office.worker() for _ in range(WORKERS)]
        taken: list[tuple[float, int]] = []

        def check() -> None:
            assert sum(len(worker.held) for worker in workers) <= limits.in_flight
            assert office.limiter.active <= limits.in_flight

        def call(worker: Worker, tokens: int) -> None:
            def granted() -> None:
                taken.append((office.clock.now(), tokens))
                check()

            worker.call(tokens, granted)

        for act, number, amount in acts:
            worker = workers[number]
            match act:
                case "ask":
                    call(worker, amount)
                case "end" | "429":
                    worker.end_call(amount, None, act == "429")
                case "cancel" if worker.calls:
                    list(worker.calls)[amount % len(worker.calls)].cancel()
                case "die":
                    await worker.die()
                    workers[number] = await office.worker()
                case "wait":
                    office.clock.time_s += amount
            if not hurry:
                await settled()
            check()
        for worker in workers:
            while worker.calls:
                for other in workers:
                    other.end_call(0)
                await settled()
        for worker in workers:
            worker.hub._leased[GROUP].recall()
        await settled()
        assert office.limiter.active == office.limiter.waiting == 0
        honoured(taken, limits)
        for worker in workers:
            await worker.leave()

    in_office(program, limits)


def honoured(taken: list[tuple[float, int]], limits: RateLimits) -> None:
    """No stretch of time saw more requests or tokens than its length and one burst allow."""
    for per_minute, amounts in (
        (limits.requests_per_minute, [1 for _ in taken]),
        (limits.tokens_per_minute, [tokens for _, tokens in taken]),
    ):
        if per_minute is None:
            continue
        burst = max(1.0, per_minute / 60 * BURST_S) + max(amounts, default=0)
        for first in range(len(taken)):
            for last in range(first, len(taken)):
                length_s = taken[last][0] - taken[first][0]
                assert sum(amounts[first : last + 1]) <= per_minute / 60 * length_s + burst + 1e-6


def test_workers_take_turns():
    """One slot, three workers that always want it: each gets every third call."""

    async def program(office: Office) -> None:
        workers = [await office.worker() for _ in range(WORKERS)]
        order: list[int] = []
        for _ in range(8):
            for number, worker in enumerate(workers):
                worker.call(1, lambda number=number: order.append(number))
            await settled()
        while any(worker.calls for worker in workers):
            for worker in workers:
                worker.end_call(0)
            await settled()
        assert order == [0, 1, 2] * 8
        for worker in workers:
            await worker.leave()

    in_office(program, RateLimits(1))


async def keep_four(worker: Worker) -> None:
    """Make four calls at once whose leases are kept."""
    for _ in range(4):
        worker.call(1)
    await settled()
    for _ in range(4):
        worker.end_call(0)
    await settled()


def test_kept_leases_are_recalled_for_those_who_wait():
    async def program(office: Office) -> None:
        rich, poor = await office.worker(), await office.worker()
        await keep_four(rich)
        assert office.limiter.active == 4
        for _ in range(8):
            poor.call(1)
        await settled()
        assert len(poor.held) == office.limiter.active == 8
        for worker in (rich, poor):
            await worker.leave()

    in_office(program, RateLimits(8))


def test_a_worker_that_leaves_gives_back_the_leases_it_kept():
    async def program(office: Office) -> None:
        rich, poor = await office.worker(), await office.worker()
        await keep_four(rich)
        assert office.limiter.active == 4
        await rich.leave()
        assert office.limiter.active == 0
        for _ in range(8):
            poor.call(1)
        await settled()
        assert len(poor.held) == 8
        await poor.leave()

    in_office(program, RateLimits(8))


def test_money_granted_to_somebody_who_is_gone_comes_back():
    """A cancelled task, whoever cancelled it, has no part in what it asked for."""

    async def program(office: Office) -> None:
        worker = await office.worker()
        for until_cancelled in range(4):
            asking = asyncio.create_task(worker.hub.reserve(1.0))
            for _ in range(until_cancelled):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait([asking])
            await settled()
        assert office.coordinator.purse.spent_usd == 0
        assert await worker.hub.reserve(1.0)
        await worker.leave()

    in_office(program, RateLimits(1), budget_usd=1.0)


def test_what_was_said_before_a_death_is_heard_although_the_dead_were_answered():
    async def talk() -> None:
        ours, theirs = socket.socketpair()
        line: Line[ToWorker, ToCoordinator] = await connect(ours, messages.by_workers)
        line.say(messages.Recall(GROUP))
        line.flush()
        said = [messages.Settle(0.5, cost_usd) for cost_usd in (0.1, 0.2, 0.3)]
        for message in said:
            data = msgspec.msgpack.encode([message])
            theirs.sendall(len(data).to_bytes(4, "little") + data)
        theirs.close()
        line.say(messages.Recall(GROUP))
        line.flush()
        assert [message async for batch in line.heard() for message in batch] == said

    asyncio.run(talk())


def test_a_429_is_every_workers_429():
    async def program(office: Office) -> None:
        workers = [await office.worker() for _ in range(2)]
        one, other = workers
        for _ in range(12):
            one.call(1)
            other.call(1)
            await settled()
        assert len(one.held) == len(other.held) == 8
        one.end_call(0, rate_limited=True)
        await settled()
        assert office.limiter.allowed == 8
        for _ in range(7):
            assert len(one.held) == 7
            other.end_call(0)
            await settled()
        assert (len(one.held), len(other.held)) == (7, 1)
        other.end_call(0)
        await settled()
        assert len(one.held) + len(other.held) == 8
        for worker in workers:
            await worker.leave()

    in_office(program, RateLimits(16))


def test_many_small_requests_do_not_starve_a_large_one():
    async def program(office: Office) -> None:
        large, small = await office.worker(), await office.worker()
        office.limiter._sleep = asyncio.sleep
        large.call(60)
        await settled()
        large.call(60)
        await settled()
        office.clock.time_s += 5
        for _ in range(20):
            small.call(1)
        await settled()
        assert (len(large.held), len(small.held)) == (1, 0)
        await small.leave()
        await large.leave()

    in_office(program, RateLimits(64, None, 360))


def test_tokens_that_were_used_count_for_all_workers():
    async def program(office: Office) -> None:
        workers = [await office.worker() for _ in range(4)]
        for worker in workers:
            worker.call(500)
            while not worker.held:
                await settled()
            worker.end_call(0, tokens=1_000)
            await settled()
        assert office.clock.time_s == pytest.approx(25)
        for worker in workers:
            await worker.leave()

    in_office(program, RateLimits(64, None, 6_000))


def test_what_a_dead_worker_reserved_is_booked_as_spent():
    async def program(office: Office) -> None:
        workers = [await office.worker() for _ in range(2)]
        for worker in workers:
            for usd in (0.25, 0.25, 0.5):
                assert await worker.hub.reserve(usd)
        await workers[0].hub.settle(0.25, 0.1)
        await settled()
        await workers[0].die()
        assert office.coordinator.purse.spent_usd == pytest.approx(0.1 + 0.25 + 0.5)
        assert await workers[1].hub.reserve(0.15)
        assert not await workers[1].hub.reserve(1.2)
        await workers[1].leave()

    in_office(program, RateLimits(1), budget_usd=2.0)


def test_a_reservation_waits_for_what_others_do_not_use():
    async def program(office: Office) -> None:
        workers = [await office.worker() for _ in range(3)]
        for worker in workers[:2]:
            assert await worker.hub.reserve(1.0)
        waiting = [asyncio.create_task(worker.hub.reserve(0.8)) for worker in workers]
        await settled()
        assert not any(task.done() for task in waiting)
        assert not await workers[2].hub.reserve(2.5), "this much there will never be"
        await workers[1].hub.settle(1.0, 0.1)
        await settled()
        assert [task.done() for task in waiting] == [True, False, False]
        waiting[1].cancel()
        await workers[2].die()
        await workers[0].hub.settle(1.0, 0.1)
        await settled()
        assert office.coordinator.purse._reserved_usd == pytest.approx(0.8)
        assert await workers[1].hub.reserve(1.0)
        for worker in workers[:2]:
            await worker.leave()

    in_office(program, RateLimits(1), budget_usd=2.0)


def test_money_that_comes_too_late_is_given_back():
    async def program(office: Office) -> None:
        worker = await office.worker()
        for rounds in range(4):
            asking = asyncio.create_task(worker.hub.reserve(1.5))
            for _ in range(rounds):
                await asyncio.sleep(0)
            asking.cancel()
            await settled()
            assert asking.cancelled() or await worker.hub.settle(1.5, None) is None
        await settled()
        assert await worker.hub.reserve(2.0)
        await worker.leave()

    in_office(program, RateLimits(1), budget_usd=2.0)


def test_a_question_that_waits_holds_up_no_other():
    async def program(office: Office) -> None:
        async with AsyncExitStack() as stack:
            worker = await office.worker()
            stack.push_async_callback(worker.leave)
            worker.call(1)
            worker.call(1)
            await settled()
            assert len(worker.held) == 1
            assert await worker.hub.next() is not None
            assert await worker.hub.reserve(0.1)

    in_office(program, RateLimits(1), budget_usd=1.0)


def test_the_episode_that_kills_is_found_and_the_others_end():
    """One of 16 kills its worker whenever it plays; workers play as many as they are given."""

    async def program(office: Office) -> None:
        specs = _specs(episodes=16)
        coordinator = office.coordinator
        coordinator.todo = type(coordinator.todo)(specs)
        deadly, ended, most = specs[5].id, [], Counter[int]()
        while coordinator.todo:
            worker = await office.worker()
            worker.desk._share = 16
            playing = [spec async for spec in handed_out(worker)]
            most[len(playing)] += 1
            if deadly in {spec.id for spec in playing}:
                await worker.die()
                continue
            ended += [spec.id for spec in playing]
            worker.desk.playing.clear()
            await worker.leave()
        assert sorted(ended) == sorted(spec.id for spec in specs if spec.id != deadly)
        assert coordinator.progress.stopped == 1
        assert coordinator.progress.problems == [
            f"episode {deadly} ended its worker process 4 times"
        ]
        assert most == {16: 2, 4: 4, 1: 4}

    in_office(program, RateLimits(1))


async def handed_out(worker: Worker):
    """What a worker gets when nothing it plays ends."""
    asked = [asyncio.create_task(worker.hub.next()) for _ in range(16)]
    await settled()
    for task in asked:
        if task.done() and task.result() is not None:
            yield task.result()
        task.cancel()
