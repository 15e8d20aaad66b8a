"""Heavy CPU work off the event loop, in a pool of processes that starts when first needed."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

from polyathlon.runtime.orphans import die_with_parent

R = TypeVar("R")


class ProcessPool:
    """Runs picklable module-level functions in other processes."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._workers, context, die_with_parent)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, function, *arguments)

    def close(self) -> None:
        """End the processes; work that was not started is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
