import anyio

from polyathlon.runtime.clock import ACT, OBSERVE, VirtualClock


class Still:
    """A world that never changes by itself."""

    def next_event_us(self):
        return None

    def advance(self, time_us):
        raise AssertionError("nothing was due")

    def over(self):
        return False


def _simulate(*loops):
    clock, log = VirtualClock(Still()), []

    async def main():
        for _ in loops:
            clock.enter()
        async with anyio.create_task_group() as group:
            for seat, steps in enumerate(loops):
                group.start_soon(loop, seat, steps)

    async def loop(seat, steps):
        try:
            for time_us, order in steps:
                await clock.until(time_us, order, seat)
                log.append((clock.now_us(), seat, order))
        finally:
            clock.leave()

    anyio.run(main)
    return log


def test_the_earliest_waiter_runs_first():
    log = _simulate([(9_300, ACT)], [(500, OBSERVE), (1_000, OBSERVE), (10_000, OBSERVE)])
    assert [entry[0] for entry in log] == [500, 1_000, 9_300, 10_000]


def test_ties_go_by_order_and_then_by_seat():
    log = _simulate([(5, OBSERVE)], [(5, OBSERVE)], [(5, ACT)])
    assert log == [(5, 2, ACT), (5, 0, OBSERVE), (5, 1, OBSERVE)]


def test_time_never_goes_back():
    assert _simulate([(10, ACT), (3, ACT)]) == [(10, 0, ACT), (10, 0, ACT)]


def test_real_work_does_not_move_virtual_time():
    clock = VirtualClock(Still())
    seen = []

    async def busy():
        await anyio.sleep(0.02)
        seen.append(("busy", clock.now_us()))
        clock.leave()

    async def waits():
        await clock.until(1, ACT, 1)
        seen.append(("waited", clock.now_us()))
        clock.leave()

    async def main():
        clock.enter()
        clock.enter()
        async with anyio.create_task_group() as group:
            group.start_soon(waits)
            group.start_soon(busy)

    anyio.run(main)
    assert seen == [("busy", 0), ("waited", 1)]


def test_a_cancelled_waiter_does_not_stop_the_others():
    clock, seen = VirtualClock(Still()), []

    async def cancelled():
        with anyio.move_on_after(0.01):
            await clock.until(100, ACT, 0)
        clock.leave()

    async def stubborn():
        await anyio.sleep(0.03)
        await clock.until(200, ACT, 1)
        seen.append(clock.now_us())
        clock.leave()

    async def main():
        clock.enter()
        clock.enter()
        async with anyio.create_task_group() as group:
            group.start_soon(cancelled)
            group.start_soon(stubborn)

    anyio.run(main)
    assert seen == [200]
