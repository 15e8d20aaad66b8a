"""Reflections on 2048: whether what an agent says of its last move is what happened.

The texts are free, so this reads what is said plainly: tiles made, points gained, that nothing
merged, and how the number of empty cells changed. Sentences about the future claim nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Any, Literal, TypeAlias

import msgspec

from polyathlon.core import trace
from polyathlon.core.scoring import Scorer, ScorerContext, Scores
from polyathlon.scorers.reading import spoken, turns

Board: TypeAlias = Sequence[Sequence[int]]
Kind: TypeAlias = Literal["made", "gain", "counts", "change"]
Value: TypeAlias = int | tuple[int, int]
Facts: TypeAlias = Mapping[Kind, frozenset[Value]]

SUBJECTS: Mapping[Kind, str] = {
    "made": "merge", "gain": "merge", "counts": "empty", "change": "empty"
}  # fmt: skip
SHOWN_ERRORS = 20

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)}
_N = rf"(\d{{1,6}}|{'|'.join(_WORDS)})\b"

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_AHEAD = re.compile(
    r"\b(?:should|could|would|will|can|may|might|must|need|next|plan|try|aim|if|avoid|consider)\b",
    re.I,
)
_TILES = re.compile(r"\b(?:merg|combin|join|tile)", re.I)
_MADE = re.compile(
    r"\b(?:into|ma[dk]e|making|created?|creating|formed|forming|producing|produced)\s+"
    r"(?:(?:an?|one|another|new|the)\s+)*(\d{1,6})\b",
    re.I,
)
_GAIN = re.compile(
    r"\b(?:gain(?:ed|s)?|scored)\b[^\d.\n]{0,20}?(\d{1,6})\b"
    r"(?!\s+(?:more\s+|new\s+|extra\s+)?(?:empty|free|cell|space|tile))"
    r"|\b(\d{1,6})\s+points",
    re.I,
)
_UNMERGED = re.compile(
    r"\bno (?:tiles? )?(?:were |was )?merge[sd]?\b|\bnothing (?:was )?merged\b"
    r"|\bmerged nothing\b|\bwithout (?:any )?merg|\bdid(?: not|n.t) merge any",
    re.I,
)
_EMPTY = re.compile(r"\b(?:empty|free (?:cell|space)|open (?:cell|space))", re.I)
_FROM_TO = re.compile(rf"\bfrom {_N}(?: empty(?: cells?)?)? to {_N}", re.I)
_UP = re.compile(
    rf"\b(?:increased|rose|grew|up) by {_N}|\b{_N} more (?:empty|free|open)"
    rf"|\b(?:freed|opened)(?: up)? {_N}",
    re.I,
)
_DOWN = re.compile(
    rf"\b(?:decreased|reduced|dropped|fell|shrank|down) by {_N}"
    rf"|\b{_N} (?:fewer|less) (?:empty|free|open)|\b(?:lost|filled) {_N}",
    re.I,
)
_SAME = re.compile(
    r"\bunchanged\b|\bno change\b|\bdid(?: not|n.t) change\b|\b(?:number|count)\b.*\bthe same\b",
    re.I,
)


class Claim(msgspec.Struct, frozen=True):
    """A value that a sentence states: a tile made, points gained, empty cells as (before, after)
    or by how many they changed."""

    kind: Kind
    value: Value
    sentence: str


Review: TypeAlias = list[tuple[Claim, bool]]
"""The claims of one reflection, each with whether it is true."""


def claims(text: str) -> Iterator[Claim]:
    """What a reflection states about merges and empty cells."""
    for sentence in _SENTENCE.split(spoken(text)):
        if not _AHEAD.search(sentence):
            for kind, value in (*_merges_stated(sentence), *_empties_stated(sentence)):
                yield Claim(kind, value, sentence)


def _merges_stated(sentence: str) -> Iterator[tuple[Kind, Value]]:
    if _UNMERGED.search(sentence):
        yield "gain", 0
        return
    for found in _MADE.finditer(sentence) if _TILES.search(sentence) else ():
        tile = int(found[1])
        if tile >= 4 and tile & (tile - 1) == 0:
            yield "made", tile
    for found in _GAIN.finditer(sentence):
        yield "gain", int(found[1] or found[2])


def _empties_stated(sentence: str) -> Iterator[tuple[Kind, Value]]:
    if not _EMPTY.search(sentence):
        return
    for before, after in _FROM_TO.findall(sentence):
        yield "counts", (_number(before), _number(after))
    for sign, pattern in ((1, _UP), (-1, _DOWN)):
        for groups in pattern.findall(sentence):
            yield "change", sign * _number("".join(groups))
    if _SAME.search(sentence):
        yield "change", 0


def _number(text: str) -> int:
    return _NUMBERS[text.lower()] if text.lower() in _NUMBERS else int(text)


def facts(before: Any, after: Any) -> Facts:
    """The true values of a move between two states of 2048; a tile made twice counts once."""
    boards = before["board"], after["board"]
    empty, left = (sum(row.count(0) for row in board) for board in boards)
    return {
        "made": frozenset(merges(*boards)),
        "gain": frozenset({after["gain"]}),
        "counts": frozenset({(empty, left)}),
        "change": frozenset({left - empty}),
    }


def merges(before: Board, after: Board) -> dict[int, int]:
    """How many tiles of each value one slide made, from the boards around it and its new tile.

    Sliding keeps the sum, so the sum grew by the new tile. Going up from the 2s, what is missing
    of a value after merges made some of it has merged in pairs.
    """
    old, new = (Counter(chain.from_iterable(board)) for board in (before, after))
    new[sum(new.elements()) - sum(old.elements())] -= 1
    made: dict[int, int] = {}
    value, fresh = 2, 0
    while value <= max(new):
        fresh = (old[value] + fresh - new[value]) // 2
        if fresh:
            made[2 * value] = fresh
        value *= 2
    return made


def reviews(events: Sequence[trace.Event]) -> dict[int, Review]:
    """The reflections of an episode of 2048 by the decision they came before.

    A reflection covers the moves since the one before it; what is so of any of them is true.
    """
    happened = [facts(turn.before, turn.after) for turn in turns(events)]
    found: dict[int, Review] = {}
    since = 0
    for event in events:
        if isinstance(event, trace.Attempted) and event.purpose == "reflect" and event.reply:
            covered = happened[since : event.turn]
            found[event.turn] = [
                (claim, any(claim.value in true[claim.kind] for true in covered))
                for claim in claims(event.reply.text)
            ]
            since = event.turn
    return found


def measured(found: Collection[Review]) -> dict[str, float]:
    """The metrics of some reflections; without any, their count alone."""
    values = {"reflections": float(len(found))}
    for subject in dict.fromkeys(SUBJECTS.values()) if found else ():
        stated = [[so for c, so in review if SUBJECTS[c.kind] == subject] for review in found]
        values[f"{subject}_stated"] = fmean(map(bool, stated))
        if any(stated):
            values[f"{subject}_precision"] = fmean(chain.from_iterable(stated))
    if found:
        values["exact"] = fmean(map(_exact, found))
    return values


def _exact(review: Review) -> bool:
    subjects = {SUBJECTS[claim.kind] for claim, _ in review}
    return subjects == set(SUBJECTS.values()) and all(so for _, so in review)


class Reflections:
    """Scores `reflections` (LMGame-Bench asks for the comparison; the measure is our own).

    For merges and for empty cells: `*_stated` is the share of reflections that state something,
    `*_precision` the share of what they state that is true. `exact` is the share that states
    both, and nothing false.
    """

    name = "reflections"
    version = 1
    asks = False
    envs: tuple[str, ...] = ("lmgame/twenty48-v0",)

    async def score(self, events: Sequence[trace.Event], ctx: ScorerContext) -> Scores:
        found = reviews(events)
        notes = [
            f"before turn {turn}, not so: {claim.sentence}"
            for turn, review in found.items()
            for claim, so in review
            if not so
        ]
        return Scores(measured(found.values()), notes=tuple(notes[:SHOWN_ERRORS]))


def reflections() -> Scorer:
    """Whether reflections on 2048 state the true merges and the true change of empty cells."""
    return Reflections()
