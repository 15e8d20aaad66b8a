"""One logical call to a model out of attempts: rate limits, timeouts, retries with backoff."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import anyio
import msgspec

from polyathlon.core.canonical import well_formed
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.models import CallFailed, Model, ModelError, Reply, Request
from polyathlon.runtime.ratelimit import Limiters, RateLimits, Slot, Slots

CHARACTERS_PER_TOKEN = 4
DETAIL_CHARACTERS = 500


class RetryPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    """When a call is given up.

    `total_s` bounds attempts and backoffs together (waits for our own limiter do not count),
    `attempt_s` bounds one attempt. The nth backoff is `first_backoff_s` doubled n - 1 times, at
    most `most_backoff_s`, shortened by up to half at random; a provider's Retry-After lengthens
    it to what it asks for.
    """

    attempts: int = 6
    total_s: float = 900.0
    attempt_s: float = 300.0
    first_backoff_s: float = 0.5
    most_backoff_s: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UserError(f"a retry policy needs attempts of at least 1, not {self.attempts}")


class Attempt(msgspec.Struct, frozen=True):
    """One attempt that ended. `final` marks the one that decided the call.

    `wall_at` is seconds since the epoch at its start, `wall_s` its duration.
    """

    number: int
    reply: Reply | None
    cause: str
    detail: str
    wall_at: float
    wall_s: float
    final: bool


class Caller:
    """Makes calls for a whole run. They wait for a slot of their `Model.group` among `slots`.

    Without `slots` they wait here, within `limits` by group; a group without an entry is bounded
    by its model's `in_flight` alone. `now` is a monotonic clock in seconds, `wall` the time since
    the epoch, and `sleep` waits on the former.
    """

    def __init__(
        self,
        policy: RetryPolicy | None = None,
        limits: Mapping[str, RateLimits] | None = None,
        *,
        slots: Slots | None = None,
        now: Callable[[], float] = time.perf_counter,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._policy = policy or RetryPolicy()
        self._slots = slots or Limiters(limits, now, sleep)
        self._now, self._wall, self._sleep = now, wall, sleep

    async def call(
        self,
        model: Model,
        request: Request,
        on_attempt: Callable[[Attempt], None],
        on_start: Callable[[int], None] = lambda number: None,
    ) -> Reply:
        """The reply to `request`. Every attempt that ended is told to `on_attempt` first.

        `on_start` is told the number of an attempt right before it is sent, once our own limiter
        has let it through.

        A measured `latency_s` covers all attempts and backoffs and none of the waiting for our
        own limiter; a modelled one is the model's. Raises CallFailed when the policy is
        exhausted or another attempt cannot help, and UserError as the model raised it.
        """
        spent_s, number = 0.0, 0
        while True:
            number += 1
            limit_s = min(self._policy.attempt_s, self._policy.total_s - spent_s)
            start = partial(on_start, number)
            outcome, wall_at, wall_s = await self._attempt(model, request, limit_s, start)
            if isinstance(outcome, Reply):
                outcome = well_formed(outcome)
                if model.latency == "measured":
                    latency_s = spent_s + outcome.latency_s
                    outcome = msgspec.structs.replace(outcome, latency_s=latency_s)
                on_attempt(Attempt(number, outcome, "", "", wall_at, wall_s, True))
                return outcome
            spent_s += wall_s
            backoff_s = self._backoff_s(model, request, outcome, number, spent_s)
            detail = well_formed(outcome.detail[:DETAIL_CHARACTERS])
            final = backoff_s is None
            on_attempt(Attempt(number, None, outcome.cause, detail, wall_at, wall_s, final))
            if backoff_s is None:
                raise CallFailed(outcome.cause, detail) from outcome
            await self._sleep(backoff_s)
            spent_s += backoff_s

    async def _attempt(
        self, model: Model, request: Request, limit_s: float, on_start: Callable[[], None]
    ) -> tuple[Reply | ModelError, float, float]:
        async with self._slots.slot(model.group, model.in_flight, _tokens(request)) as slot:
            on_start()
            wall_at, start = self._wall(), self._now()
            outcome = await _complete(model, request, limit_s)
            wall_s = self._now() - start
            _account(slot, outcome)
        return outcome, wall_at, wall_s

    def _backoff_s(
        self, model: Model, request: Request, error: ModelError, number: int, spent_s: float
    ) -> float | None:
        """Seconds until the next attempt, or None when there shall be none."""
        policy = self._policy
        if not error.retryable or number >= policy.attempts:
            return None
        backoff_s = min(policy.most_backoff_s, policy.first_backoff_s * 2 ** (number - 1))
        backoff_s *= 1 - stream(number, "backoff", request.hash(model.name)).uniform() / 2
        backoff_s = max(backoff_s, error.retry_after_s or 0.0)
        return backoff_s if spent_s + backoff_s < policy.total_s else None


async def _complete(model: Model, request: Request, limit_s: float) -> Reply | ModelError:
    try:
        async with asyncio.timeout(limit_s):
            return await model.complete(request)
    except ModelError as error:
        return error
    except UserError:
        raise
    except TimeoutError:
        return ModelError("timeout", f"no reply within {limit_s:g} s", retryable=True)
    except Exception as error:
        return ModelError("client", f"{type(error).__name__}: {error}", retryable=False)


def _tokens(request: Request) -> int:
    return request.thread.characters // CHARACTERS_PER_TOKEN + (request.sampling.max_tokens or 0)


def _account(slot: Slot, outcome: Reply | ModelError) -> None:
    if isinstance(outcome, Reply):
        slot.tokens = outcome.usage.input + outcome.usage.output
    else:
        slot.rate_limited = outcome.cause == "rate_limited"
