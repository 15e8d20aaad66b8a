"""Blocking calls in threads that can be left: whoever waits may go, and a process may end."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

import anyio.to_thread

R = TypeVar("R")
Work: TypeAlias = Callable[[], None]


class Aside:
    """Makes blocking calls, one after the other, in a thread beside the event loop.

    A call that nobody waits for any more goes on, and the next begins when it has returned: so a
    function meets the same calls whether or not it was in time. The threads are daemons: they end
    with the process, whatever they are doing. As many calls are waited for at once as anyio allows
    threads.
    """

    def __init__(self) -> None:
        self._waiting: deque[Work] = deque()
        self._lock = threading.Lock()
        self._busy = False

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R:
        """What the function gives or raises."""
        async with anyio.to_thread.current_default_thread_limiter():
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[R] = loop.create_future()
            inside = copy_context()
            self._do(partial(inside.run, _call, loop, answer, partial(function, *arguments)))
            return await answer

    def _do(self, work: Work) -> None:
        with self._lock:
            self._waiting.append(work)
            if self._busy:
                return
            self._busy = True
        _thread().put(self._all)

    def _all(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._busy = False
                    return
                work = self._waiting.popleft()
            work()


def _call(
    loop: asyncio.AbstractEventLoop, answer: asyncio.Future[R], function: Callable[[], R]
) -> None:
    tell: Work
    try:
        tell = partial(_result, answer, function())
    except StopIteration as error:  # no future takes one
        told = RuntimeError(f"StopIteration: {error}").with_traceback(error.__traceback__)
        tell = partial(_error, answer, told)
    except BaseException as error:
        tell = partial(_error, answer, error)
    with suppress(RuntimeError):  # the loop is closed: nobody waits
        loop.call_soon_threadsafe(tell)


def _result(answer: asyncio.Future[R], result: R) -> None:
    if not answer.done():
        answer.set_result(result)


def _error(answer: asyncio.Future[R], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)


_idle: deque[SimpleQueue[Work]] = deque()


def _thread() -> SimpleQueue[Work]:
    """Where work goes to a thread that has none; started where all are busy."""
    try:
        return _idle.pop()
    except IndexError:
        jobs: SimpleQueue[Work] = SimpleQueue()
        threading.Thread(target=_work, args=(jobs,), name="aside", daemon=True).start()
        return jobs


def _work(jobs: SimpleQueue[Work]) -> None:
    while True:
        jobs.get()()
        _idle.append(jobs)
