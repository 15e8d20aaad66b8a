"""What a page is made of: text, lines and areas in points (1/72 inch) on A4, y down.

Both painters, for pictures and for PDF, draw exactly these marks. Inks are grey: 0 is black, 255
white.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

from polyathlon.envs.gptnt.bomb import symbols

Point: TypeAlias = tuple[float, float]

WIDTH, HEIGHT = 595.0, 842.0
BLACK, DARK, MIDDLE, LIGHT, WHITE = 0, 90, 165, 226, 255
HAIR, THIN, THICK = 0.8, 1.6, 3.0
"""Widths of lines in points."""
_CORNERS = 48
_MEASURE_PX = 1000


class Words(Struct, frozen=True):
    """A line of text: the left end of its baseline, and its size in points.

    Text without an ink is not seen; it names what is drawn there for those who copy or search.
    """

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    ink: int | None = BLACK


class Line(Struct, frozen=True):
    """A line through points, with round ends."""

    points: tuple[Point, ...]
    width: float = THIN
    ink: int = BLACK


class Area(Struct, frozen=True):
    """A filled polygon."""

    points: tuple[Point, ...]
    ink: int = LIGHT


Mark: TypeAlias = Words | Line | Area


class Page(Struct, frozen=True):
    """A page of the manual: its number from 1, title, text and drawing.

    `kinds` are the kinds of modules it is about (`wires` ... `password`, `vent`, `discharge`,
    `knob`), none on the pages about the bomb and its casing. `text` says everything but what only
    a picture can show: the shapes of symbols and the walls of mazes.
    """

    number: int
    title: str
    kinds: tuple[str, ...]
    text: str
    marks: tuple[Mark, ...]


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text in points, without kerning."""
    return size * _advance(text, bold)


@lru_cache(maxsize=8192)
def _advance(text: str, bold: bool) -> float:
    """The width at a size of 1."""
    from polyathlon.media.drawing import font

    measure = font(_MEASURE_PX, bold).getlength
    return sum(map(measure, text)) / _MEASURE_PX


class Pen:
    """Draws with (0, 0) at `x`, `y` of the page and a unit of `unit` points.

    Sizes of text and widths of lines are in points whatever the unit is.
    """

    def __init__(
        self, marks: list[Mark], x: float = 0.0, y: float = 0.0, unit: float = 1.0
    ) -> None:
        self._marks = marks
        self._x, self._y, self.unit = x, y, unit

    def at(self, x: float, y: float, unit: float = 1.0) -> Pen:
        """A pen whose origin is this one's `x`, `y`; `unit` in units of this one."""
        return Pen(self._marks, *self._placed((x, y)), self.unit * unit)

    def line(self, *points: Point, width: float = THIN, ink: int = BLACK) -> None:
        """A line through points."""
        self._marks.append(Line(tuple(map(self._placed, points)), width, ink))

    def area(
        self, *points: Point, fill: int | None = None, edge: float = THIN, ink: int = BLACK
    ) -> None:
        """A polygon, filled if `fill` is given, with an edge unless that is 0."""
        corners = tuple(map(self._placed, points))
        if fill is not None:
            self._marks.append(Area(corners, fill))
        if edge:
            self._marks.append(Line((*corners, corners[0]), edge, ink))

    def box(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        *,
        fill: int | None = None,
        edge: float = THIN,
        ink: int = BLACK,
    ) -> None:
        """A rectangle."""
        right, bottom = left + width, top + height
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        self.area(*corners, fill=fill, edge=edge, ink=ink)

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        fill: int | None = None,
        edge: float = THIN,
        ink: int = BLACK,
    ) -> None:
        """A circle around `x`, `y`."""
        corners = min(_CORNERS, 6 + round(6 * math.sqrt(radius * self.unit)))
        circle = ellipse(x, y, radius, radius, corners=corners)
        self.area(*circle, fill=fill, edge=edge, ink=ink)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        ink: int | None = BLACK,
        centred: bool = True,
    ) -> None:
        """A line of text whose capitals are centred on `y`; `x` is its centre or its left end."""
        left, middle = self._placed((x, y))
        if centred:
            left -= text_width(text, size, bold) / 2
        self._marks.append(Words(left, middle + 0.365 * size, text, size, bold, ink))

    def symbol(self, name: str, x: float, y: float, size: float, ink: int = BLACK) -> None:
        """A symbol of the keypad centred on `x`, `y`, and its character for those who search."""
        corner = self.at(x - size / 2, y - size / 2, size / symbols.UNITS)
        for outline in symbols.outlines(name):
            if outline.filled:
                corner.area(*outline.points, fill=ink, edge=0)
            else:
                corner.line(*outline.points, width=symbols.PEN * corner.unit, ink=ink)
        self.text(x, y, symbols.CHARACTERS[name], size * self.unit / 2, ink=None)

    def arrow(self, *points: Point, width: float = THIN, ink: int = BLACK, head: float = 8) -> None:
        """A line with an arrowhead of `head` units at its last point."""
        self.line(*points, width=width, ink=ink)
        (from_x, from_y), (x, y) = points[-2:]
        angle = math.atan2(y - from_y, x - from_x)
        wings = [
            (x - head * math.cos(a), y - head * math.sin(a)) for a in (angle - 0.45, angle + 0.45)
        ]
        self.area((x, y), *wings, fill=ink, edge=0)

    def _placed(self, point: Point) -> Point:
        x, y = point
        return round(self._x + x * self.unit, 2), round(self._y + y * self.unit, 2)


def ellipse(
    x: float,
    y: float,
    x_radius: float,
    y_radius: float,
    tilt_deg: float = 0,
    corners: int = _CORNERS,
) -> list[Point]:
    """The corners of an ellipse around `x`, `y`, turned clockwise by `tilt_deg`."""
    cos, sin = math.cos(math.radians(tilt_deg)), math.sin(math.radians(tilt_deg))
    points = []
    for step in range(corners):
        angle = 2 * math.pi * step / corners
        across, down = x_radius * math.cos(angle), y_radius * math.sin(angle)
        points.append((x + across * cos - down * sin, y + across * sin + down * cos))
    return points


def dashed(points: Sequence[Point], dash: float, gap: float) -> Iterator[tuple[Point, Point]]:
    """The dashes of a line through points, cut where the line bends."""
    left, drawing = dash, True
    for (x0, y0), (x1, y1) in pairwise(points):
        length = math.hypot(x1 - x0, y1 - y0)
        done = 0.0
        while done < length:
            step = min(left, length - done)
            if drawing:
                a, b = done / length, (done + step) / length
                yield (
                    (x0 + (x1 - x0) * a, y0 + (y1 - y0) * a),
                    (x0 + (x1 - x0) * b, y0 + (y1 - y0) * b),
                )
            done += step
            left -= step
            if left <= 0:
                drawing = not drawing
                left = dash if drawing else gap
