"""Recorders: write a trace's events as they happen, or check them against a recorded trace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias, get_args

import anyio

from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.models import Request, Thread
from polyathlon.core.world import Role

Key: TypeAlias = tuple[str | int, ...]
Start: TypeAlias = trace.Called | trace.Retried | trace.Using | trace.Interrupted
OfOperation: TypeAlias = Start | trace.Attempted | trace.Used | trace.Landed

TOOL = "tool."
"""Begins the path of what a tool does, before the tool's ordinal."""


class Operation(NamedTuple):
    """What tells apart all that is ever in flight in an episode."""

    role: Role
    turn: int
    path: str
    purpose: str
    ordinal: int


class ReplayMismatch(UserError):
    """What happens now is not what the trace says happened."""


class EndOfTrace(Exception):
    """A replay without a live end came to something the trace does not hold."""


class Sink(Protocol):
    """Where new events go."""

    def write(self, event: trace.Event) -> None: ...


class ListSink:
    """Keeps events in memory."""

    def __init__(self) -> None:
        self.events: list[trace.Event] = []

    def write(self, event: trace.Event) -> None:
        self.events.append(event)


class NoSink:
    """Refuses events: the end of a replay that must not go live."""

    def write(self, event: trace.Event) -> None:
        raise EndOfTrace(f"the trace holds no {trace.unmeasured(event)['event']} event here")


def key(event: trace.Event) -> Key:
    """What an event is about; no two events of one unbroken trace share it."""
    match event:
        case trace.Said():
            return ("message", event.hash)
        case trace.Observed() | trace.Acted() | trace.Overdue() | trace.Late():
            return (type(event).__name__, event.role, event.turn)
        case trace.Called() | trace.Landed():
            return (type(event).__name__, *operation(event))
        case trace.Retried() | trace.Attempted():
            return (type(event).__name__, *operation(event), event.number)
        case trace.Interrupted():
            return ("Interrupted", *operation(event), event.times)
        case trace.Using() | trace.Used():
            return (type(event).__name__, *operation(event))
        case trace.Advanced():
            return ("Advanced", event.time_us)
        case trace.Header() | trace.Ended():
            return (type(event).__name__,)


def words(name: Key) -> str:
    """A key for people: the event's tag, then what it is about."""
    return "/".join(
        str(word) for word in (_TAGS.get(str(name[0]), name[0]), *name[1:]) if word != ""
    )


_TAGS = {kind.__name__: str(kind.__struct_config__.tag) for kind in get_args(trace.Event)}


def operation(event: OfOperation) -> Operation:
    """The operation that an event belongs to."""
    purpose = "tool" if isinstance(event, trace.Using | trace.Used) else event.purpose
    return Operation(event.role, event.turn, event.path, purpose, event.ordinal)


