"""Trust and recall: which sense a player followed, and how it remembered, from traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from polyathlon.analysis.labels import known_env
from polyathlon.analysis.omniplay.arms import Arm, Entry, Treatment, sense_of
from polyathlon.analysis.omniplay.cues import Followed, followed
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


class Trust(msgspec.Struct, frozen=True):
    """The cues a player followed under one treatment of a level.

    `senses` names the sense of each cue's channel. `hierarchy` orders the senses by bias, the
    most trusted first; those that nothing contradicted are left out.
    """

    entry: Entry
    treatment: Treatment
    cues: tuple[Followed, ...]
    senses: Mapping[str, str]

    @property
    def hierarchy(self) -> tuple[str, ...]:
        disputed = [(cue.bias, cue.channel) for cue in self.cues if cue.bias is not None]
        ranked = sorted(disputed, key=lambda pair: -pair[0])
        return tuple(self.senses[channel] for _, channel in ranked)


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


def trusts(arms: Sequence[Arm], events: Events) -> Iterator[Trust]:
    """The cues followed in every conflict, and in the baselines beside them."""
    disputed = {arm.entry for arm in arms if arm.treatment.kind == "conflict"}
    for arm in arms:
        if arm.entry in disputed and arm.treatment.kind in ("conflict", "baseline"):
            env = arm.seats[0][0].env
            cues = tuple(followed(env, (events(row) for row, _ in arm.seats)))
            senses = {cue.channel: sense_of(known_env(env), cue.channel) for cue in cues}
            yield Trust(arm.entry, arm.treatment, cues, senses)


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
