"""Myriad Echoes: what may be answered in each phase, and how it is read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Literal

import msgspec

from polyathlon.core.actions import MAX_ACTION_CHARS, Malformed, gbnf_literal, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls, Region
from polyathlon.envs.omniplay.echoes.grid import (
    HEIGHT_PX,
    WIDTH_PX,
    Cell,
    boxes,
    cell_at,
    cells,
)

ANIMALS = ("dog", "cat", "bird", "cow", "sheep", "chicken")
INSTRUMENTS = ("piano", "trumpet", "drum", "flute")
KINDS = ANIMALS + INSTRUMENTS
MOST_ITEMS = 100

_ASCII = str.maketrans("（），、［］【】：；“”‘’", "(),,[][]:;\"\"''")
_PAIR = r"\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)"
_MARKS = r"[\s*_`'\"]*"
_BETWEEN = r"[\s,;]*"
_CELLS = re.compile(
    rf"sequence[\s_]+analysis{_MARKS}:{_MARKS}\[\s*((?:{_PAIR}{_BETWEEN})+)\]", re.I
)
_ICONS = re.compile(
    rf"sequence[\s_]+icons{_MARKS}:{_MARKS}\[([\s,;'\"`]*[a-z][\sa-z,;'\"`]*)\]", re.I
)
_GATHERED = re.compile(rf"(?:{_PAIR}\s*[a-z]+{_BETWEEN})+", re.I)
_COORDINATES = re.compile(_PAIR)
_NAME = re.compile(r"[a-z]+", re.I)
_CLICK = re.compile(rf"suggested[\s_]+click{_MARKS}:{_MARKS}{_PAIR}", re.I)


class Transcription(msgspec.Struct, frozen=True):
    """A written sequence: cells and icon names in order, of any length and not always in step."""

    cells: tuple[Cell, ...]
    icons: tuple[str, ...]


class Click(msgspec.Struct, frozen=True):
    """A click on a row and column, both from 1."""

    row: int
    column: int


def listed(cells: Iterable[Cell]) -> str:
    """Cells as the answer format writes them."""
    return " ".join(f"({row},{column})" for row, column in cells)


class Transcribing(msgspec.Struct, frozen=True):
    """The answers of phase 1: both lists, or the words that clicks on the clip gather.

    Any coordinates and names are read: the rules say which are right. `kinds` are those of the
    grid, row by row.
    """

    rows: int
    columns: int
    kinds: tuple[str, ...]
    whole_reply: ClassVar[Literal["first", "only"]] = "first"

    def parse(self, text: str) -> Transcription | Malformed:
        """The last list of either kind, or nothing but gathered `(row,col) icon` pairs."""
        text = _plain(text)
        if _GATHERED.fullmatch(tidy(text)):
            return _transcription(text, text)
        cells, icons = _last(_CELLS, text), _last(_ICONS, text)
        if cells is None:
            return Malformed("no list 'Sequence analysis: [(row,col) ...]'", text)
        if icons is None:
            return Malformed("no list 'Sequence icons: [icon, ...]'", text)
        return _transcription(cells, icons)

    def write(self, action: Transcription) -> str:
        names = ", ".join(action.icons)
        return f"Sequence analysis: [{listed(action.cells)}] Sequence icons: [{names}]"

    def sample(self, rng: Stream) -> Transcription:
        order = list(cells(self.rows, self.columns))
        rng.shuffle(order)
        return Transcription(tuple(order), tuple([rng.choice(KINDS) for _ in order]))

    def describe(self) -> str:
        return "Sequence analysis: [(row,col) (row,col) ...] Sequence icons: [icon, icon, ...]"

    def schema(self) -> JSON:
        more = len(self.kinds) - 1
        cell = rf"\([1-{self.rows}],[1-{self.columns}]\)"
        name = f"({'|'.join(KINDS)})"
        return {
            "type": "string",
            "pattern": (
                rf"^Sequence analysis: \[{cell}( {cell}){{{more}}}\] "
                rf"Sequence icons: \[{name}(, {name}){{{more}}}\]$"
            ),
        }

    def gbnf(self) -> str:
        more = len(self.kinds) - 1
        cell = f'"(" [1-{self.rows}] "," [1-{self.columns}] ")"'
        name = f"({' | '.join(map(gbnf_literal, KINDS))})"
        return (
            f'"Sequence analysis: [" {cell} (" " {cell}){{{more}}} '
            f'"] Sequence icons: [" {name} (", " {name}){{{more}}} "]"'
        )

    def from_point(self, channel: str, x: float, y: float) -> Transcription | None:
        return None

    def controls(self) -> Controls:
        """Clicks on the clip gather the sequence."""
        places = zip(boxes(self.rows, self.columns).items(), self.kinds, strict=True)
        regions = (
            Region(
                "clip",
                left / WIDTH_PX,
                top / HEIGHT_PX,
                right / WIDTH_PX,
                bottom / HEIGHT_PX,
                f"({row},{column}) {kind}",
            )
            for ((row, column), (left, top, right, bottom)), kind in places
        )
        return Controls(regions=tuple(regions), gather=True)


class Clicking(msgspec.Struct, frozen=True):
    """The answers of phase 2: one click."""

    rows: int
    columns: int
    whole_reply: ClassVar[Literal["first", "only"]] = "first"

    def parse(self, text: str) -> Click | Malformed:
        """The last `Suggested click: (row,col)`, or nothing but `(row,col)`."""
        text = _plain(text)
        found = _COORDINATES.fullmatch(tidy(text)) or _last_match(_CLICK, text)
        if found is None:
            return Malformed("no line 'Suggested click: (row,col)'", text)
        return Click(int(found[1]), int(found[2]))

    def write(self, action: Click) -> str:
        return f"({action.row},{action.column})"

    def sample(self, rng: Stream) -> Click:
        return Click(1 + rng.below(self.rows), 1 + rng.below(self.columns))

    def describe(self) -> str:
        return "Suggested click: (row,col)"

    def schema(self) -> JSON:
        return {"type": "string", "pattern": rf"^\([1-{self.rows}],[1-{self.columns}]\)$"}

    def gbnf(self) -> str:
        return f'"(" [1-{self.rows}] "," [1-{self.columns}] ")"'

    def from_point(self, channel: str, x: float, y: float) -> Click | None:
        cell = cell_at(self.rows, self.columns, x, y) if channel == "screen" else None
        return None if cell is None else Click(*cell)

    def controls(self) -> Controls:
        """Nothing but clicks on the screen."""
        return Controls()


def _plain(text: str) -> str:
    """The end of a text with the brackets, commas, colons and quotes of ASCII."""
    return text[-MAX_ACTION_CHARS:].translate(_ASCII)


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=re.Match.start, default=None)


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    """What the first group of the last match holds."""
    found = _last_match(pattern, text)
    return None if found is None else found[1]


def _transcription(cells: str, icons: str) -> Transcription | Malformed:
    coordinates = [(int(row), int(column)) for row, column in _COORDINATES.findall(cells)]
    names = [name.lower() for name in _NAME.findall(icons)]
    if max(len(coordinates), len(names)) > MOST_ITEMS:
        return Malformed(f"a list of more than {MOST_ITEMS} entries", cells)
    return Transcription(tuple(coordinates), tuple(names))
