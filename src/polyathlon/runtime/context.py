"""The Context of one role: recorded, replayed, limited ways to models, tools and time."""

from __future__ import annotations

import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

import anyio
import anyio.lowlevel

from polyathlon.core.agents import Access, ToolResult
from polyathlon.core.canonical import JSON, well_formed
from polyathlon.core.chance import Stream
from polyathlon.core.hidden import Hidden, revealed
from polyathlon.core.models import Reply, Request, ToolSchema
from polyathlon.core.world import Brief, Role
from polyathlon.runtime.clock import OBSERVE
from polyathlon.runtime.course import Course
from polyathlon.runtime.modelcalls import ModelCalls
from polyathlon.runtime.recorder import Operation
from polyathlon.runtime.toolcalls import ToolCalls
from polyathlon.runtime.turn import HALTS, Turn, TurnOverdue

R = TypeVar("R")

LEAST_SLEEP_US = 1_000
MAX_SLEEPS_PER_TURN = 100_000


class RoleContext:
    """What stands behind the context of one role of one episode."""

    def __init__(self, course: Course, role: Role, access: Access) -> None:
        self._course = course
        self._access = access
        self._tools = ToolCalls(course, self.complete)
        self._calls = ModelCalls(course, self._tools.deliver)
        self._turn = Turn(course, role, anyio.CancelScope())

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        """The tools as models see them."""
        return self._tools.schemas

    def begin(self, turn: Turn) -> None:
        """A new decision is to be made."""
        self._turn = turn
        self._sleeps = 0

    def now(self) -> float:
        return self._turn.now_us / 1e6

    def state(self) -> JSON:
        if self._access != "privileged":
            raise PermissionError(
                f"an agent of {self._access} access may not read the state: oracles do, whose "
                'access is "privileged"'
            )
        return self._course.env.state()

    async def complete(self, request: Request, model: str, purpose: str = "decide") -> Reply:
        turn = self._turn
        return await self._operation(
            purpose, lambda op: self._calls.complete(turn, op, request, model)
        )

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolResult:
        turn, given = self._turn, well_formed(dict(arguments))
        return await self._operation("tool", lambda op: self._tools.call(turn, op, tool, given))

    async def compute(self, function: Callable[..., R], *arguments: Any) -> R:
        turn = self._turn

        async def run(op: Operation) -> R:
            result = await self._course.services.compute(function, *arguments)
            await turn.landed(op)
            return result

        return await self._operation("compute", run)

    async def sleep(self, seconds: float) -> None:
        await self._operation("sleep", lambda op: self._sleep(op, seconds))

    async def together(self, *strands: Callable[[], Awaitable[R]]) -> list[R]:
        turn, clock = self._turn, self._course.clock
        above = turn.open("together")
        block, left = above.blocks, len(strands)
        above.blocks += 1
        results: dict[int, R] = {}
        errors: dict[int, Exception] = {}

        async def run(number: int) -> None:
            nonlocal left
            try:
                with turn.inside(f"{above.path}{block}.{number}/"):
                    results[number] = await strands[number]()
            except Exception as error:
                errors[number] = error
            finally:
                left -= 1
                if left:
                    clock.leave()

        clock.enter(max(0, left - 1))
        try:
            async with anyio.create_task_group() as group:
                for number in range(len(strands)):
                    group.start_soon(run, number)
        finally:
            above.open = ""
        if errors:
            raise errors[min(errors)]
        return [results[number] for number in range(len(strands))]

    async def _operation(self, purpose: str, run: Callable[[Operation], Awaitable[R]]) -> R:
        """Run one operation. What halts the turn cancels the agent, so that catching it is vain."""
        turn = self._turn
        op = turn.begin(purpose)
        try:
            return await run(op)
        except HALTS as error:
            await turn.halted(op, error)
            raise
        finally:
            turn.end(op)

    async def _sleep(self, op: Operation, seconds: float) -> None:
        course = self._course
        await anyio.lowlevel.checkpoint()
        self._sleeps += 1
        if self._sleeps > MAX_SLEEPS_PER_TURN and course.exact:
            raise RuntimeError(f"more than {MAX_SLEEPS_PER_TURN} sleeps in one turn")
        length_us = max(round(seconds * 1e6), LEAST_SLEEP_US)
        await self._turn.wait(course.clock.now_us() + length_us, OBSERVE)
        await self._turn.landed(op)
        if course.over_now():
            raise TurnOverdue


class AgentContext:
    """core.agents.Context as an agent holds it: no attribute leads on to the episode.

    The session holds the context behind it, and so an agent that keeps this keeps no episode.
    """

    __slots__ = ("_behind", "brief", "rng", "role", "spec", "tools")

    def __init__(self, behind: RoleContext, course: Course, role: Role, rng: Stream) -> None:
        self.role = role
        self.spec = course.env.spec
        self.brief: Brief = course.env.brief(role)
        self.rng = rng
        self.tools: tuple[ToolSchema, ...] = behind.tools
        self._behind = Hidden(weakref.ref(behind))

    def complete(
        self, request: Request, model: str, purpose: str = "decide"
    ) -> Coroutine[Any, Any, Reply]:
        return _context(self._behind).complete(request, model, purpose)

    def call(self, tool: str, arguments: Mapping[str, JSON]) -> Coroutine[Any, Any, ToolResult]:
        return _context(self._behind).call(tool, arguments)

    def together(self, *strands: Callable[[], Awaitable[R]]) -> Coroutine[Any, Any, list[R]]:
        return _context(self._behind).together(*strands)

    def compute(self, function: Callable[..., R], *arguments: Any) -> Coroutine[Any, Any, R]:
        return _context(self._behind).compute(function, *arguments)

    def sleep(self, seconds: float) -> Coroutine[Any, Any, None]:
        return _context(self._behind).sleep(seconds)

    def now(self) -> float:
        return _context(self._behind).now()

    def state(self) -> JSON:
        return _context(self._behind).state()


def _context(behind: Hidden[weakref.ref[RoleContext]]) -> RoleContext:
    context = revealed(behind)()
    if context is None:
        raise RuntimeError("the episode of this context is over")
    return context
