"""Sinks that write a trace's events to a file."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

from polyathlon.core import trace
from polyathlon.core.errors import writing


class FileSink:
    """Appends events to a file, one line each; a line is with the kernel when `write` returns.

    `pieces` are those of the texts that the file holds already. Raises RunStopped when the disk
    refuses a line, and from then on: that line may be torn.
    """

    def __init__(self, path: Path, pieces: trace.Pieces | None = None) -> None:
        self._path = path
        self._pieces = pieces or trace.Pieces()
        with writing(path):
            self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._open = threading.Lock()
        self._closed = False
        self._torn = False

    def write(self, event: trace.Event) -> None:
        line = trace.encode(self._pieces.shortened(event)) + b"\n"
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
