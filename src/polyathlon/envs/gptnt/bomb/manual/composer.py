"""Sets a page from top to bottom: paragraphs, lists and tables around a sketch.

What is set is said in the page's text too, in the same words and order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from polyathlon.envs.gptnt.bomb.manual.sheet import (
    BLACK,
    DARK,
    HAIR,
    HEIGHT,
    LIGHT,
    WHITE,
    WIDTH,
    Mark,
    Page,
    Pen,
    Words,
    text_width,
)

MARGIN = 44.0
LEFT, RIGHT = MARGIN, WIDTH - MARGIN
TOP, BOTTOM = 104.0, HEIGHT - 62.0
HANDBOOK = "Bomb Defusal Handbook"
BODY, CELL, HEADING, TITLE = 14.0, 13.0, 16.0, 24.0
"""Sizes of text in points; 14 points are 10 pixels on a page 640 pixels high."""
SKETCH = 150.0
"""The side of a module's sketch in points."""
_PITCH = 1.36
_GAP = 8.0
_INDENT = 26.0
_PAD = 5.0
_NAME_WIDTH = 92.0


class Composer:
    """A page in the making. `y` is where the next block begins."""

    def __init__(self, title: str, *kinds: str, part: str = "") -> None:
        """`part` tells the pages of one title apart: `1 of 2`."""
        self.title, self.kinds, self.part = title, kinds, part
        self.y = TOP
        self._marks: list[Mark] = []
        self._text = [f"{title} ({part})" if part else title]
        self._sketch_side = self._sketch_bottom = 0.0
        self.pen = Pen(self._marks)
        self._band()

    def sketch(self, draw: Callable[[Pen], None], side: float = SKETCH) -> None:
        """A drawing of 100 x 100 units, `side` points wide, at the right; text flows around it."""
        draw(self.pen.at(RIGHT - side, self.y, side / 100))
        self._sketch_side, self._sketch_bottom = side, self.y + side + _GAP

    def clear(self) -> None:
        """Go on below the sketch."""
        self.y = max(self.y, self._sketch_bottom + _GAP)

    def heading(self, text: str) -> None:
        """A line that announces what follows."""
        self.y += _GAP
        self._block(text, HEADING, bold=True)
        self._text.append("")
        self._text.append(text)

    def paragraph(self, text: str) -> None:
        """Sentences."""
        self._block(text, BODY)
        self._text.append(text)

    def numbered(self, items: Sequence[str]) -> None:
        """A list with numbers."""
        for number, item in enumerate(items, 1):
            self._item(f"{number}.", item)

    def entries(self, entries: Iterable[tuple[str, str]]) -> None:
        """Names that stand out at the left of what belongs to them, every other one shaded."""
        for number, (name, text) in enumerate(entries):
            lines = list(wrap(text, RIGHT - LEFT - _NAME_WIDTH - _PAD, CELL))
            height = len(lines) * CELL * _PITCH + _PAD
            if number % 2 == 0:
                self.pen.box(LEFT, self.y, RIGHT - LEFT, height, fill=LIGHT, edge=0)
            self._marks.append(Words(LEFT + _PAD, self.y + BODY + 2, name, BODY, bold=True))
            for place, line in enumerate(lines):
                y = self.y + _PAD / 2 + (place + 0.5) * CELL * _PITCH
                self.pen.text(LEFT + _NAME_WIDTH, y, line, CELL, centred=False)
            self.y += height
            self._text.append(f"{name}: {text}")

    def bullets(self, items: Sequence[str]) -> None:
        """A list with dashes."""
        for item in items:
            self._item("–", item)

    def table(self, rows: Sequence[Sequence[str]], widths: Sequence[float]) -> None:
        """A table across the page; its first row is the head, its first column stands out.

        `widths` are the columns' shares of the page's width.
        """
        whole = RIGHT - LEFT
        columns = [whole * width / sum(widths) for width in widths]
        top = self.y
        for number, row in enumerate(rows):
            self._row(row, columns, head=number == 0)
        x = LEFT
        for column in (*columns, 0.0):
            self.pen.line((x, top), (x, self.y), width=HAIR)
            x += column
        self.y += _GAP

    def figure(self, height: float) -> Pen:
        """Room for a drawing across the page; the pen's origin is the top left of that room."""
        pen = self.pen.at(LEFT, self.y)
        self.y += height + _GAP
        return pen

    def say(self, *lines: str) -> None:
        """Text for what a figure shows."""
        self._text.extend(lines)

    def page(self, number: int) -> Page:
        """The finished page."""
        marks: list[Mark] = [*self._marks]
        foot = Pen(marks)
        foot.line((LEFT, BOTTOM + 14), (RIGHT, BOTTOM + 14), width=HAIR, ink=DARK)
        foot.text(LEFT, BOTTOM + 27, HANDBOOK, 10, ink=DARK, centred=False)
        label = f"Page {number}"
        foot.text(RIGHT - text_width(label, 10), BOTTOM + 27, label, 10, ink=DARK, centred=False)
        return Page(number, self.title, self.kinds, "\n".join(self._text), tuple(marks))

    def _band(self) -> None:
        """The title in white on black, with a strip of warning stripes."""
        pen = self.pen
        pen.box(LEFT, 40, RIGHT - LEFT, 44, fill=BLACK, edge=0)
        pen.text(LEFT + 14, 62, self.title, TITLE, bold=True, ink=WHITE, centred=False)
        after = LEFT + 28 + text_width(self.title, TITLE, bold=True)
        if self.part:
            pen.text(after, 64, f"({self.part})", BODY, ink=WHITE, centred=False)
        for stripe in range(4):
            x = RIGHT - 104 + 24 * stripe
            pen.area((x, 84), (x + 12, 84), (x + 32, 40), (x + 20, 40), fill=LIGHT, edge=0)

    def _item(self, label: str, item: str) -> None:
        baseline = self.y + BODY
        self._marks.append(Words(LEFT + 4, baseline, label, BODY, bold=True))
        self._block(item, BODY, indent=_INDENT)
        self._text.append(f"{label} {item}")

    def _block(self, text: str, size: float, *, bold: bool = False, indent: float = 0.0) -> None:
        words = text.split()
        while words:
            narrow = self.y < self._sketch_bottom
            room = RIGHT - LEFT - indent - (self._sketch_side + 2 * _GAP if narrow else 0)
            line, words = _line(words, room, size, bold)
            self._marks.append(Words(LEFT + indent, self.y + size, line, size, bold))
            self.y += size * _PITCH
        self.y += _GAP

    def _row(self, row: Sequence[str], columns: Sequence[float], *, head: bool) -> None:
        wrapped = [
            list(wrap(cell, column - 2 * _PAD, CELL, head or not index))
            for index, (cell, column) in enumerate(zip(row, columns, strict=True))
        ]
        height = max(map(len, wrapped)) * CELL * _PITCH + 2 * _PAD
        fill = LIGHT if head else None
        self.pen.box(LEFT, self.y, sum(columns), height, fill=fill, edge=HAIR)
        x = LEFT
        for index, (lines, column) in enumerate(zip(wrapped, columns, strict=True)):
            spare = (height - len(lines) * CELL * _PITCH) / 2
            for place, line in enumerate(lines):
                middle = self.y + spare + (place + 0.5) * CELL * _PITCH
                self.pen.text(x + column / 2, middle, line, CELL, bold=head or not index)
            x += column
        self.y += height
        self._text.append(" | ".join(row))


def wrap(text: str, room: float, size: float, bold: bool = False) -> Iterator[str]:
    """The lines of a text no wider than `room` points, at least one word each."""
    words = text.split()
    while words:
        line, words = _line(words, room, size, bold)
        yield line


def _line(words: Sequence[str], room: float, size: float, bold: bool) -> tuple[str, list[str]]:
    """As many words as fit, at least one, and the rest."""
    count, width = 1, text_width(words[0], size, bold)
    for word in words[1:]:
        width += text_width(" " + word, size, bold)
        if width > room:
            break
        count += 1
    return " ".join(words[:count]), list(words[count:])
