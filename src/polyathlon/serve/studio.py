"""Where pictures are drawn: other processes, with a bound on how many wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from polyathlon.runtime.compute import ProcessPool, cores
from polyathlon.serve.messages import Refused

R = TypeVar("R")

MAX_WAITING = 1_024


class Studio:
    """Calls picklable module-level functions in a pool of processes, one a core.

    Raises Refused when `MAX_WAITING` calls are under way, and when the processes are killed.
    """

    def __init__(self) -> None:
        self._pool = ProcessPool(cores())
        self._waiting = 0
        self._warming: asyncio.Future[Any] | None = None

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R:
        if self._waiting >= MAX_WAITING:
            raise Refused(429, "too many pictures are being drawn: ask again in a second")
        self._waiting += 1
        try:
            return await self._pool(function, *arguments)
        except BrokenProcessPool:
            raise Refused(503, "what draws was killed, and begins anew: ask again") from None
        finally:
            self._waiting -= 1

    def warm_up(self, function: Callable[..., object], *arguments: Any) -> None:
        """Begin to start the processes, which takes seconds, by a call in each; only once."""
        if self._warming is None:
            calls = [self(function, *arguments) for _ in range(cores())]
            self._warming = asyncio.gather(*calls, return_exceptions=True)

    def close(self) -> None:
        """End the processes."""
        self._pool.close()
