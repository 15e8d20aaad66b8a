"""Bounds: what one episode may use, and what a whole run may spend."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import anyio
import msgspec

from polyathlon.core.episodes import Limits
from polyathlon.core.models import Model, Reply, Request, Usage

DEFAULT_MAX_TOKENS = 4_096
BUDGET = "budget_usd"
"""Why an episode stops for which the run has no money."""


class LimitReached(Exception):
    """An episode used up one of its limits; it ends as truncated with this cause."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"limit reached: {limit}")
        self.cause = f"limit:{limit}"


class BudgetReached(Exception):
    """The run's money is spent or reserved; the episode stops and can be resumed."""


class Meter:
    """What an episode has used so far. Cost is None once a price was unknown.

    `queued` calls are admitted but not sent yet; `booked_usd` is for what kills cut off.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start = time.monotonic()
        self.calls = 0
        self.queued = 0
        self.attempts = 0
        self.usage = Usage()
        self.cost_usd: float | None = 0.0
        self.booked_usd: float | None = 0.0

    @property
    def wall_s(self) -> float:
        return time.monotonic() - self._start

    def count(self, reply: Reply) -> None:
        """Add a reply's usage and cost."""
        self.spend(reply.usage, reply.cost_usd)

    def spend(self, usage: Usage, cost_usd: float | None) -> None:
        """Add what something used and cost."""
        self.usage += usage
        self.cost_usd = _sum(self.cost_usd, cost_usd)

    def book(self, usd: float | None) -> None:
        """Add the most that a call could cost which was cut off."""
        self.cost_usd = _sum(self.cost_usd, usd)

    def interrupted(self, usd: float | None) -> None:
        """Add the most that a call could cost which a kill cut off and which is made again."""
        self.booked_usd = _sum(self.booked_usd, usd)

    def check_call(self) -> None:
        """Raises LimitReached when another model call is not allowed."""
        limits = self._limits
        if limits.calls is not None and self.calls + self.queued >= limits.calls:
            raise LimitReached("calls")
        if limits.tokens is not None and self.usage.input + self.usage.output >= limits.tokens:
            raise LimitReached("tokens")
        if limits.cost_usd is not None and (self.cost_usd or 0.0) >= limits.cost_usd:
            raise LimitReached("cost_usd")

    def reached(self, turns: int) -> str | None:
        """The limit that ends the episode before another turn, or None."""
        limit = self._limits.turns
        return "limit:turns" if limit is not None and turns >= limit else None

    def wall_time_is_up(self) -> bool:
        """Whether the episode has taken as long as it may."""
        limit_s = self._limits.wall_s
        return limit_s is not None and self.wall_s >= limit_s


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


class Refused(msgspec.Struct, frozen=True):
    """A call that the money did not suffice for, and where the purse stood; in US dollars."""

    limit_usd: float
    spent_usd: float
    reserved_usd: float
    asked_usd: float

    def words(self) -> str:
        """What was there, what was asked for, and what to type."""
        limit, asked = f"{self.limit_usd:.4g} USD", f"{self.asked_usd:.4g} USD"
        fewer = "let calls cost less with --harness max_tokens=N"
        if self.asked_usd > self.limit_usd:
            return (
                f"one call can cost {asked}, more than the whole budget of {limit}: "
                f"{fewer}, or give at least --budget-usd {_up(self.asked_usd)}"
            )
        more = _up(self.spent_usd + self.reserved_usd + self.asked_usd)
        return (
            f"of {limit}, {self.spent_usd:.4g} were spent and {self.reserved_usd:.4g} reserved for "
            f"calls in flight, and the next call can cost {asked}: go on with --resume and more "
            f"than --budget-usd {more}, or {fewer}"
        )


def _asked(refused: Refused) -> float:
    return refused.asked_usd


def _up(usd: float) -> str:
    """US dollars, rounded up to two significant figures, so that they suffice."""
    if usd <= 0:
        return "0.01"
    step = 10.0 ** (math.floor(math.log10(usd)) - 1)
    return f"{math.ceil(usd / step - 1e-9) * step:.10g}"


class Purse:
    """Money of a whole run in US dollars. Calls in flight reserve the most they can cost.

    That is far more than most of them cost, so what does not fit beside them waits for them.
    """

    def __init__(self, limit_usd: float | None, spent_usd: float = 0.0) -> None:
        self._limit_usd = limit_usd
        self._reserved_usd, self._open = 0.0, 0
        self._settled = anyio.Event()
        self._refused: Refused | None = None
        self.spent_usd = spent_usd

    async def reserve(self, usd: float) -> bool:
        """Set money aside for a call, once it is there; False when it will never be."""
        if self._limit_usd is None:
            return True
        while self.spent_usd + self._reserved_usd + usd > self._limit_usd:
            if not self._open or self.spent_usd + usd > self._limit_usd:
                refused = Refused(self._limit_usd, self.spent_usd, self._reserved_usd, usd)
                self._refused = max(self._refused or refused, refused, key=_asked)
                return False
            await self._settled.wait()
        self._reserved_usd += usd
        self._open += 1
        return True

    def refusal(self) -> str:
        """What the dearest call that was refused lacked, and what to do; "" where none was."""
        return "" if self._refused is None else self._refused.words()

    def settle(self, reserved_usd: float, cost_usd: float | None) -> None:
        """Replace a reservation by what the call cost."""
        if self._limit_usd is not None:
            self._open -= 1
            self._reserved_usd = self._reserved_usd - reserved_usd if self._open else 0.0
        self.spent_usd += cost_usd or 0.0
        self._settled.set()
        self._settled = anyio.Event()


def most_usd(model: Model, request: Request) -> float | None:
    """The most that one attempt can cost, at the prices of all kinds of tokens.

    None where the price is unknown. A model that is not `Bounded` is taken to answer in at most
    `max_tokens`, or `DEFAULT_MAX_TOKENS` where a request names none.
    """
    if model.price is None:
        return None
    if not (model.price.input or model.price.output):
        return 0.0
    bound: Callable[[Request], Usage] | None = getattr(model, "most", None)
    if bound is None:
        return model.price.most(request.most(request.sampling.max_tokens or DEFAULT_MAX_TOKENS))
    return model.price.most(bound(request))
