"""How a run is carried out, and where it stands. None of it is part of an episode's id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.episodes import Ending
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


Mishap: TypeAlias = Literal["failed", "stopped", "cut"]
"""How an episode ends that does not come to its own end; `cut` is by one of its limits."""


def mishap(status: Ending, cause: str) -> Mishap | None:
    """What became of an episode that has ended so; None where it came to its own end."""
    if status == "failed":
        return "failed"
    return "cut" if status == "truncated" and cause.startswith("limit:") else None


class Group(msgspec.Struct):
    """Episodes with one mishap for one cause: how many, the id of one, and more about it."""

    example: str
    count: int = 0
    detail: str = ""


class Progress(msgspec.Struct):
    """Where a run stands; changes as it goes.

    `problems` are the causes of stops, each once, and what else went wrong beside episodes;
    `mishaps` groups episodes by what became of them and why.
    """

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
    mishaps: dict[tuple[Mishap, str], Group] = {}
