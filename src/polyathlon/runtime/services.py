"""What episodes of one run share: models, tools, media, money, processes."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import msgspec

from polyathlon.core import trace
from polyathlon.core.models import Model
from polyathlon.core.parts import Part
from polyathlon.core.tools import Tool
from polyathlon.runtime.caller import Caller

R = TypeVar("R")


class Compute(Protocol):
    """Runs pure functions, in this process or in a pool."""

    async def __call__(self, function: Callable[..., R], *arguments: Any) -> R: ...


class Services(msgspec.Struct):
    """What episodes of one run share.

    `reserve` asks for the money of a call (None: no money limit) and `settle` says what it cost;
    `store` keeps a medium and `load` gives back what a trace names; `clock_s` is a monotonic clock
    in seconds.
    """

    model: Callable[[str], Model]
    caller: Caller
    tool: Callable[[str], Tool]
    compute: Compute
    store: Callable[[Part], None]
    load: Callable[[trace.Ref], Part]
    clock_s: Callable[[], float]
    reserve: Callable[[float], Awaitable[bool]] | None = None
    settle: Callable[[float, float | None], Awaitable[None]] | None = None


async def inline(function: Callable[..., R], *arguments: Any) -> R:
    """A Compute that runs in this process."""
    result: R | Awaitable[R] = function(*arguments)
    assert not inspect.isawaitable(result)
    return result
