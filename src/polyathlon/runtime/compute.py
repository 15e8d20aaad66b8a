"""Heavy CPU work off the event loop, in a pool of processes that starts when first needed."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from polyathlon.core.hidden import Hidden, revealed
from polyathlon.core.ownmodules import adopt, apart, named
from polyathlon.runtime.orphans import deaf_to_ctrl_c, die_with_parent

R = TypeVar("R")


class ProcessPool:
    """Runs picklable module-level functions in other processes, one a core unless told.

    What is hidden stays hidden there. It cannot come back.
    When a process of the pool is killed, work is handed to a new pool once more.
    """

    def __init__(self, workers: int | None = None) -> None:
        ForkingPickler.register(Hidden, _sent)  # here, for in the pool's own processes none is sent
        self._workers = workers or cores()
        self._pool: ProcessPoolExecutor | None = None
        self._flying: set[Future[Any]] = set()

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R:
        pool = self._started()
        try:
            return await self._submit(pool, function, *arguments)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
            return await self._submit(self._started(), function, *arguments)

    def close(self) -> None:
        """End the processes and wait for it; work that nobody waits for any more is dropped.

        A spawned process that exits before its pool has ended may wait for that forever.
        """
        pool, self._pool = self._pool, None
        if pool is None:
            return
        if any(not work.done() for work in self._flying):
            for process in list(pool._processes.values()):
                process.kill()
        pool.shutdown(cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            with apart():
                self._pool = ProcessPoolExecutor(
                    self._workers, mp_context=context, initializer=_begin, initargs=(named(),)
                )
        return self._pool

    async def _submit(
        self, pool: ProcessPoolExecutor, function: Callable[..., R], *arguments: Any
    ) -> R:
        with apart(), deaf_to_ctrl_c():
            work = pool.submit(function, *arguments)
        self._flying.add(work)
        work.add_done_callback(self._flying.discard)
        return await asyncio.wrap_future(work)


def _begin(own: Mapping[str, str]) -> None:
    die_with_parent()
    adopt(own)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _sent(hidden: Hidden[Any]) -> tuple[type[Hidden[Any]], tuple[Any]]:
    return Hidden, (revealed(hidden),)
