"""One decision in the making: its operations, its strands, its deadline, what ended it early."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio
import anyio.lowlevel

from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.world import Role
from polyathlon.runtime.clock import ACT, lent
from polyathlon.runtime.course import Course
from polyathlon.runtime.limits import BudgetReached, LimitReached
from polyathlon.runtime.recorder import TOOL, EndOfTrace, Operation


class TurnOverdue(Exception):
    """The decision's deadline, or the end of the world, came while the agent waited."""


EXHAUSTED = (BudgetReached, LimitReached)
"""Halts that let what is in flight land; any other cuts it off."""
HALTS = (UserError, EndOfTrace, TurnOverdue, *EXHAUSTED)


class Strand:
    """A line of operations that follow each other; `path` tells it from those beside it.

    `open` is the purpose of the operation in flight, "" where there is none.
    """

    __slots__ = ("blocks", "open", "ordinals", "path", "turn")

    def __init__(self, turn: Turn, path: str = "") -> None:
        self.turn = turn
        self.path = path
        self.open = ""
        self.blocks = 0
        self.ordinals: dict[str, int] = {}


def inner_path(op: Operation) -> str:
    """The path of what an operation does itself; only tools do anything."""
    return f"{op.path}{TOOL}{op.ordinal}/" if op.purpose == "tool" else f"{op.path}-"


_strand: ContextVar[Strand] = ContextVar("strand")


class Turn:
    """One decision of a role while it is being made.

    `scope` holds the agent. The turn ends when episode time passes `deadline_us`, or `wall_s` after
    its first live operation. `halt` is what ended it before the agent decided; an agent that
    catches that is cancelled. `overdue` says that the recording cut the decision off.
    """

    def __init__(
        self,
        course: Course,
        role: Role,
        scope: anyio.CancelScope,
        deadline_us: int | None = None,
        wall_s: float | None = None,
    ) -> None:
        self.role = role
        self.number = course.turns[role]
        self.overdue = course.recorder.overdue(role, self.number)
        self.halt: Exception | None = None
        self._course = course
        self._seat = course.env.spec.roles.index(role)
        self._scope, self._deadline_us, self._wall_s = scope, deadline_us, wall_s
        self._root = Strand(self)
        self._flying: dict[Operation, str] = {}
        self._parked: list[str] = []
        self._landed: anyio.Event | None = None
        self._stamp_us = course.clock.now_us()

    @property
    def now_us(self) -> int:
        """Episode time; on the wall's clock, when the latest operation landed."""
        return self._course.clock.now_us() if self._course.exact else self._stamp_us

    def strand(self) -> Strand:
        """The strand that runs here."""
        strand = _strand.get(None)
        return self._root if strand is None or strand.turn is not self else strand

    @contextmanager
    def inside(self, path: str) -> Iterator[None]:
        """What runs inside is a strand of its own."""
        token = _strand.set(Strand(self, path))
        try:
            yield
        finally:
            _strand.reset(token)

    def open(self, purpose: str) -> Strand:
        """Begin something that no other operation of the strand may overlap."""
        strand = self.strand()
        if strand.open:
            raise RuntimeError(
                f"{self.role} began {purpose!r} while {strand.open!r} was still in flight: run "
                "operations that overlap through ctx.together(...)"
            )
        strand.open = purpose
        return strand

    def begin(self, purpose: str) -> Operation:
        """Begin an operation; its name is taken before anything else can be."""
        strand = self.open(purpose)
        ordinal = strand.ordinals.get(purpose, 0)
        strand.ordinals[purpose] = ordinal + 1
        op = Operation(self.role, self.number, strand.path, purpose, ordinal)
        self._flying[op] = inner_path(op)
        return op

    def end(self, op: Operation) -> None:
        """An operation of the strand that runs here has come to its end."""
        self.strand().open = ""
        del self._flying[op]
        self._note_landings()

    async def halted(self, op: Operation, error: Exception) -> None:
        """End the turn: at once, or when what is in flight beside this has landed.

        On the wall's clock others may land before they hear of it, as they do when it is recorded.
        """
        self.halt = self.halt or error
        if isinstance(error, EXHAUSTED):
            inner = self._flying.pop(op)
            self._parked.append(op.path)
            self._landed = landed = self._landed or anyio.Event()
            self._note_landings()
            try:
                async with lent(self._course.clock):
                    await landed.wait()
            finally:
                self._flying[op] = inner
        elif isinstance(error, TurnOverdue) and self._course.recounted:
            await self._course.clock.at(("Halted", self.role, self.number))
        self._scope.cancel()
        await anyio.lowlevel.checkpoint()

    def _note_landings(self) -> None:
        """Whoever waits for what is in flight does not wait for the tool that it runs in."""
        if self._landed is not None and all(
            any(path.startswith(inner) for path in self._parked) for inner in self._flying.values()
        ):
            self._landed.set()

    async def wait(self, time_us: int, order: int) -> None:
        """Wait for a time. Raises TurnOverdue when the deadline comes before it."""
        clock, deadline_us = self._course.clock, self._deadline_us
        if deadline_us is not None and time_us > deadline_us:
            await clock.until(deadline_us, order, self._seat)
            raise TurnOverdue
        await clock.until(time_us, order, self._seat)

    async def land(self, op: Operation, issued_us: int, latency_s: float, ended_us: int) -> None:
        """Let an operation that has ended land when it has taken `latency_s`."""
        due_us = issued_us + round(latency_s * 1e6)
        if self._course.exact:
            await self.wait(due_us, ACT)
        elif due_us > ended_us:
            await self.wait(due_us, ACT)
            await self.landed(op)
        self._stamp_us = self._course.clock.now_us()

    async def landed(self, op: Operation) -> None:
        """Note when an operation landed that no other event of it says, on the wall's clock."""
        course = self._course
        if course.exact:
            return
        if not await course.clock.at(("Landed", *op)):
            raise TurnOverdue
        self._stamp_us = course.clock.now_us()
        course.recorder.emit(
            trace.Landed(op.role, op.turn, op.purpose, op.ordinal, op.path, self._stamp_us)
        )

    async def cut(self) -> None:
        """Where the recording cut this decision off: wait for what it holds, then fall overdue.

        A deadline in simulated time needs no record: it comes by itself.
        """
        course = self._course
        if self.overdue and course.timeless:
            await course.recorder.rest(self.role, self.number)
            raise TurnOverdue

    def go_live(self) -> None:
        """Something is asked for that no recording holds; a resumed turn has its time from here."""
        if self._wall_s is not None and self._scope.deadline == math.inf:
            self._scope.deadline = anyio.current_time() + self._wall_s

    def cancel(self) -> None:
        """Cut the decision off."""
        self._scope.cancel()
