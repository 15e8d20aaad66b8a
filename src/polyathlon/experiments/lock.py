"""The lock of a run directory: the processes of one run play it at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import reduction
from typing import Any

from polyathlon.core.errors import UserError, writing
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.tidy import check_writable

ENDING_S = 5.0
"""So long workers may take to end that a killed coordinator left behind."""
LOOK_EVERY_S = 0.05


class Lock:
    """A held lock. Worker processes are given it when they start, and hold it too.

    The kernel lets it go when the last process that holds it has died, however it died.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __reduce__(self) -> tuple[Any, ...]:
        return _inherited, (reduction.DupFd(self._handle),)


def _inherited(handle: Any) -> Lock:
    return Lock(handle.detach())


@contextmanager
def locked(run: RunDir) -> Iterator[Lock]:
    """Hold a run directory.

    Raises UserError where links lead out of it, and while processes of another run hold it; those
    of a run that was killed are given time to end. Where the file system knows no locks, the
    directory is not protected.
    """
    check_writable(run.path)
    path = run.path / "lock"
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        _take(handle, run)
        yield Lock(handle)
    finally:
        os.close(handle)


def _take(handle: int, run: RunDir) -> None:
    until_s = time.monotonic() + ENDING_S
    try:
        while not _taken(handle):
            holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
            if _lives(holder):
                raise UserError(
                    f"{run.path} is being played by process {holder or 'unknown'}: wait for it to "
                    "end or stop it, then --resume, or choose another --out"
                )
            if time.monotonic() > until_s:
                raise UserError(
                    f"{run.path} is held by worker processes of process {holder}, which is gone: "
                    f"end them (fuser {run.path / 'lock'} names them), then --resume"
                )
            time.sleep(LOOK_EVERY_S)
    except OSError:
        return
    with writing(run.path / "lock"):
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lives(process: str) -> bool:
    """Whether there is such a process; one whose number is not known may live."""
    if not process.isdecimal():
        return True
    with suppress(PermissionError):
        try:
            os.kill(int(process), 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True
