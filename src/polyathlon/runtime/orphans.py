"""No orphans: a helper process ends when the process that started it does, however that died.

And not before it: ctrl-C reaches every process of a terminal, but only the first one heeds it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started inside never get SIGINT: the process that starts them ends them."""
    resource_tracker.ensure_running()  # it would unblock the signal when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_with_parent() -> None:
    """Watch the parent from a thread and leave at once when it is gone.

    Call it in a process that `multiprocessing` started; does nothing in any other.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
