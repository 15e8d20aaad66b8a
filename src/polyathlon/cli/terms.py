"""Flags that say under which terms a run goes on: what it remembers holds unless they change it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from polyathlon.core.addresses import bare
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price
from polyathlon.experiments.terms import Terms
from polyathlon.runtime.ratelimit import RateLimits

NONE = "none"
Budget = float | Literal["none"]
_T = TypeVar("_T")


class Given(msgspec.Struct, frozen=True):
    """What the command line says; None and () mean what the run remembers."""

    budget_usd: Budget | None = None
    prices: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    attempt_s: float | None = None
    media: Literal["keep", "hash"] | None = None
    imports: tuple[str, ...] = ()


def settled(given: Given, remembered: Terms) -> Terms:
    """The terms that hold from now on. Raises UserError for a flag that cannot be read."""
    return Terms(
        budget(given.budget_usd, remembered.budget_usd),
        prices(given.prices, remembered.prices),
        _changed(remembered.rates, (_rate(item) for item in given.rates)),
        _or(given.attempt_s, remembered.attempt_s),
        _or(given.media, remembered.media),
        given.imports,
    )


def budget(given: Budget | None, remembered: float | None) -> float | None:
    """US dollars, or None for no budget."""
    if given is None:
        return remembered
    if isinstance(given, str):
        return None
    if not (math.isfinite(given) and given >= 0):
        raise UserError(f"--budget-usd takes US dollars, or none, not {given}")
    return float(given)


def prices(given: Iterable[str], remembered: Mapping[str, Price]) -> dict[str, Price]:
    """Prices by model; `none` forgets all of them, `MODEL=none` one."""
    return _changed(remembered, (_price(item) for item in given))


def check_imports(given: Iterable[str], remembered: Iterable[str], out: Path) -> None:
    """Raises UserError for a module that a run was played with and that was not named again."""
    for name in remembered:
        if name not in given:
            raise UserError(
                f"{out} was played with --import {name}: name it again, for no code runs because a "
                "file names it, or go on without it by --amend"
            )


def _changed(remembered: Mapping[str, _T], given: Iterable[tuple[str, _T | None]]) -> dict[str, _T]:
    found = dict(remembered)
    for name, value in given:
        if value is not None:
            found[name] = value
        elif name:
            found.pop(name, None)
        else:
            found.clear()
    return found


def _price(item: str) -> tuple[str, Price | None]:
    name, _, values = item.rpartition("=")
    if values == NONE:
        return bare(name), None
    try:
        dollars, out, *rest = [float(value) for value in values.split(",")]
    except ValueError:
        raise UserError(f"--price takes MODEL=INPUT,OUTPUT, not {item!r}") from None
    numbers = (dollars, out, *rest)
    if not name or len(rest) > 1 or not all(math.isfinite(n) and n >= 0 for n in numbers):
        raise UserError(f"--price takes MODEL=INPUT,OUTPUT, not {item!r}")
    return bare(name), Price(dollars, out, cached=rest[0] if rest else None)


def _rate(item: str) -> tuple[str, RateLimits | None]:
    if item == NONE:
        return "", None
    group, _, values = item.partition("=")
    if values == NONE:
        return bare(group), None
    try:
        in_flight, *per_minute = [float(value) for value in values.split(",")]
        return bare(group), RateLimits(int(in_flight), *per_minute)
    except (ValueError, TypeError, OverflowError):
        raise UserError(f"--rate takes GROUP=IN_FLIGHT[,REQUESTS[,TOKENS]], not {item!r}") from None


def _or(given: _T | None, remembered: _T) -> _T:
    return remembered if given is None else given
