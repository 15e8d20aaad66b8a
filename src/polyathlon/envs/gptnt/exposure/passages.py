"""An answer cut into passages: sentences and table cells with the headings they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

_SENTENCE = re.compile(r"(?<=[.;!?])\s+")
_LISTED = re.compile(r"\s*(?:[-*•]\s|\d+[.)])")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_MARKS = " \t*_#>|-•"
_BOLD, _PLAIN = 7, 8
_HEADING_WORDS = 12
_NARROW = 3
"""Cells of a row that is read as a whole too: wider ones would bring words together by chance."""


def passages(answer: str) -> Iterator[str]:
    """Each sentence, table cell and short table row behind the headings above it, outermost first.

    A heading is a line that starts with `#`, is bold as a whole, ends in a colon, or is short,
    without a full stop and no item of a list. It counts until one of the same or a higher rank:
    `#` before `##`, then bold, then by indentation. A cell stands behind the first cell of its
    row and the head of its column.
    """
    headings: list[tuple[int, str]] = []
    lines = (line for line in answer.splitlines() if line.strip(_MARKS))
    for is_table, block in groupby(lines, key=lambda line: " | " in line):
        if is_table:
            rows = [_cells(line) for line in block if not _RULE.fullmatch(line)]
            yield from (_under(headings, text) for text in _table(rows))
            continue
        for line in block:
            rank, text = _rank(line), line.strip(_MARKS)
            if rank is not None:
                while headings and headings[-1][0] >= rank:
                    headings.pop()
            yield from (_under(headings, sentence) for sentence in _SENTENCE.split(text))
            if rank is not None:
                headings.append((rank, text))


def _under(headings: Sequence[tuple[int, str]], text: str) -> str:
    return " ".join([*(heading for _, heading in headings), text])


def _cells(line: str) -> list[str]:
    return [cell.strip(_MARKS) for cell in line.strip("| \t").split("|")]


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    head = rows[0]
    for row in rows:
        if len(row) <= _NARROW:
            yield " ".join(row)
        for name, cell in zip(head[1:], row[1:], strict=False):
            yield f"{row[0]} {name} {cell}"


def _rank(line: str) -> int | None:
    """How deep a heading is, or None where the line is none."""
    bare = line.strip()
    if bare.startswith("#"):
        return min(len(bare) - len(bare.lstrip("#")), _BOLD - 1)
    indent = len(line) - len(line.lstrip())
    if bare.startswith("**") and bare.rstrip(":").endswith("**"):
        return _BOLD + indent
    short = len(bare.split()) <= _HEADING_WORDS and not bare.endswith((".", ";", "!", "?"))
    titled = bare.rstrip("* ").endswith(":") or (short and not _LISTED.match(line))
    return _PLAIN + indent if titled else None
