"""Schedulers: who acts when, and how time passes between."""

from __future__ import annotations

import anyio

from polyathlon.core.agents import Decision
from polyathlon.core.world import Role
from polyathlon.runtime.clock import OBSERVE, FrozenClock
from polyathlon.runtime.session import Session

DEFAULT_TICK_US = 1_000


async def turns(session: Session) -> None:
    """Pending roles act; several pending roles see the same moment and act in seat order.

    In a clocked world a round takes `dt_s`, or the env's tick.
    """
    clocked = session.env.spec.clock == "real"
    while not session.over():
        pending = session.env.pending()
        await _round(session, pending)
        if clocked or not pending:
            _pass(session, _step_us(session))


async def stepped(session: Session) -> None:
    """The clock stands while anyone thinks; each act of the first role buys `dt_s` seconds."""
    while not session.over():
        pending = session.env.pending()
        for role in pending:
            if not session.over():
                await session.turn_of(role)
            if role == session.env.spec.roles[0]:
                _pass(session, _step_us(session))
        if not pending or session.env.spec.roles[0] not in pending:
            _pass(session, _step_us(session))


async def realtime(session: Session) -> None:
    """Every role loops on its own; the world's time is the session's clock, wall or virtual."""
    for _ in session.env.spec.roles:
        session.clock.enter()
    async with anyio.create_task_group() as group:
        for seat, role in enumerate(session.env.spec.roles):
            group.start_soon(_loop, session, role, seat)


async def _loop(session: Session, role: Role, seat: int) -> None:
    """Look, decide, act, let a tick pass so that the next look shows what the act did.

    A role that fails does not leave the clock: time stands still while the others end.
    """
    tick_us = session.env.spec.tick_us or DEFAULT_TICK_US
    clock = session.clock
    await clock.until(clock.now_us(), OBSERVE, seat)
    while not session.over_now():
        if role in session.env.pending():
            obs = session.observe(role)
            decision = await session.decide(role, obs)
            if session.over_now():
                break
            session.act(role, obs, decision)
        await clock.until(clock.now_us() + tick_us, OBSERVE, seat)
    clock.leave()


async def _round(session: Session, pending: tuple[Role, ...]) -> None:
    """Everybody decides, then all act; a fault of one lets the others' calls come to their end."""
    if len(pending) == 1:
        await session.turn_of(pending[0])
        return
    seen = {role: session.observe(role) for role in pending}
    decided: dict[Role, Decision] = {}
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
        session.act(role, seen[role], decided[role])


def _step_us(session: Session) -> int:
    dt_s = session.spec.scheduler.dt_s
    return round(dt_s * 1e6) or session.env.spec.tick_us or DEFAULT_TICK_US


def _pass(session: Session, step_us: int) -> None:
    clock = session.clock
    assert isinstance(clock, FrozenClock)
    if not session.over():
        clock.time_us += step_us
        session.advance(clock.time_us)


SCHEDULERS = {"turns": turns, "stepped": stepped, "realtime": realtime, "virtual": realtime}
