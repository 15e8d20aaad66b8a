"""Recall: how a player remembered what it was shown, from traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from polyathlon.analysis.omniplay.arms import Arm, Entry, Treatment
from polyathlon.analysis.omniplay.recall import (
    Curve,
    Pattern,
    Recalled,
    curve,
    recalled,
    systematic,
)
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.core import trace

Events: TypeAlias = Callable[[EpisodeRow], Iterable[trace.Event]]
"""The trace of an episode."""


class Recall(msgspec.Struct, frozen=True):
    """What a player wrote down under one treatment of a level.

    `patterns` counts how transcriptions failed, `right` ones too; `systematic` is the shift
    that at least 80 % of the failures share, with its share (section 11). `case` is the first
    transcription that failed in the most frequent way, or a right one where none failed.
    """

    entry: Entry
    treatment: Treatment
    curve: Curve
    patterns: Mapping[Pattern, int]
    systematic: tuple[Pattern, float] | None
    case: Recalled


def recalls(arms: Iterable[Arm], events: Events) -> Iterator[Recall]:
    """The transcriptions of every arm of echoes that has any."""
    for arm in arms:
        if arm.entry.game != "echoes":
            continue
        found = [one for row, _ in arm.seats if (one := recalled(events(row))) is not None]
        if found:
            patterns = Counter(one.pattern for one in found)
            yield Recall(
                arm.entry, arm.treatment, curve(found), patterns, systematic(found), _case(found)
            )


def _case(found: Sequence[Recalled]) -> Recalled:
    failures = [one for one in found if one.pattern != "right"]
    if not failures:
        return found[0]
    ((most, _),) = Counter(one.pattern for one in failures).most_common(1)
    return next(one for one in failures if one.pattern == most)
