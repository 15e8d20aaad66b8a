"""Model calls as operations: admitted, written down before they start, served on replay."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import anyio
import msgspec

from polyathlon.core import trace
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.models import CallFailed, Model, Reply, Request, Thread
from polyathlon.runtime.caller import Attempt
from polyathlon.runtime.course import Course, wall_at
from polyathlon.runtime.limits import BudgetReached, LimitReached, most_usd
from polyathlon.runtime.recorder import EndOfTrace, Operation
from polyathlon.runtime.turn import EXHAUSTED, Turn, TurnOverdue

SEEDS = 2**31
"""Derived sampling seeds lie below this, which every server takes."""


class ModelCalls:
    """Makes the model calls of one role; `deliver` is told what the role has been shown."""

    def __init__(self, course: Course, deliver: Callable[[Thread], None]) -> None:
        self._course = course
        self._deliver = deliver
        self._kept: set[str] = set()

    async def complete(self, turn: Turn, op: Operation, request: Request, model: str) -> Reply:
        """The reply to a request. Raises CallFailed when every attempt failed."""
        course = self._course
        issued_us = course.clock.now_us()
        call = _Call(course, turn, op, self._seeded(op, request), model)
        if call.recorded is None:
            await turn.cut()
            to_come = await course.clock.at(("Called", *op))
            self._admit(turn)
            if not to_come:
                raise TurnOverdue
        await self._keep(request.thread)
        self._deliver(request.thread)
        final = await call.made()
        latency_s = course.modelled_s(final.latency_s)
        await turn.land(op, issued_us if course.exact else call.sent_us, latency_s, final.time_us)
        if final.reply is None:
            raise CallFailed(final.cause, final.detail)
        return final.reply

    def _seeded(self, op: Operation, request: Request) -> Request:
        """The request with a sampling seed of its own, drawn from the one that was asked for.

        What a branch copied keeps the seed that its parent drew.
        """
        sampling, recorder = request.sampling, self._course.recorder
        if sampling.seed is None or not recorder.derives_seeds:
            return request
        copied = recorder.copied(op)
        seed = self._drawn(op, sampling.seed) if copied is None else copied.sampling.seed
        sampling = msgspec.structs.replace(sampling, seed=seed)
        return msgspec.structs.replace(request, sampling=sampling)

    def _drawn(self, op: Operation, asked: int) -> int:
        spec = self._course.spec
        branch = "" if spec.branch is None else digest(spec.branch)
        place = (spec.env, spec.level, spec.attempt, asked, branch)
        return stream(spec.seed, "sampling", *place, *op).below(SEEDS)

    def _admit(self, turn: Turn) -> None:
        """Raises what forbids a call that no recording holds."""
        course = self._course
        if isinstance(turn.halt, EXHAUSTED):
            raise turn.halt
        ended = course.recorder.ended()
        for limit in (course.stop, ended.cause if ended else None):
            if limit is not None and limit.startswith("limit:"):
                raise LimitReached(limit.removeprefix("limit:"))
        if not course.timeless and course.over():
            raise TurnOverdue
        course.meter.check_call()

    async def _keep(self, thread: Thread) -> None:
        """Keep the media of messages new to the role before the trace names them."""
        for node in list(takewhile(lambda n: n.hash not in self._kept, thread.nodes())):
            await self._course.keep(node.message.parts)
            self._kept.add(node.hash)


class _Call:
    """One model call; what the recording holds of it comes first.

    `_before` attempts are recorded. `_open` says that one has started and not ended, and `_times`
    how often a kill cut off one such. A call that waits to be sent for the first time is `_queued`.
    It was sent at `sent_us`.
    """

    def __init__(
        self, course: Course, turn: Turn, op: Operation, request: Request, model: str
    ) -> None:
        self.recorded = course.recorder.called(op)
        self._course, self._turn, self._op = course, turn, op
        self._request, self._model = request, model
        self._most_usd = self.recorded.most_usd if self.recorded else None
        self._before = self._times = self.sent_us = 0
        self._open = self._queued = False
        self._final: trace.Attempted | None = None

    async def made(self) -> trace.Attempted:
        """The attempt that decided the call: the recorded one, or one that is made now."""
        meter = self._course.meter
        try:
            if self.recorded is not None:
                await self._serve(self.recorded)
            final = self._final or await self._live()
        finally:
            if self._open and self._course.recorder.books:
                meter.book(self._most_usd)
        if final.reply is not None:
            meter.count(final.reply)
        return final

    async def _serve(self, recorded: trace.Called) -> None:
        """Let happen again what the recording holds of the call."""
        course, recorder, op = self._course, self._course.recorder, self._op
        await course.clock.at(("Called", *op))
        course.meter.calls += 1
        self._say(recorded.most_usd)
        starts = recorder.starts(op)
        for start in starts:
            if isinstance(start, trace.Interrupted):
                self._times += 1
                course.meter.interrupted(start.booked_usd)
        attempts = recorder.attempts(op)
        self._before = len(attempts)
        self._open = len(starts) - self._times > len(attempts)
        for attempt in attempts:
            if attempt.final:
                await course.clock.at(("Attempted", *op, attempt.number))
                self._final = attempt
            course.meter.attempts += 1
            recorder.emit(attempt)

    async def _live(self) -> trace.Attempted:
        course, op = self._course, self._op
        await self._turn.cut()
        if not await course.clock.at(("Attempted", *op, self._before + 1)):
            raise TurnOverdue
        if course.replay_only:
            raise EndOfTrace(f"the trace holds no reply to {op.purpose} of {op.role}, {op.turn}")
        self._turn.go_live()
        model = course.services.model(self._model)
        if self.recorded is None:
            self._most_usd = most_usd(model, self._request)
        reserved_usd = await self._reserve(model)
        cost_usd: float | None = None
        self._queue(self.recorded is None)
        try:
            caller = course.services.caller
            reply = await caller.call(model, self._request, self._ended, self._started)
            cost_usd = reply.cost_usd
        except CallFailed:
            if self._final is None:
                raise
        finally:
            self._queue(False)
            await self._settle(reserved_usd, self._most_usd if self._open else cost_usd)
        assert self._final is not None
        return self._final

    def _queue(self, queued: bool) -> None:
        self._course.meter.queued += queued - self._queued
        self._queued = queued

    def _started(self, number: int) -> None:
        """An attempt is about to be sent."""
        course, op = self._course, self._op
        of = (op.role, op.turn, op.purpose, op.ordinal)
        if self._open:
            self._times += 1
            course.meter.interrupted(self._most_usd)
            cut_off = trace.Interrupted(*of, self._times, op.path, self._most_usd)
            course.recorder.emit(cut_off)
        elif self._before + number > 1:
            course.recorder.emit(trace.Retried(*of, self._before + number, op.path, wall_at()))
        else:
            self._queue(False)
            course.meter.calls += 1
            self._say(self._most_usd)
        self._open = True

    def _ended(self, attempt: Attempt) -> None:
        course, op = self._course, self._op
        latency_s = 0.0 if attempt.reply is None else attempt.reply.latency_s
        event = trace.Attempted(
            op.role,
            op.turn,
            op.purpose,
            op.ordinal,
            self._before + attempt.number,
            attempt.final,
            attempt.reply,
            attempt.cause,
            attempt.detail,
            round(attempt.wall_at, 6),
            round(attempt.wall_s, 6),
            latency_s,
            op.path,
            course.lands_us(course.modelled_s(latency_s)),
        )
        course.meter.attempts += 1
        course.recorder.emit(event)
        self._open = False
        if attempt.final:
            self._final = event

    def _say(self, most: float | None) -> None:
        """Write down the messages that the trace does not hold yet, then that the call starts."""
        recorder, op = self._course.recorder, self._op
        thread, named = self._request.thread, recorder.thread_hash
        fresh = list(takewhile(lambda node: not recorder.said(named(node)), thread.nodes()))
        for node in reversed(fresh):
            parent = "" if node.parent is None else named(node.parent)
            recorder.emit(trace.said(node.message, named(node), parent))
        self.sent_us = self._course.clock.now_us()
        recorder.emit(
            trace.Called(
                op.role,
                op.turn,
                op.purpose,
                op.ordinal,
                self._model,
                recorder.request_hash(self._request, self._model),
                recorder.thread_hash(thread),
                self._request.sampling,
                self.sent_us,
                op.path,
                most,
                wall_at(),
            )
        )

    async def _reserve(self, model: Model) -> float | None:
        """The money set aside for the call; None where nobody asks for any.

        A recorded call that is made again may cost more by now than its record says.
        """
        ask = self._course.services.reserve
        if ask is None:
            return None
        most = self._most_usd or 0.0
        if self.recorded is not None:
            most = max(most, most_usd(model, self._request) or 0.0)
        if not await ask(most):
            raise BudgetReached
        return most

    async def _settle(self, reserved_usd: float | None, cost_usd: float | None) -> None:
        tell = self._course.services.settle
        if reserved_usd is not None and tell is not None:
            with anyio.CancelScope(shield=True):
                await tell(reserved_usd, cost_usd)
