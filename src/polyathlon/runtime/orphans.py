"""No orphans: a helper process ends when the process that started it does, however that died."""

from __future__ import annotations

import multiprocessing
import os
import threading


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
