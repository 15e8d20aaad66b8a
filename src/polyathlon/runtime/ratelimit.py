"""Rate limits of a provider account, shared by every call to it.

A limiter bounds calls in flight, requests a minute and tokens a minute, serves callers in the
order they came, and adapts: a 429 halves the bound on calls in flight, every success adds a
little of it back (additive increase, multiplicative decrease: Chiu and Jain 1989).
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import msgspec

BURST_S = 10.0


class RateLimits(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bounds of one provider account; None means no bound."""

    in_flight: int
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


class Slot:
    """The right to make one request. `waited_s` is how long it was waited for."""

    def __init__(self, waited_s: float, generation: int) -> None:
        self.waited_s = waited_s
        self.generation = generation
        self.tokens: int | None = None
        self.rate_limited = False


class RateLimiter:
    """The limiter of one account.

    `now` is a monotonic clock in seconds and `sleep` waits on that clock.
    """

    def __init__(
        self,
        limits: RateLimits,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._now = now
        self._sleep = sleep
        self._most = max(1, limits.in_flight)
        self._allowed = float(self._most)
        self._active = 0
        self._generation = 0
        self._turnstile = anyio.Lock()
        self._freed = anyio.Event()
        self._requests = _bucket(limits.requests_per_minute, now)
        self._tokens = _bucket(limits.tokens_per_minute, now)

    @property
    def allowed(self) -> int:
        """How many calls may be in flight now."""
        return int(self._allowed)

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[Slot]:
        """Wait for a turn to send a request of about `tokens` tokens and hold it meanwhile.

        Set `tokens` on the slot to what the request really used, and `rate_limited` when the
        provider answered 429.
        """
        asked = self._now()
        async with self._turnstile:
            while self._active >= self.allowed:
                self._freed = anyio.Event()
                await self._freed.wait()
            await self._pace(tokens)
            self._active += 1
        slot = Slot(self._now() - asked, self._generation)
        try:
            yield slot
        finally:
            self._release(slot, tokens)

    async def _pace(self, tokens: int) -> None:
        for bucket, amount in ((self._requests, 1), (self._tokens, tokens)):
            if bucket is not None:
                while (delay := bucket.delay_s(amount)) > 0:
                    await self._sleep(delay)
        for bucket, amount in ((self._requests, 1), (self._tokens, tokens)):
            if bucket is not None:
                bucket.take(amount)

    def _release(self, slot: Slot, reserved: int) -> None:
        self._active -= 1
        if self._tokens is not None and slot.tokens is not None:
            self._tokens.take(slot.tokens - reserved)
        if not slot.rate_limited:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
        elif slot.generation == self._generation:
            self._allowed = max(1.0, self._allowed / 2)
            self._generation += 1
        self._freed.set()


class _Bucket:
    """A token bucket that refills at `per_minute` and holds `BURST_S` seconds of it."""

    def __init__(self, per_minute: float, now: Callable[[], float]) -> None:
        self._rate = per_minute / 60
        self._size = max(1.0, self._rate * BURST_S)
        self._level = self._size
        self._now = now
        self._at = now()

    def delay_s(self, amount: float) -> float:
        """Seconds until `amount` may be taken; more than the bucket holds waits for a full one."""
        now = self._now()
        self._level = min(self._size, self._level + (now - self._at) * self._rate)
        self._at = now
        missing = min(amount, self._size) - self._level
        return missing / self._rate if missing > 1e-9 else 0.0

    def take(self, amount: float) -> None:
        """Remove `amount`; the level may fall below zero."""
        self._level -= amount


def _bucket(per_minute: float | None, now: Callable[[], float]) -> _Bucket | None:
    return None if per_minute is None else _Bucket(per_minute, now)
