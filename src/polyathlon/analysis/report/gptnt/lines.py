"""Lines: own and published results as rows of one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from polyathlon.analysis.gptnt.figures import AVERAGE
from polyathlon.analysis.gptnt.games import Share
from polyathlon.analysis.gptnt.probes import Accuracy
from polyathlon.analysis.report.format import NONE
from polyathlon.analysis.report.sheets import OWN, Sheet

PUBLISHED = "published"
SOURCE = "source"


class Line(msgspec.Struct, frozen=True):
    """One row: the words that name it, and its numbers as they are printed."""

    source: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]


def sheet(
    title: str,
    words: Sequence[str],
    numbers: Sequence[str],
    lines: Iterable[Line],
    note: str = "",
) -> Sheet | None:
    """A table of lines, None without any.

    The source is left out where all lines are of this run, and so are columns that say nothing.
    """
    lines = list(lines)
    if not any(line.source == OWN for line in lines):
        return None
    sources = [PUBLISHED in {line.source for line in lines}]
    kept = [*sources, *(any(line.words[at] for line in lines) for at in range(len(words)))]
    shown = [any(line.numbers[at] != NONE for line in lines) for at in range(len(numbers))]
    rows = [(line.source, *line.words, *line.numbers) for line in lines]
    return Sheet(
        title,
        _kept((SOURCE, *words, *numbers), [*kept, *shown]),
        tuple(_kept(row, [*kept, *shown]) for row in rows),
        sum(kept),
        note,
    )


def percent(share: float | None) -> str:
    """A share of 1 in percent, without the sign."""
    return NONE if share is None else f"{100 * share:.1f}"


def rate(share: Share) -> str:
    """A share in percent; a dash without occasions."""
    return percent(share.share)


def with_interval(share: Share | Accuracy) -> str:
    """A share in percent with its 95 % interval."""
    if share.interval is None:
        return NONE
    return f"{percent(share.share)} ({bounds(share)})"


def bounds(share: Share | Accuracy) -> str:
    """The 95 % interval in whole percent."""
    if share.interval is None:
        return NONE
    low, high = share.interval
    return f"{100 * low:.0f}–{100 * high:.0f}"


def printed(value: float | None, digits: int = 1) -> str:
    """A number with its decimals; a dash for none."""
    return NONE if value is None else f"{value:,.{digits}f}"


def model(name: str) -> str:
    """What a published row is called."""
    return "mean of models" if name == AVERAGE else name


def joined(*parts: str) -> str:
    """The sentences of a note that there are."""
    return " ".join(filter(None, parts))


def _kept(cells: Sequence[str], kept: Sequence[bool]) -> tuple[str, ...]:
    return tuple(cell for cell, keep in zip(cells, kept, strict=True) if keep)
