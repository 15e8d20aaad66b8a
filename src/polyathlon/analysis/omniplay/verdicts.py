"""Verdicts on removed senses: were they needed, or was less more?"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from polyathlon.analysis.omniplay.nps import Spread


class Removal(msgspec.Struct, frozen=True):
    """What the removal of one modality did: the change of the mean and of its standard error.

    `beyond` says that the change is larger than both standard errors together.
    """

    modality: str
    change: float
    sem_change: float
    beyond: bool


class Verdict(msgspec.Struct, frozen=True):
    """`necessity`: every removal lowers the score. `less_is_more`: some removal raises it by more
    than the summed standard errors (section 10.2)."""

    necessity: bool
    less_is_more: bool
    removals: tuple[Removal, ...]


def verdict(full: Spread, without: Mapping[str, Spread]) -> Verdict:
    """The verdict on scores of which higher ones are better; `without` is keyed by modality."""
    removals = tuple(_removal(name, full, spread) for name, spread in without.items())
    return Verdict(
        necessity=bool(removals) and all(removal.change < 0 for removal in removals),
        less_is_more=any(removal.change > 0 and removal.beyond for removal in removals),
        removals=removals,
    )


def _removal(name: str, full: Spread, spread: Spread) -> Removal:
    change = spread.mean - full.mean
    return Removal(name, change, spread.sem - full.sem, abs(change) > full.sem + spread.sem)
