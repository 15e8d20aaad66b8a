"""Lines: own and published results as rows of one table, best values marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from polyathlon.analysis.labels import marked
from polyathlon.analysis.omniplay.figures import TASKS, Row
from polyathlon.analysis.omniplay.published import Printed
from polyathlon.analysis.omniplay.results import Result
from polyathlon.analysis.report.format import NONE
from polyathlon.analysis.report.sheets import OWN, Sheet

PUBLISHED = "published"
ANCHORS = ("random", "human", "oracle")
"""Agents that are no contestants: their values are never marked as the best."""
LEVELS = ("easy", "medium", "hard", *TASKS)
"""The order of lines, by level or by task."""


class Shown(msgspec.Struct, frozen=True):
    """How a column of numbers is headed and printed, and which of its values is the best."""

    title: str
    digits: int = 1
    best: Literal["highest", "lowest", "none"] = "highest"

    def text(self, value: float | None) -> str:
        return NONE if value is None else f"{value:,.{self.digits}f}"


class Line(msgspec.Struct, frozen=True):
    """One row: the words that name it, its numbers by column, and whether it is a contestant."""

    source: str
    who: str
    level: str
    condition: str
    numbers: Row
    contestant: bool = True


def own(result: Result, **numbers: float | None) -> Line:
    """A result as a line, with further numbers where they are known."""
    known = {name: value for name, value in numbers.items() if value is not None}
    return Line(
        OWN,
        marked(result.entry.who, result.access),
        result.entry.level,
        result.treatment.name,
        {**result.columns, **known},
        contends(result),
    )


def contends(result: Result) -> bool:
    """Whether a result may be the best of a column: only plain players and no anchors may."""
    return result.access == "plain" and result.agent not in ANCHORS


def published(printed: Printed) -> Line:
    """A published line with its score, as mean, sd and sem, where there is one."""
    score = {} if printed.score is None else {"score": printed.score}
    spread = {"sd": printed.spread.sd, "sem": printed.spread.sem} if printed.spread else {}
    contestant = printed.who not in ANCHORS
    return Line(
        PUBLISHED,
        printed.who,
        printed.level,
        printed.treatment,
        {**printed.columns, **score, **spread},
        contestant,
    )


def sheet(
    title: str, lines: Iterable[Line], shown: Sequence[tuple[str, Shown]], note: str
) -> Sheet:
    """A table of lines, by level: own ones before published ones.

    The condition is left out where all lines have the same, and so are columns of numbers that
    no line has. The best value of a column is marked among the contestants of one level,
    condition and source.
    """
    lines = sorted(lines, key=lambda line: (_level(line.level), line.source == PUBLISHED))
    words = [(name, get) for name, get in _WORDS if _needed(name, get, lines)]
    kept = [(name, how) for name, how in shown if any(name in line.numbers for line in lines)]
    best = frozenset(
        (row, len(words) + place)
        for place, (name, how) in enumerate(kept)
        for row in _best(lines, name, how)
    )
    rows = tuple(
        (
            *(get(line) for _, get in words),
            *(how.text(line.numbers.get(name)) for name, how in kept),
        )
        for line in lines
    )
    names = (*(name for name, _ in words), *(how.title for _, how in kept))
    return Sheet(title, names, rows, len(words), note, best)


def _best(lines: Sequence[Line], name: str, how: Shown) -> list[int]:
    """The rows with the best value of a column, of groups of two lines or more."""
    groups: dict[tuple[str, str, str], list[tuple[int, float]]] = {}
    for row, line in enumerate(lines):
        if line.contestant and name in line.numbers and how.best != "none":
            place = line.source, line.level, line.condition
            groups.setdefault(place, []).append((row, line.numbers[name]))
    choose = max if how.best == "highest" else min
    found = []
    for group in groups.values():
        top = choose(value for _, value in group)
        winners = [row for row, value in group if value == top]
        found += winners if len(winners) < len(group) else []
    return found


def _level(name: str) -> int:
    return LEVELS.index(name) if name in LEVELS else len(LEVELS)


def _needed(name: str, get: Callable[[Line], str], lines: Sequence[Line]) -> bool:
    return name != "condition" or len({get(line) for line in lines}) > 1


_WORDS: tuple[tuple[str, Callable[[Line], str]], ...] = (
    ("source", lambda line: line.source),
    ("who", lambda line: line.who),
    ("level", lambda line: line.level),
    ("condition", lambda line: line.condition),
)
