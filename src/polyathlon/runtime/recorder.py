"""Recorders: write a trace's events as they happen, or check them against a recorded trace."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypeAlias

from polyathlon.core import trace
from polyathlon.core.errors import UserError, writing
from polyathlon.core.world import Role

Key: TypeAlias = tuple[str | int, ...]


class ReplayMismatch(UserError):
    """What happens now is not what the trace says happened."""


class EndOfTrace(Exception):
    """A replay without a live end came to something the trace does not hold."""


class Sink(Protocol):
    """Where new events go."""

    def write(self, event: trace.Event) -> None: ...


class FileSink:
    """Appends events to a file, one line each; a line is with the kernel when `write` returns.

    Raises RunStopped when the disk refuses a line, and from then on: that line may be torn.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._open = threading.Lock()
        self._closed = False
        self._torn = False

    def write(self, event: trace.Event) -> None:
        line = trace.encode(event) + b"\n"
        with writing(self._path):
            if self._torn:
                raise OSError(errno.EIO, "an earlier line is torn")
            self._torn = True
            written = os.write(self._fd, line)
            while written < len(line):
                written += os.write(self._fd, line[written:])
            self._torn = False

    def sync(self) -> None:
        """Force everything written to the disk. Blocks: call it off the event loop."""
        with self._open, writing(self._path):
            if not self._closed:
                os.fsync(self._fd)

    def close(self) -> None:
        """Release the file."""
        with self._open:
            self._closed = True
            os.close(self._fd)


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
        case trace.Observed() | trace.Acted() | trace.Overdue():
            return (type(event).__name__, event.role, event.turn)
        case trace.Called():
            return ("call", event.role, event.turn, event.purpose, event.ordinal)
        case trace.Attempted():
            return (
                "attempt", event.role, event.turn, event.purpose, event.ordinal, event.number
            )  # fmt: skip
        case trace.Used():
            return ("tool", event.role, event.turn, event.ordinal)
        case trace.Advanced():
            return ("advance", event.time_us)
        case trace.Header() | trace.Ended():
            return (type(event).__name__,)


class Recorder:
    """Emits events: those the recording holds are compared with it, the others written.

    The recording serves model replies and tool results back, so an agent that runs again from
    the start meets exactly what it met before, and goes live where the recording ends.
    """

    def __init__(self, sink: Sink, recording: Iterable[trace.Event] = ()) -> None:
        self._sink = sink
        self._recorded = {key(event): event for event in recording}
        self._attempts: dict[Key, list[trace.Attempted]] = {}
        self._said = {k[1] for k in self._recorded if k[0] == "message"}
        self._unmet = {k for k in self._recorded if k[0] not in ("attempt", "message")}
        for event in self._recorded.values():
            if isinstance(event, trace.Attempted):
                call = ("call", event.role, event.turn, event.purpose, event.ordinal)
                self._attempts.setdefault(call, []).append(event)

    @property
    def live(self) -> bool:
        """Whether the recording is used up."""
        return not self._unmet

    def check_met(self) -> None:
        """Raises ReplayMismatch when the recording holds what did not happen again."""
        if self._unmet:
            name = "/".join(map(str, sorted(self._unmet, key=repr)[0]))
            raise ReplayMismatch(f"replay differs: the trace holds {name}, which happens no more")

    @property
    def at_end(self) -> bool:
        """Whether nothing of the recording is left but its end."""
        return self._unmet == {("Ended",)}

    def holds(self, event: trace.Event) -> bool:
        """Whether the recording has an event about the same thing."""
        return key(event) in self._recorded

    def emit(self, event: trace.Event) -> None:
        """Write an event, or compare it with the recorded one.

        Raises ReplayMismatch when the recorded one differs in more than measurements.
        """
        name = key(event)
        recorded = self._recorded.get(name)
        if recorded is None:
            self._sink.write(event)
            return
        self._unmet.discard(name)
        if isinstance(event, trace.Attempted):
            return
        want, got = trace.unmeasured(recorded), trace.unmeasured(event)
        if want != got:
            raise ReplayMismatch(_difference(name, want, got))

    def said(self, hash: str) -> bool:
        """Whether the message of this hash is in the trace; notes that it is from now on."""
        if hash in self._said:
            return True
        self._said.add(hash)
        return False

    def attempts(self, call: trace.Called) -> list[trace.Attempted]:
        """The recorded attempts at a call, in order."""
        return sorted(self._attempts.get(key(call), []), key=lambda attempt: attempt.number)

    def used(self, role: Role, turn: int, ordinal: int) -> trace.Used | None:
        """The recorded result of a tool call."""
        event = self._recorded.get(("tool", role, turn, ordinal))
        return event if isinstance(event, trace.Used) else None

    def overdue(self, role: Role, turn: int) -> bool:
        """Whether the recording cut this decision off."""
        return ("Overdue", role, turn) in self._recorded

    def ended(self) -> trace.Ended | None:
        """The recorded end, if there is one."""
        event = self._recorded.get(("Ended",))
        return event if isinstance(event, trace.Ended) else None


def _difference(name: Key, want: dict[str, object], got: dict[str, object]) -> str:
    fields = [field for field in sorted({*want, *got}) if want.get(field) != got.get(field)]
    field = fields[0]
    was, now = str(want.get(field))[:80], str(got.get(field))[:80]
    return (
        f"replay differs at {'/'.join(map(str, name))}: {field} was {was!r} and is now {now!r}; "
        "use the code and settings that made the run, or start a new run directory"
    )
