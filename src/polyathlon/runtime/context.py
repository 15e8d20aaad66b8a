"""The Context of one role: recorded, replayed, limited ways to models, tools and time."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio
import anyio.lowlevel
import msgspec

from polyathlon.core import trace
from polyathlon.core.agents import ToolResult
from polyathlon.core.canonical import JSON, well_formed
from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError
from polyathlon.core.models import CallFailed, Model, Reply, Request, Thread, ToolSchema
from polyathlon.core.parts import Part, Text
from polyathlon.core.tools import Tool
from polyathlon.core.world import Brief, Role
from polyathlon.runtime.caller import Attempt, Caller
from polyathlon.runtime.clock import ACT, OBSERVE
from polyathlon.runtime.limits import BudgetReached, LimitReached, most_usd
from polyathlon.runtime.recorder import EndOfTrace
from polyathlon.runtime.toolhost import ToolHost

if TYPE_CHECKING:
    from polyathlon.runtime.session import Session

R = TypeVar("R")

LEAST_SLEEP_US = 1_000
MAX_SLEEPS_PER_TURN = 100_000


class TurnOverdue(Exception):
    """The decision's deadline, or the end of the world, came while the agent waited."""


HALTS = (UserError, EndOfTrace, BudgetReached, LimitReached, TurnOverdue)


class Compute(Protocol):
    """Runs pure functions, in this process or in a pool."""

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R: ...


class Services(msgspec.Struct):
    """What episodes of one run share.

    `reserve` asks for the money of a call (None: no money limit) and `settle` says what it cost;
    `store` keeps a medium and `load`
    gives back what a trace names; `clock_s` is a monotonic clock in seconds.
    """

    model: Callable[[str], Model]
    caller: Caller
    tool: Callable[[str], Tool]
    compute: Compute
    store: Callable[[Part], None]
    load: Callable[[trace.Ref], Part]
    clock_s: Callable[[], float]
    reserve: Callable[[float], Awaitable[bool]] | None = None
    settle: Callable[[float, float | None], Awaitable[None]] | None = None


