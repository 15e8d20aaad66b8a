"""Ctrl-C and SIGTERM: the first cancels what runs, and whoever does not end by it is left."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

GRACE_S = 1.3
"""How long a cancelled run may take to close what it has open."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Signals of one process whose event loop runs a task.

    After the first, `leave` is called if the process is still there when the grace is over: agents
    and tools may block the event loop, and threads, engines and servers the end of the process. A
    second signal calls it at once. It does not return.
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self._before = {number: signal.getsignal(number) for number in SIGNALS}
        self._cancel: Callable[[], None] = lambda: None
        self._heard = False

    def heed(self) -> None:
        """From now on a signal cancels the task that runs here. Call it in the main thread."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        self._cancel = lambda: _told(loop, task)
        for number in SIGNALS:
            signal.signal(number, self._hear)

    def forget(self) -> None:
        """Leave signals as they were, unless one came."""
        if not self._heard:
            for number, handler in self._before.items():
                signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._heard:
            self._leave()
        self._heard = True
        threading.Thread(target=self._leave_later, name="ctrl-C", daemon=True).start()
        self._cancel()

    def _leave_later(self) -> None:
        time.sleep(GRACE_S)
        self._leave()


@contextmanager
def interruptible(leave: Callable[[], None] | None) -> Iterator[Callable[[], None]]:
    """What a task calls that shall be cancelled by signals while the block runs.

    Without a way to `leave` the process, as in a notebook, nothing is left: SIGINT is asyncio's.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
    elif leave is None:
        yield _cancel_on_sigterm
    else:
        interrupts = Interrupts(leave)
        try:
            yield interrupts.heed
        finally:
            interrupts.forget()


def _cancel_on_sigterm() -> None:
    """Treat SIGTERM, which schedulers of clusters send, like ctrl-C."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def _told(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(task.cancel)
