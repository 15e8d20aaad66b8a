"""The lock of a run directory: one process plays it at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from polyathlon.core.errors import UserError, writing
from polyathlon.experiments.rundir import RunDir


@contextmanager
def locked(run: RunDir) -> Iterator[None]:
    """Hold a run directory. The kernel lets it go when this process dies, however it dies.

    Raises UserError while another process holds it. Where the file system knows no locks, the
    directory is not protected.
    """
    path = run.path / "lock"
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _take(handle, run)
        yield
    finally:
        os.close(handle)


def _take(handle: int, run: RunDir) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise UserError(
            f"{run.path} is being played by process {holder}: wait for it to end or stop it, "
            "then --resume, or choose another --out"
        ) from None
    except OSError:
        return
    with writing(run.path / "lock"):
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
