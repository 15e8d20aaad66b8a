"""Schedulers: who acts when, and how time passes between."""

from __future__ import annotations

import anyio

from polyathlon.core.agents import Decision
from polyathlon.core.errors import UserError
from polyathlon.core.world import Role
from polyathlon.runtime.clock import LAST, OBSERVE, FrozenClock, WallClock
from polyathlon.runtime.recorded import END
from polyathlon.runtime.recorder import EndOfTrace
from polyathlon.runtime.session import Session

DEFAULT_TICK_US = 1_000
GRACE_US = 5_000_000
"""How long after the world's end what is in flight may still come in, recorded without effect."""


async def turns(session: Session) -> None:
    """Pending roles act; several pending roles see the same moment and act in seat order.

    In a clocked world a round takes `dt_s`, or the env's tick.
    """
    course = session.course
    clocked = course.env.spec.clock == "real"
    while not course.over():
        pending = course.env.pending()
        if not all(map(course.may_begin, pending)):
            break
        await _round(session, pending)
        if clocked or not pending:
            _pass(session)


async def stepped(session: Session) -> None:
    """The clock stands while anyone thinks; each act of the role that buys time buys `dt_s`."""
    course = session.course
    buyer = course.env.spec.buyer
    while not course.over():
        pending = course.env.pending()
        for role in pending:
            if course.may_begin(role):
                await session.turn_of(role)
            if role == buyer:
                _pass(session)
        if buyer not in pending:
            _pass(session)


async def realtime(session: Session) -> None:
    """Every role loops on its own; the world's time is the session's clock, wall or virtual."""
    course = session.course
    clock, roles = course.clock, course.env.spec.roles
    playing = len(roles)

    async def play(seat: int) -> None:
        """Simulated time ends with the last player; one that fails lets it stand still."""
        nonlocal playing
        await _loop(session, roles[seat], seat)
        playing -= 1
        if playing:
            clock.leave()

    clock.enter(playing)
    async with anyio.create_task_group() as beside:
        if not course.recorder.idles:
            clock.enter()
            beside.start_soon(_cut_off, session)
        if isinstance(clock, WallClock):
            beside.start_soon(_tend, session, clock)
        async with anyio.create_task_group() as players:
            for seat in range(len(roles)):
                players.start_soon(play, seat)
        beside.cancel_scope.cancel()


async def recorded(session: Session) -> None:
    """A wall-clock game again, in the order and at the times of its recording."""
    clock, roles = session.course.clock, session.course.env.spec.roles
    clock.enter(len(roles))

    async def play(role: Role) -> None:
        """A fault ends the game when it did, after what others did meanwhile."""
        try:
            await _loop_again(session, role)
        except (UserError, EndOfTrace):
            raise
        except Exception:
            await clock.at(END)
            raise

    async with anyio.create_task_group() as players:
        for role in roles:
            players.start_soon(play, role)


async def _loop(session: Session, role: Role, seat: int) -> None:
    """Look, decide, act, rest so that the next look shows what the act did."""
    course = session.course
    clock, spec = course.clock, course.env.spec
    pause_us = spec.pause_us or spec.tick_us or DEFAULT_TICK_US

    async def pause() -> None:
        await clock.until(clock.now_us() + pause_us, OBSERVE, seat)

    async def change() -> None:
        await clock.change(seat)

    idle = pause if course.recorder.idles else change
    await clock.until(clock.now_us(), OBSERVE, seat)
    while not course.over_now():
        if role not in course.env.pending():
            await idle()
            continue
        if not course.may_begin(role):
            break
        obs = session.observe(role)
        decision = await session.decide(role, obs)
        if course.over_now():
            if decision is not None:
                session.come_late(role, obs, decision)
            break
        if decision is not None:
            session.act(role, obs, decision)
        await pause()


async def _loop_again(session: Session, role: Role) -> None:
    course = session.course
    clock = course.clock
    while await clock.at(("Observed", role, course.turns[role])):
        obs = session.observe(role)
        decision = await session.decide(role, obs)
        if decision is None:
            break
        late = course.recorder.late(role, course.turns[role])
        if not await clock.at(("Late" if late else "Acted", role, course.turns[role])):
            break
        if late:
            session.come_late(role, obs, decision)
            break
        session.act(role, obs, decision)
    course.may_begin(role)
    clock.leave()


async def _cut_off(session: Session) -> None:
    """After the world's end, and a grace, end the decisions that are still being made."""
    course = session.course
    while not course.over():
        await course.clock.change(-1)
    await course.clock.until(course.clock.now_us() + GRACE_US, LAST, -1)
    await session.cut()
    course.clock.leave()


async def _tend(session: Session, clock: WallClock) -> None:
    """Let a world on the wall's clock come to its own events, whoever may be thinking."""
    course = session.course
    while not course.over():
        due_us = course.next_event_us()
        await clock.change_or(due_us)
        if due_us is not None and clock.now_us() >= due_us:
            course.advance(clock.now_us())


async def _round(session: Session, pending: tuple[Role, ...]) -> None:
    """Everybody decides, then all act; a fault of one lets the others' calls come to their end."""
    if len(pending) == 1:
        await session.turn_of(pending[0])
        return
    seen = {role: session.observe(role) for role in pending}
    decided: dict[Role, Decision | None] = {}
    faults: dict[Role, Exception] = {}

    async def decide(role: Role) -> None:
        try:
            decided[role] = await session.decide(role, seen[role])
        except Exception as fault:
            faults[role] = fault

    async with anyio.create_task_group() as group:
        for role in pending:
            group.start_soon(decide, role)
    if faults:
        raise ExceptionGroup("a round", [faults[role] for role in pending if role in faults])
    for role in pending:
        decision = decided[role]
        if decision is not None:
            session.act(role, seen[role], decision)


def _pass(session: Session) -> None:
    """Let a step of time pass: `dt_s`, or the env's tick."""
    course = session.course
    clock, tick_us = course.clock, course.env.spec.tick_us
    assert isinstance(clock, FrozenClock)
    if not course.over():
        clock.time_us += round(course.spec.scheduler.dt_s * 1e6) or tick_us or DEFAULT_TICK_US
        course.advance(clock.time_us)


SCHEDULERS = {"turns": turns, "stepped": stepped, "realtime": realtime, "virtual": realtime}
