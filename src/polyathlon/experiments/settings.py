"""How a run is carried out, and where it stands. None of it is part of an episode's id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from polyathlon.core.models import Price
from polyathlon.experiments.trust import NOTHING, Trust
from polyathlon.runtime.caller import RetryPolicy
from polyathlon.runtime.ratelimit import RateLimits


class Settings(msgspec.Struct, frozen=True):
    """`concurrency` episodes at once over all `workers`; `rates` bound calls by provider group.

    `imports` are modules that register envs, agents or models; worker processes import them too.
    `logins` are those of servers, by `scheme://host:port`: names of models hold none.
    `trust` says what the traces of the run may name when they are played again.
    """

    concurrency: int = 8
    workers: int = 1
    budget_usd: float | None = None
    media: Literal["keep", "hash"] = "keep"
    retry_failed: bool = False
    prices: Mapping[str, Price] = {}
    rates: Mapping[str, RateLimits] = {}
    retry: RetryPolicy = RetryPolicy()
    imports: tuple[str, ...] = ()
    logins: Mapping[str, str] = {}
    trust: Trust = NOTHING


class Progress(msgspec.Struct):
    """Where a run stands; changes as it goes. `problems` are the causes of stops, each once."""

    total: int
    started_at: float
    done: int = 0
    failed: int = 0
    stopped: int = 0
    turns: int = 0
    calls: int = 0
    spent_usd: float = 0.0
    unknown_cost: bool = False
    problems: list[str] = []
