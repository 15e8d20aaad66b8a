"""Heavy CPU work off the event loop, in a pool of processes that starts when first needed."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from polyathlon.runtime.orphans import deaf_to_ctrl_c, die_with_parent

R = TypeVar("R")


class ProcessPool:
    """Runs picklable module-level functions in other processes.

    When a process of the pool is killed, work is handed to a new pool once more.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R:
        pool = self._started()
        try:
            return await _submit(pool, function, *arguments)
        except BrokenProcessPool:
            if self._pool is pool:
                self.close()
            return await _submit(self._started(), function, *arguments)

    def close(self) -> None:
        """End the processes; work that was not started is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=context, initializer=die_with_parent
            )
        return self._pool


async def _submit(pool: ProcessPoolExecutor, function: Callable[..., R], *arguments: Any) -> R:
    with deaf_to_ctrl_c():
        work = asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
    return await work
