"""Tool calls as operations: written down before they start, served on replay."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from itertools import takewhile

import msgspec

from polyathlon.core import trace
from polyathlon.core.agents import ToolResult
from polyathlon.core.canonical import JSON, well_formed
from polyathlon.core.models import Reply, Thread, ToolSchema
from polyathlon.core.parts import Part, Text
from polyathlon.runtime.course import Course, wall_at
from polyathlon.runtime.recorder import EndOfTrace, OfOperation, Operation, operation
from polyathlon.runtime.toolhost import ToolHost
from polyathlon.runtime.turn import Turn, TurnOverdue, inner_path


class ToolCalls:
    """Runs the tools of one role; `complete` asks models for them."""

    def __init__(self, course: Course, complete: Callable[..., Awaitable[Reply]]) -> None:
        names = course.env.spec.tools
        self._course = course
        self._host = ToolHost({name: course.services.tool(name) for name in names}, complete)
        self._media: dict[str, Part] = {}
        self._shown: set[str] = set()

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """The tools as models see them."""
        return self._host.schemas

    def deliver(self, thread: Thread) -> None:
        """Note what the role has been shown: media tools may use nothing else."""
        if not self.schemas:
            return
        for node in list(takewhile(lambda n: n.hash not in self._shown, thread.nodes())):
            self._shown.add(node.hash)
            self._grant(node.message.parts)

    async def call(
        self, turn: Turn, op: Operation, tool: str, arguments: Mapping[str, JSON]
    ) -> ToolResult:
        """What a tool answers; its faults are errors of the result."""
        course = self._course
        issued_us = course.clock.now_us()
        used = course.recorder.used(op)
        starts = course.recorder.starts(op)
        if used is None and not starts:
            await turn.cut()
        if not await course.clock.at(("Using", *op)):
            raise TurnOverdue
        sent_us = self._say(op, tool, arguments)
        if used is None:
            result, ended = await self._live(turn, op, tool, arguments, len(starts))
        else:
            result, ended = await self._served(op, used)
        self._grant(result.parts)
        course.meter.spend(result.usage, result.cost_usd)
        issued_us = issued_us if course.exact else sent_us
        await turn.land(op, issued_us, ended.latency_s, ended.time_us)
        return result

    async def _served(self, op: Operation, used: trace.Used) -> tuple[ToolResult, trace.Used]:
        """What the recording holds; what the tool did itself has happened again by that."""
        course = self._course
        self._count(course.recorder.within(op.role, op.turn, inner_path(op)))
        await course.clock.at(("Used", *op))
        course.recorder.emit(used)
        parts = tuple(map(course.services.load, used.parts))
        return ToolResult(parts, used.error, used.usage, used.cost_usd), used

    def _count(self, inner: list[OfOperation]) -> None:
        """Add what a tool used itself; its calls that were cut off cost the most they could."""
        meter = self._course.meter
        most_usd: dict[Operation, float | None] = {}
        in_flight: dict[Operation, float | None] = {}
        for event in inner:
            match event:
                case trace.Called():
                    meter.calls += 1
                    most_usd[operation(event)] = in_flight[operation(event)] = event.most_usd
                case trace.Retried():
                    in_flight[operation(event)] = most_usd.get(operation(event))
                case trace.Attempted():
                    in_flight.pop(operation(event), None)
                    meter.attempts += 1
                    if event.reply is not None:
                        meter.count(event.reply)
                case trace.Interrupted():
                    meter.interrupted(event.booked_usd)
                case trace.Used():
                    meter.spend(event.usage, event.cost_usd)
        for most in in_flight.values():
            meter.book(most)

    async def _live(
        self, turn: Turn, op: Operation, tool: str, arguments: Mapping[str, JSON], starts: int
    ) -> tuple[ToolResult, trace.Used]:
        """What a tool answers now, kept, and how that is recorded."""
        course = self._course
        await turn.cut()
        if not await course.clock.at(("Used", *op)):
            raise TurnOverdue
        if course.replay_only:
            raise EndOfTrace(f"the trace holds no result of {tool} of {op.role}, turn {op.turn}")
        turn.go_live()
        if starts:
            cut_off = trace.Interrupted(*op[:2], op.purpose, op.ordinal, starts, op.path)
            course.recorder.emit(cut_off)
        start_s = course.services.clock_s()
        with turn.inside(inner_path(op)):
            result = await self._host.run(tool, arguments, op.ordinal, self._media)
        latency_s = course.services.clock_s() - start_s
        result = msgspec.structs.replace(
            result, parts=tuple(map(_sayable, result.parts)), error=well_formed(result.error)
        )
        await course.keep(result.parts)
        used = trace.Used(
            op.role,
            op.turn,
            op.ordinal,
            tool,
            {},
            tuple(map(trace.ref, result.parts)),
            result.error,
            latency_s,
            op.path,
            course.lands_us(latency_s),
            result.usage,
            result.cost_usd,
        )
        course.recorder.emit(used)
        return result, used

    def _say(self, op: Operation, tool: str, arguments: Mapping[str, JSON]) -> int:
        now_us = self._course.clock.now_us()
        self._course.recorder.emit(
            trace.Using(op.role, op.turn, op.ordinal, tool, arguments, op.path, now_us, wall_at())
        )
        return now_us

    def _grant(self, parts: tuple[Part, ...]) -> None:
        self._media.update({p.digest: p for p in parts if not isinstance(p, Text)})


def _sayable(part: Part) -> Part:
    return well_formed(part) if isinstance(part, Text) else part
