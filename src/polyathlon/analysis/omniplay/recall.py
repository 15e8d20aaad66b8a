"""Recall: how a shown sequence was written down, place by place, and in what pattern it failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core import trace
from polyathlon.envs.omniplay.echoes.answers import Transcribing, Transcription

Pattern: TypeAlias = Literal[
    "right", "first missing", "last missing", "one early", "one late", "other", "unparsed"
]
SHIFTS: tuple[Pattern, ...] = ("first missing", "last missing", "one early", "one late")
SYSTEMATIC = 0.8
"""The share of a player's failures that must show one pattern to call it systematic."""


class Recalled(msgspec.Struct, frozen=True):
    """One transcription beside the truth; `answer` is None when it could not be read."""

    cells: tuple[tuple[int, int], ...]
    icons: tuple[str, ...]
    answer: Transcription | None

    @property
    def pattern(self) -> Pattern:
        """How the coordinates or else the icons failed; `right` when both are right."""
        if self.answer is None:
            return "unparsed"
        cells = pattern(self.cells, self.answer.cells)
        icons = pattern(self.icons, self.answer.icons)
        if cells == icons:
            return cells
        return next((one for one in (cells, icons) if one in SHIFTS), "other")


class Curve(msgspec.Struct, frozen=True):
    """Accuracy at each list position, from the first, of cells and of icon names, in [0, 1]."""

    cells: tuple[float, ...]
    icons: tuple[float, ...]
    n: int


def recalled(events: Iterable[trace.Event]) -> Recalled | None:
    """The transcription of an episode of echoes, or None when it has none.

    The truth is what the clip shows, delivered or not.
    """
    shown: trace.Sensed | None = None
    for event in events:
        match event:
            case trace.Observed():
                true = event.truth or event.percepts
                shown = next((sensed for sensed in true if "cells" in sensed.facts), None)
            case trace.Acted() if shown is not None and shown.channel == "clip":
                return _recalled(shown, event.action)
    return None


def pattern(truth: Sequence[object], answer: Sequence[object]) -> Pattern:
    """How an answer of a list relates to the truth (section 11)."""
    truth, answer = list(truth), list(answer)
    if answer == truth:
        return "right"
    if len(truth) < 2 or not answer:
        return "other"
    if answer == truth[1:]:
        return "first missing"
    if answer == truth[:-1]:
        return "last missing"
    if answer[:-1] == truth[1:]:
        return "one early"
    return "one late" if answer[1:] == truth[:-1] else "other"


def systematic(found: Iterable[Recalled]) -> tuple[Pattern, float] | None:
    """The pattern that at least `SYSTEMATIC` of the failures share, with its share, or None."""
    failures = Counter(one.pattern for one in found if one.pattern != "right")
    if not failures:
        return None
    most, count = failures.most_common(1)[0]
    share = count / failures.total()
    return (most, share) if most in SHIFTS and share >= SYSTEMATIC else None


def curve(found: Sequence[Recalled]) -> Curve:
    """Accuracy by list position over transcriptions of one length; unread ones count as wrong."""
    none = Transcription((), ())
    answers = [one.answer or none for one in found]
    cells = [(one.cells, answer.cells) for one, answer in zip(found, answers, strict=True)]
    icons = [(one.icons, answer.icons) for one, answer in zip(found, answers, strict=True)]
    return Curve(_by_place(cells), _by_place(icons), len(found))


def _by_place(pairs: Sequence[tuple[Sequence[object], Sequence[object]]]) -> tuple[float, ...]:
    """The share of pairs of truth and answer that agree at each place of the truth."""
    places = range(max((len(truth) for truth, _ in pairs), default=0))
    return tuple(
        sum(truth[i : i + 1] == answer[i : i + 1] for truth, answer in pairs) / len(pairs)
        for i in places
    )


class _Clip(msgspec.Struct, frozen=True):
    """What a clip's facts say."""

    rows: int
    columns: int
    cells: tuple[tuple[int, int], ...]
    icons: tuple[str, ...]


def _recalled(shown: trace.Sensed, action: str | None) -> Recalled:
    clip = msgspec.convert(shown.facts, _Clip)
    space = Transcribing(clip.rows, clip.columns, clip.icons)
    answer = None if action is None else space.parse(action)
    return Recalled(clip.cells, clip.icons, answer if isinstance(answer, Transcription) else None)
