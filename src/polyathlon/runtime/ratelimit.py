"""Rate limits of a provider account, shared by every call to it.

A limiter bounds calls in flight, requests a minute and tokens a minute, serves callers in the
order they came, and adapts: a 429 halves the bound on calls in flight, every success adds a
little of it back (additive increase, multiplicative decrease: Chiu and Jain 1989).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import anyio
import msgspec

BURST_S = 10.0


class RateLimits(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bounds of one provider account; None means no bound."""

    in_flight: int
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


class Slot:
    """The right to make one request. `waited_s` is how long it was waited for.

    Its holder sets `tokens` to what the request really used, and `rate_limited` when the provider
    answered 429.
    """

    __slots__ = ("generation", "rate_limited", "reserved", "tokens", "waited_s")

    def __init__(self, waited_s: float, reserved: int = 0, generation: int = 0) -> None:
        self.waited_s = waited_s
        self.reserved = reserved
        self.generation = generation
        self.tokens: int | None = None
        self.rate_limited = False


class Slots(Protocol):
    """Where calls to any account wait for their turn, in this process or over a pipe."""

    def slot(self, group: str, in_flight: int, tokens: int) -> AbstractAsyncContextManager[Slot]:
        """Wait for a turn to send a request of about `tokens` tokens and hold it meanwhile.

        `in_flight` bounds the calls of a group that has no limits of its own.
        """
        ...


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
        self._generation = 0
        self._turnstile = anyio.Lock()
        self._freed = anyio.Event()
        self._requests = _bucket(limits.requests_per_minute, now)
        self._tokens = _bucket(limits.tokens_per_minute, now)
        self.active = 0
        self.waiting = 0

    @property
    def allowed(self) -> int:
        """How many calls may be in flight now."""
        return int(self._allowed)

    @property
    def roomy(self) -> bool:
        """Whether only calls in flight are bounded, and those by more than twice what there are.

        A slot may then be used again and again without asking: its way back would change nothing.
        """
        counted = self._requests is not None or self._tokens is not None
        return not counted and self._allowed == self._most and 2 * self.active <= self._most

    def slot(self, tokens: int = 0) -> AbstractAsyncContextManager[Slot]:
        """Wait for a turn to send a request of about `tokens` tokens and hold it meanwhile."""
        return _Held(self, tokens)

    def take_now(self, tokens: int) -> Slot | None:
        """A slot to be given back, or None where one has to be waited for."""
        if self.waiting or self.active >= self.allowed or self._delay_s(tokens) > 0:
            return None
        return self._taken(tokens, 0.0)

    async def take(self, tokens: int) -> Slot:
        """A slot to be given back; those who came first are served first."""
        asked = self._now()
        self.waiting += 1
        try:
            async with self._turnstile:
                while not await self._is_free(tokens):
                    pass
                return self._taken(tokens, self._now() - asked)
        finally:
            self.waiting -= 1

    def give_back(self, slot: Slot) -> None:
        """End a request: what it used is counted, and how it went moves the bound."""
        if self._tokens is not None and slot.tokens is not None:
            self._tokens.take(slot.tokens - slot.reserved)
        if not slot.rate_limited:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
        elif slot.generation == self._generation:
            self._allowed = max(1.0, self._allowed / 2)
            self._generation += 1
        self.forfeit()

    def forfeit(self) -> None:
        """End a request of which nobody knows how it went; what it reserved counts as used."""
        self.active -= 1
        self._freed.set()

    def _taken(self, tokens: int, waited_s: float) -> Slot:
        for bucket, amount in ((self._requests, 1), (self._tokens, tokens)):
            if bucket is not None:
                bucket.take(amount)
        self.active += 1
        return Slot(waited_s, tokens, self._generation)

    async def _is_free(self, tokens: int) -> bool:
        """Whether the next request may go; if not, waits for what may change that."""
        if self.active >= self.allowed:
            self._freed = anyio.Event()
            await self._freed.wait()
            return False
        delay_s = self._delay_s(tokens)
        if delay_s > 0:
            await self._sleep(delay_s)
        return delay_s <= 0

    def _delay_s(self, tokens: int) -> float:
        delay_s = 0.0 if self._requests is None else self._requests.delay_s(1)
        return delay_s if self._tokens is None else max(delay_s, self._tokens.delay_s(tokens))


class _Held(AbstractAsyncContextManager[Slot]):
    """A slot of a limiter, from when it is there to the end of its block."""

    __slots__ = ("_limiter", "_slot", "_tokens")
    _slot: Slot

    def __init__(self, limiter: RateLimiter, tokens: int) -> None:
        self._limiter, self._tokens = limiter, tokens

    async def __aenter__(self) -> Slot:
        limiter, tokens = self._limiter, self._tokens
        self._slot = limiter.take_now(tokens) or await limiter.take(tokens)
        return self._slot

    async def __aexit__(self, *raised: object) -> None:
        self._limiter.give_back(self._slot)


class Limiters:
    """The limiters of all accounts in one process, each made when first needed."""

    def __init__(
        self,
        limits: Mapping[str, RateLimits] | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._limits = limits or {}
        self._now, self._sleep = now, sleep
        self._limiters: dict[str, RateLimiter] = {}

    def limiter(self, group: str, in_flight: int) -> RateLimiter:
        """The limiter of a group; without limits of its own, `in_flight` bounds its calls."""
        if group not in self._limiters:
            limits = self._limits.get(group) or RateLimits(in_flight)
            self._limiters[group] = RateLimiter(limits, self._now, self._sleep)
        return self._limiters[group]

    def slot(self, group: str, in_flight: int, tokens: int) -> AbstractAsyncContextManager[Slot]:
        """See `Slots`."""
        return self.limiter(group, in_flight).slot(tokens)


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