class Recorder:
    """Emits events: those the recording holds are compared with it, the others written.

    The recording serves model replies and tool results back, so an agent that runs again from
    the start meets exactly what it met before, and goes live where the recording ends. Where
    `derives_seeds`, every operation has a sampling seed of its own; where `idles`, time that passes
    is told although the world has not changed; where it `books`, calls that were cut off cost the
    most they could.
    """

    derives_seeds = True
    idles = False
    books = True

    def __init__(self, sink: Sink, recording: Iterable[trace.Event] = ()) -> None:
        self._sink = sink
        events = list(recording)
        self._recorded = {key(event): event for event in events}
        self._copied = _copied(events)
        self._said = {k[1] for k in self._recorded if k[0] == "message"}
        self._unmet = {k for k in self._recorded if k[0] != "message"}
        self._attempts: defaultdict[Operation, list[trace.Attempted]] = defaultdict(list)
        self._starts: defaultdict[Operation, list[Start]] = defaultdict(list)
        self._left: Counter[tuple[Role, int]] = Counter()
        self._rested: dict[tuple[Role, int], anyio.Event] = {}
        self._inner: defaultdict[tuple[Role, int], list[OfOperation]] = defaultdict(list)
        for event in self._recorded.values():
            if isinstance(event, OfOperation):
                self._left[event.role, event.turn] += 1
                if TOOL in event.path:
                    self._inner[event.role, event.turn].append(event)
                if isinstance(event, trace.Attempted):
                    self._attempts[operation(event)].append(event)
                elif not isinstance(event, trace.Used | trace.Landed):
                    self._starts[operation(event)].append(event)

    @property
    def live(self) -> bool:
        """Whether the recording is used up."""
        return not self._unmet

    def check_met(self) -> None:
        """Raises ReplayMismatch when the recording holds what did not happen again."""
        if self._unmet:
            name = words(sorted(self._unmet, key=repr)[0])
            raise ReplayMismatch(f"replay differs: the trace holds {name}, which happens no more")

    def emit(self, event: trace.Event) -> None:
        """Write an event, or compare it with the recorded one.

        Raises ReplayMismatch when the recorded one differs in more than measurements.
        """
        if not self._recorded or (recorded := self._recorded.get(name := key(event))) is None:
            self._sink.write(event)
            return
        self._meet(name, recorded)
        if isinstance(event, trace.Attempted):
            return
        want, got = trace.unmeasured(recorded), trace.unmeasured(event)
        if isinstance(recorded, trace.Header) and not recorded.access:
            got.pop("access", None)  # it was not kept then
        if want != got:
            raise ReplayMismatch(difference(name, want, got))

    def thread_hash(self, thread: Thread) -> str:
        """How the trace names a conversation."""
        return thread.hash

    def request_hash(self, request: Request, model: str) -> str:
        """How the trace names a request to a model."""
        return request.hash(model)

    def said(self, hash: str) -> bool:
        """Whether the message of this hash is in the trace; notes that it is from now on."""
        if hash in self._said:
            return True
        self._said.add(hash)
        return False

    def called(self, op: Operation) -> trace.Called | None:
        """The recorded start of a model call."""
        event = self._recorded.get(("Called", *op))
        return event if isinstance(event, trace.Called) else None

    def copied(self, op: Operation) -> trace.Called | None:
        """The recorded start of a model call that was made before this branch left its parent."""
        return self._copied.get(op)

    def attempts(self, op: Operation) -> list[trace.Attempted]:
        """The recorded attempts at a call, in order."""
        if op not in self._attempts:
            return []
        return sorted(self._attempts[op], key=lambda attempt: attempt.number)

    def starts(self, op: Operation) -> list[Start]:
        """Every recorded start of an operation; they happen again by being asked for."""
        if op not in self._starts:
            return []
        for event in self._starts[op]:
            if not isinstance(event, trace.Called | trace.Using):
                self._meet(key(event), event)
        return self._starts[op]

    def used(self, op: Operation) -> trace.Used | None:
        """The recorded result of a tool call."""
        event = self._recorded.get(("Used", *op))
        return event if isinstance(event, trace.Used) else None

    def within(self, role: Role, turn: int, path: str) -> list[OfOperation]:
        """What went on inside a tool whose result is served; all of it happens again by that."""
        inner = [e for e in self._inner.get((role, turn), ()) if e.path.startswith(path)]
        for event in inner:
            self._meet(key(event), event)
        return inner

    async def rest(self, role: Role, turn: int) -> None:
        """Wait until every recorded operation of a decision has happened again."""
        if self._left[role, turn]:
            await self._rested.setdefault((role, turn), anyio.Event()).wait()

    def observed(self, role: Role, turn: int) -> bool:
        """Whether the recording holds the beginning of a decision."""
        return ("Observed", role, turn) in self._recorded

    def overdue(self, role: Role, turn: int) -> bool:
        """Whether the recording cut this decision off."""
        return ("Overdue", role, turn) in self._recorded

    def late(self, role: Role, turn: int) -> bool:
        """Whether the recorded decision came after the world's end."""
        return ("Late", role, turn) in self._recorded

    def recorded(self) -> Iterable[trace.Event]:
        """The recording, in its order."""
        return self._recorded.values()

    def ended(self) -> trace.Ended | None:
        """The recorded end, if there is one."""
        event = self._recorded.get(("Ended",))
        return event if isinstance(event, trace.Ended) else None

    def _meet(self, name: Key, event: trace.Event) -> None:
        if name not in self._unmet:
            return
        self._unmet.discard(name)
        if isinstance(event, OfOperation):
            turn = (event.role, event.turn)
            self._left[turn] -= 1
            if not self._left[turn] and turn in self._rested:
                self._rested[turn].set()


def _copied(events: Sequence[trace.Event]) -> dict[Operation, trace.Called]:
    header = events[0] if events else None
    count = header.copied if isinstance(header, trace.Header) else 0
    copied = events[1 : count + 1]
    return {operation(event): event for event in copied if isinstance(event, trace.Called)}


def difference(name: Key, want: dict[str, object], got: dict[str, object]) -> str:
    """One line on how what happens differs from what the trace holds."""
    fields = [field for field in sorted({*want, *got}) if want.get(field) != got.get(field)]
    field = fields[0]
    was, now = str(want.get(field))[:80], str(got.get(field))[:80]
    return (
        f"replay differs at {words(name)}: {field} was {was!r} and is now {now!r}; "
        "use the code and settings that made the run, or start a new run directory"
    )