class RoleContext:
    """core.agents.Context for one role of one episode.

    `halt` is what ended the turn before the agent decided; an agent that catches it is cancelled.
    """

    def __init__(self, session: Session, role: Role, rng: Stream, privileged: bool) -> None:
        self.role = role
        self.spec = session.env.spec
        self.brief: Brief = session.env.brief(role)
        self.rng = rng
        self.media: dict[str, Part] = {}
        self.halt: Exception | None = None
        self._session = session
        self._privileged = privileged
        self._seat = session.env.spec.roles.index(role)
        self._tools = ToolHost({n: session.services.tool(n) for n in session.env.spec.tools})
        self.tools: tuple[ToolSchema, ...] = self._tools.schemas
        self._ordinals: Counter[str] = Counter()
        self._delivered: set[str] = set()

    def begin_turn(
        self, scope: anyio.CancelScope, deadline_us: int | None, wall_s: float | None
    ) -> None:
        """Reset what counts per turn.

        `scope` holds the agent. A turn ends when episode time passes `deadline_us`, or `wall_s`
        after its first live call.
        """
        self._ordinals.clear()
        self._sleeps = 0
        self.halt = None
        self._scope, self._deadline_us, self._wall_s = scope, deadline_us, wall_s

    def now(self) -> float:
        return self._session.clock.now_us() / 1e6

    def state(self) -> JSON:
        if not self._privileged:
            raise PermissionError("only privileged agents (oracles) may read the state")
        return self._session.env.state()

    async def sleep(self, seconds: float) -> None:
        session = self._session
        async with self._halting():
            await anyio.lowlevel.checkpoint()
            self._sleeps += 1
            if self._sleeps > MAX_SLEEPS_PER_TURN and session.exact:
                raise RuntimeError(f"more than {MAX_SLEEPS_PER_TURN} sleeps in one turn")
            length_us = max(round(seconds * 1e6), LEAST_SLEEP_US)
            await self._wait_until(session.clock.now_us() + length_us, OBSERVE)
            if session.over_now():
                raise TurnOverdue

    async def compute(self, function: Callable[..., R], *arguments: Any) -> R:
        return await self._session.services.compute(function, *arguments)

    async def complete(self, request: Request, model: str, purpose: str = "decide") -> Reply:
        async with self._halting():
            return await self._complete(request, model, purpose)

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolResult:
        async with self._halting():
            return await self._call(tool, well_formed(dict(arguments)))

    @asynccontextmanager
    async def _halting(self) -> AsyncIterator[None]:
        """Cancel the agent on what ends its turn, so that it cannot go on by catching it."""
        try:
            yield
        except HALTS as error:
            self.halt = self.halt or error
            self._scope.cancel()
            await anyio.lowlevel.checkpoint()
            raise

    async def _complete(self, request: Request, model: str, purpose: str) -> Reply:
        session = self._session
        await self._keep_media(request.thread)
        issued_us = session.clock.now_us()
        called = self._called(request, model, purpose, issued_us)
        self._admit(called)
        session.meter.calls += 1
        self._record(called, request.thread)
        attempts = session.recorder.attempts(called)
        for attempt in attempts:
            session.meter.attempts += 1
            session.recorder.emit(attempt)
        final = next((attempt for attempt in attempts if attempt.final), None)
        if final is None:
            if self._overdue():
                raise TurnOverdue
            final = await self._call_live(request, called, len(attempts))
        if final.reply is not None:
            session.meter.count(final.reply)
        latency_s = session.spec.scheduler.latency_s
        latency_s = final.latency_s if latency_s is None else latency_s
        await self._wait_until(issued_us + round(latency_s * 1e6), ACT)
        if final.reply is None:
            raise CallFailed(final.cause, final.detail)
        return final.reply

    async def _call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolResult:
        session = self._session
        turn, ordinal = session.turn(self.role), self._ordinals["tool"]
        self._ordinals["tool"] += 1
        issued_us = session.clock.now_us()
        recorded = session.recorder.used(self.role, turn, ordinal)
        if recorded is not None:
            result = ToolResult(tuple(map(session.services.load, recorded.parts)), recorded.error)
            used = msgspec.structs.replace(recorded, name=tool, arguments=arguments)
        else:
            result, elapsed_s = await self._use_live(tool, arguments, ordinal)
            refs = tuple(trace.ref(part) for part in result.parts)
            used = trace.Used(
                self.role, turn, ordinal, tool, arguments, refs, result.error, elapsed_s
            )
        session.recorder.emit(used)
        self.media.update({part.digest: part for part in result.parts})
        await self._wait_until(issued_us + round(used.latency_s * 1e6), ACT)
        return result

    async def _use_live(
        self, tool: str, arguments: Mapping[str, JSON], ordinal: int
    ) -> tuple[ToolResult, float]:
        """What a tool answers now, kept, and the seconds it took."""
        session = self._session
        if self._overdue():
            raise TurnOverdue
        if session.replay_only:
            raise EndOfTrace(f"the trace holds no result of {tool} at {session.turn(self.role)}")
        self._start_deadline()
        start_s = session.services.clock_s()
        result = await self._tools.run(tool, arguments, ordinal, self.media)
        elapsed_s = session.services.clock_s() - start_s
        result = ToolResult(tuple(map(_sayable, result.parts)), well_formed(result.error))
        await session.keep(result.parts)
        return result, elapsed_s

    def _called(self, request: Request, model: str, purpose: str, time_us: int) -> trace.Called:
        session = self._session
        ordinal = self._ordinals[purpose]
        self._ordinals[purpose] += 1
        return trace.Called(
            self.role,
            session.turn(self.role),
            purpose,
            ordinal,
            model,
            request.hash(model),
            request.thread.hash,
            request.sampling,
            time_us if session.spec.scheduler.kind != "realtime" else 0,
        )

    def _admit(self, called: trace.Called) -> None:
        """Raises what forbids a call: the recorded end of its turn, or a limit of the episode."""
        session = self._session
        if session.recorder.holds(called):
            return
        if self._overdue():
            raise TurnOverdue
        ended = session.recorder.ended()
        for limit in (session.stop, ended.cause if ended else None):
            if limit is not None and limit.startswith("limit:"):
                raise LimitReached(limit.removeprefix("limit:"))
        session.meter.check_call()

    async def _keep_media(self, thread: Thread) -> None:
        for node in self._undelivered(thread):
            await self._session.keep(node.message.parts)

    def _record(self, called: trace.Called, thread: Thread) -> None:
        session = self._session
        self._deliver(thread)
        fresh = list(takewhile(lambda n: not session.recorder.said(n.hash), thread.nodes()))
        for node in reversed(fresh):
            parent = "" if node.parent is None else node.parent.hash
            session.recorder.emit(trace.said(node.message, node.hash, parent))
        session.recorder.emit(called)

    def _overdue(self) -> bool:
        session = self._session
        return session.recorder.overdue(self.role, session.turn(self.role))

    def _start_deadline(self) -> None:
        """A turn that is resumed has its whole time from its first live call on."""
        if self._wall_s is not None and self._scope.deadline == math.inf:
            self._scope.deadline = anyio.current_time() + self._wall_s

    def _deliver(self, thread: Thread) -> None:
        """Note what the role has been shown: media tools may use nothing else."""
        for node in list(self._undelivered(thread)):
            self._delivered.add(node.hash)
            if self.tools:
                media = [part for part in node.message.parts if not isinstance(part, Text)]
                self.media.update({part.digest: part for part in media})

    def _undelivered(self, thread: Thread) -> Iterator[Thread]:
        """The threads that end in each message new to the role, newest first."""
        return takewhile(lambda n: n.hash not in self._delivered, thread.nodes())

    async def _call_live(
        self, request: Request, called: trace.Called, before: int
    ) -> trace.Attempted:
        session = self._session
        if session.replay_only:
            raise EndOfTrace(f"the trace holds no reply to {called.purpose} at {called.turn}")
        self._start_deadline()
        model = session.services.model(called.model)
        reserved = await self._reserve(model, request)
        ended: list[trace.Attempted] = []

        def on_attempt(attempt: Attempt) -> None:
            event = trace.Attempted(
                called.role,
                called.turn,
                called.purpose,
                called.ordinal,
                before + attempt.number,
                attempt.final,
                attempt.reply,
                attempt.cause,
                attempt.detail,
                attempt.wall_at,
                attempt.wall_s,
                0.0 if attempt.reply is None else attempt.reply.latency_s,
            )
            session.meter.attempts += 1
            session.recorder.emit(event)
            ended.append(event)

        cost: float | None = None
        try:
            reply = await session.services.caller.call(model, request, on_attempt)
            cost = reply.cost_usd
        except CallFailed:
            if not ended or not ended[-1].final:
                raise
        finally:
            await self._settle(reserved, cost)
        return ended[-1]

    async def _reserve(self, model: Model, request: Request) -> float | None:
        ask = self._session.services.reserve
        if ask is None:
            return None
        most = most_usd(model, request)
        if not await ask(most):
            raise BudgetReached
        return most

    async def _settle(self, reserved_usd: float | None, cost_usd: float | None) -> None:
        tell = self._session.services.settle
        if reserved_usd is not None and tell is not None:
            with anyio.CancelScope(shield=True):
                await tell(reserved_usd, cost_usd)

    async def _wait_until(self, time_us: int, order: int) -> None:
        clock = self._session.clock
        if self._deadline_us is not None and time_us > self._deadline_us:
            await clock.until(self._deadline_us, order, self._seat)
            raise TurnOverdue
        await clock.until(time_us, order, self._seat)


async def inline(function: Callable[..., R], *arguments: Any) -> R:
    """A Compute that runs in this process."""
    result: R | Awaitable[R] = function(*arguments)
    assert not inspect.isawaitable(result)
    return result


def _sayable(part: Part) -> Part:
    return well_formed(part) if isinstance(part, Text) else part
