"""Sinks that write a trace's events to a file."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from pathlib import Path

from polyathlon.core import trace
from polyathlon.core.errors import RunStopped, cannot_write, writing
from polyathlon.core.pieces import Pieces

COMPUTED = (trace.Header, trace.Said, trace.Observed, trace.Advanced, trace.Overdue)
"""Events that follow from those before them, whoever plays."""
REPLAYED = (*COMPUTED, trace.Acted)
"""Those that follow where every agent decides the same again, which people do not."""


_APPENDS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
MOST_BYTES = 32_768
"""So much waits at most."""


class FileSink:
    """Appends events to a file, one line each; a line is with the kernel before what depends on it.

    Events of the kinds `waits` wait for the next line of another kind, or until they are many, so
    that a turn of a model costs two writes. `pieces` are those of the texts that the file holds
    already. Raises RunStopped when the disk refuses a line, and from then on: that line may be
    torn.
    """

    def __init__(
        self, path: Path, pieces: Pieces | None = None, waits: tuple[type, ...] = COMPUTED
    ) -> None:
        self._path = path
        self._pieces = pieces or Pieces()
        self._waits = waits
        with writing(path):
            self._fd = os.open(path, _APPENDS, 0o644)
        self._open = threading.Lock()
        self._closed = False
        self._torn = False
        self._lines = bytearray()

    def write(self, event: trace.Event) -> None:
        lines = self._lines
        lines += trace.encode(self._pieces.shortened(event))
        lines += b"\n"
        if not isinstance(event, self._waits) or len(lines) > MOST_BYTES:
            self.flush()

    def flush(self) -> None:
        """Hand every line to the kernel."""
        try:
            if self._torn:
                raise OSError(errno.EIO, "an earlier line is torn")
            self._torn = True
            while self._lines:
                del self._lines[: os.write(self._fd, self._lines)]
            self._torn = False
        except OSError as error:
            raise cannot_write(self._path, error) from error

    def sync(self) -> None:
        """Force everything written to the disk. Blocks: call it off the event loop."""
        with self._open, writing(self._path):
            if not self._closed:
                os.fsync(self._fd)

    def close(self) -> None:
        """Release the file; what waits is written as far as the disk takes it."""
        with self._open:
            self._closed = True
            try:
                with suppress(RunStopped):
                    self.flush()
            finally:
                os.close(self._fd)
