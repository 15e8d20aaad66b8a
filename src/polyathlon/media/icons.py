"""Drawn icons of animals and instruments: flat colours inside one dark outline.

An icon is drawn on a square of 100 x 100 units, `SUPERSAMPLE` times its size, and scaled down;
each size is drawn once. Animals with a face look at you, birds stand in profile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.core.errors import unknown
from polyathlon.media.drawing import SUPERSAMPLE, Colour

Points: TypeAlias = Sequence[tuple[float, float]]

OUTLINE = 2.6
CURVE_STEPS = 10

INK: Colour = (44, 38, 48)
WHITE: Colour = (255, 253, 248)
SHADE: Colour = (222, 222, 230)
BLACK: Colour = (58, 54, 66)
BROWN: Colour = (178, 118, 66)
DARK_BROWN: Colour = (116, 72, 42)
TAN: Colour = (240, 212, 172)
ORANGE: Colour = (244, 158, 66)
DEEP_ORANGE: Colour = (214, 118, 38)
PINK: Colour = (246, 168, 168)
RED: Colour = (222, 66, 62)
DARK_RED: Colour = (170, 42, 50)
BLUE: Colour = (76, 156, 222)
DEEP_BLUE: Colour = (44, 110, 184)
GOLD: Colour = (248, 198, 62)
DEEP_GOLD: Colour = (214, 154, 34)
SILVER: Colour = (196, 206, 220)
GREY: Colour = (140, 150, 170)


class Pen:
    """Draws on a transparent square of 100 x 100 units, (0, 0) at its top left."""

    def __init__(self, size_px: int) -> None:
        self._side_px = size_px * SUPERSAMPLE
        self._unit = self._side_px / 100
        self._paper = Pil.new("RGBA", (self._side_px, self._side_px), (*INK, 0))
        self._draw = ImageDraw.Draw(self._paper)

    def shape(self, fill: Colour, *parts: Points) -> None:
        """One silhouette made of parts, with an outline around their union."""
        for part in parts:
            self.line(INK, 2 * OUTLINE, [*part, *part[:2]])
            self.patch(INK, part)
        for part in parts:
            self.patch(fill, part)

    def patch(self, fill: Colour, part: Points) -> None:
        """An area without an outline."""
        self._draw.polygon(self._scaled(part), fill=fill)

    def line(self, ink: Colour, width: float, points: Points) -> None:
        """A line with round joints and ends."""
        scaled, width_px = self._scaled(points), width * self._unit
        self._draw.line(scaled, fill=ink, width=round(width_px), joint="curve")
        for x, y in (scaled[0], scaled[-1]):
            reach = width_px / 2
            self._draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=ink)

    def image(self, size_px: int) -> Pil.Image:
        """The drawing at its size, RGBA."""
        return self._paper.resize((size_px, size_px), Pil.Resampling.LANCZOS)

    def _scaled(self, points: Points) -> list[tuple[float, float]]:
        return [(x * self._unit, y * self._unit) for x, y in points]


def oval(x: float, y: float, rx: float, ry: float, turn_deg: float = 0.0) -> Points:
    """An ellipse around (x, y), turned clockwise."""
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    angles = [2 * math.pi * i / 72 for i in range(72)]
    around = [(rx * math.cos(a), ry * math.sin(a)) for a in angles]
    return [(x + u * cos - v * sin, y + u * sin + v * cos) for u, v in around]


def box(left: float, top: float, right: float, bottom: float) -> Points:
    """A rectangle."""
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def blob(*corners: tuple[float, float]) -> Points:
    """A smooth closed curve through its corners (Catmull-Rom)."""
    count = len(corners)
    return [
        _spline([corners[(i + k) % count] for k in (-1, 0, 1, 2)], step / CURVE_STEPS)
        for i in range(count)
        for step in range(CURVE_STEPS)
    ]


def curve(*points: tuple[float, float]) -> Points:
    """A smooth open curve through its points (Catmull-Rom)."""
    padded = [points[0], *points, points[-1]]
    drawn = [
        _spline(padded[i : i + 4], step / CURVE_STEPS)
        for i in range(len(points) - 1)
        for step in range(CURVE_STEPS)
    ]
    return [*drawn, points[-1]]


def mirrored(points: Points) -> Points:
    """The points on the other side of the middle."""
    return [(100 - x, y) for x, y in points]


def _spline(near: Points, t: float) -> tuple[float, float]:
    """A point at `t` in [0, 1] between the second and third of four points."""

    def along(a: float, b: float, c: float, d: float) -> float:
        bend = (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t
        return 0.5 * (2 * b + (c - a) * t + bend)

    (ax, ay), (bx, by), (cx, cy), (dx, dy) = near
    return along(ax, bx, cx, dx), along(ay, by, cy, dy)


def _eyes(pen: Pen, y: float, apart: float, size: float = 4.4) -> None:
    for x in (50 - apart, 50 + apart):
        pen.patch(INK, oval(x, y, size, size * 1.15))
        pen.patch(WHITE, oval(x + size * 0.3, y - size * 0.4, size * 0.36, size * 0.36))


def _smile(pen: Pen, y: float, reach: float) -> None:
    half = curve((50, y), (50 - reach * 0.5, y + reach * 0.42), (50 - reach, y + reach * 0.1))
    pen.line(INK, 2.2, half)
    pen.line(INK, 2.2, mirrored(half))


def _dog(pen: Pen) -> None:
    head = blob((50, 14), (74, 24), (79, 50), (68, 78), (50, 87), (32, 78), (21, 50), (26, 24))
    pen.shape(BROWN, head)
    pen.patch(
        TAN, blob((50, 30), (55, 46), (69, 60), (64, 77), (50, 84), (36, 77), (31, 60), (45, 46))
    )
    ear = blob((30, 17), (17, 17), (6, 34), (6, 58), (15, 68), (25, 58), (28, 38))
    for side in (ear, mirrored(ear)):
        pen.shape(DARK_BROWN, side)
    pen.shape(PINK, blob((43, 73), (57, 73), (58, 86), (50, 93), (42, 86)))
    pen.patch(TAN, oval(50, 66, 15, 7.5))
    _smile(pen, 68, 13)
    pen.line(INK, 2.2, [(50, 60), (50, 68)])
    pen.patch(INK, blob((41, 53), (50, 51), (59, 53), (56, 60), (50, 63), (44, 60)))
    pen.patch(SHADE, oval(47, 54.6, 3, 1.3))
    _eyes(pen, 42, 14)


def _cat(pen: Pen) -> None:
    ear = [(15, 10), (18, 50), (46, 26)]
    pen.shape(ORANGE, ear, mirrored(ear), oval(50, 57, 38, 32))
    for side in ([(20, 19), (22, 38), (36, 27)], mirrored([(20, 19), (22, 38), (36, 27)])):
        pen.patch(PINK, side)
    for stripe in ([(50, 28), (50, 40)], [(40, 29), (42, 38)], [(60, 29), (58, 38)]):
        pen.line(DEEP_ORANGE, 3.6, stripe)
    pen.patch(WHITE, blob((50, 58), (64, 64), (64, 76), (50, 82), (36, 76), (36, 64)))
    for reach, y in ((4, 60), (2, 69), (6, 78)):
        whisker = [(30, 66 + (y - 66) * 0.3), (reach, y)]
        pen.line(INK, 1.6, whisker)
        pen.line(INK, 1.6, mirrored(whisker))
    _smile(pen, 69, 11)
    pen.patch(PINK, blob((44, 61), (50, 60), (56, 61), (50, 68)))
    _eyes(pen, 51, 16, 5.2)


def _cow(pen: Pen) -> None:
    horn = blob((30, 24), (20, 18), (17, 6), (27, 9), (40, 20))
    ear = blob((27, 31), (14, 24), (3, 30), (7, 41), (24, 42))
    for side in (horn, mirrored(horn)):
        pen.shape(TAN, side)
    for side in (ear, mirrored(ear)):
        pen.shape(BLACK, side)
    for side in ([*oval(14.5, 33.5, 6, 3.4, 14)], mirrored(oval(14.5, 33.5, 6, 3.4, 14))):
        pen.patch(PINK, side)
    head = blob(
        (50, 16),
        (70, 21),
        (76, 40),
        (70, 66),
        (64, 82),
        (50, 86),
        (36, 82),
        (30, 66),
        (24, 40),
        (30, 21),
    )
    pen.shape(WHITE, head)
    pen.patch(BLACK, blob((28, 24), (40, 18), (46, 30), (43, 48), (32, 53), (26, 42)))
    pen.patch(BLACK, blob((62, 19), (70, 23), (74, 34), (66, 32)))
    pen.shape(PINK, oval(50, 76, 25, 16))
    for x in (41, 59):
        pen.patch(DARK_BROWN, oval(x, 73, 3.4, 4.6))
    pen.line(INK, 2.2, curve((40, 83), (50, 87), (60, 83)))
    pen.patch(WHITE, oval(37, 42, 6.4, 7.2))
    _eyes(pen, 42, 13)


def _sheep(pen: Pen) -> None:
    angles = [2 * math.pi * i / 11 for i in range(11)]
    wool = [oval(50 + 30 * math.sin(a), 46 - 28 * math.cos(a), 14, 14) for a in angles]
    pen.shape(WHITE, *wool, oval(50, 46, 32, 30))
    ear = blob((31, 46), (20, 43), (9, 48), (12, 57), (24, 59), (32, 55))
    for side in (ear, mirrored(ear)):
        pen.shape(TAN, side)
    pen.shape(
        TAN, blob((50, 32), (66, 38), (69, 55), (62, 80), (50, 88), (38, 80), (31, 55), (34, 38))
    )
    pen.shape(WHITE, oval(40, 30, 11, 9), oval(51, 26, 12, 10), oval(61, 31, 11, 9))
    _eyes(pen, 54, 11)
    pen.line(INK, 2.6, curve((43, 71), (50, 75), (57, 71)))
    pen.line(INK, 2.4, [(50, 75), (50, 80)])


def _bird(pen: Pen) -> None:
    for x in (45, 56):
        pen.line(INK, 3.2, [(x, 76), (x - 1, 92), (x + 7, 92)])
        pen.line(INK, 3.2, [(x - 1, 92), (x - 6, 92)])
    pen.shape(GOLD, [(78, 34), (97, 40), (79, 47)])
    tail = [(30, 56), (3, 40), (2, 54), (12, 60), (8, 68), (30, 72)]
    pen.shape(DEEP_BLUE, tail)
    pen.shape(BLUE, oval(47, 60, 29, 23, -18), oval(64, 37, 19, 18))
    pen.patch(WHITE, blob((66, 54), (76, 44), (79, 52), (72, 68), (58, 78), (46, 80), (56, 68)))
    pen.shape(DEEP_BLUE, blob((56, 52), (44, 46), (30, 50), (16, 66), (32, 72), (48, 70)))
    pen.line(BLUE, 2.4, curve((28, 64), (38, 62), (46, 57)))
    pen.patch(WHITE, oval(69, 35, 6.4, 6.8))
    pen.patch(INK, oval(70.5, 35, 4.2, 4.6))
    pen.patch(WHITE, oval(72, 33.2, 1.6, 1.6))


def _chicken(pen: Pen) -> None:
    for x in (44, 57):
        pen.line(DEEP_ORANGE, 3.8, [(x, 80), (x, 93), (x + 8, 95)])
        pen.line(DEEP_ORANGE, 3.8, [(x, 93), (x - 6, 95)])
    pen.shape(RED, oval(58, 16, 6, 7), oval(67, 11, 6.5, 8), oval(76, 16, 6, 7))
    pen.shape(GOLD, [(81, 30), (97, 37), (81, 43)])
    tail = blob((26, 62), (10, 54), (3, 38), (13, 40), (12, 28), (23, 34), (27, 24), (36, 42))
    body = blob(
        (54, 26), (67, 16), (82, 24), (84, 42), (80, 62), (70, 78), (50, 85),
        (30, 80), (19, 64), (22, 48), (36, 50), (48, 46),
    )  # fmt: skip
    pen.shape(WHITE, tail, body)
    pen.shape(SHADE, blob((58, 54), (50, 70), (36, 74), (24, 66), (34, 56), (46, 52)))
    pen.line(INK, 1.8, curve((32, 66), (40, 66), (47, 61)))
    pen.shape(RED, oval(80, 50, 4.4, 7.4))
    pen.patch(INK, oval(71, 31, 4, 4.6))
    pen.patch(WHITE, oval(72.4, 29.4, 1.5, 1.5))


def _piano(pen: Pen) -> None:
    for left in (12, 80):
        pen.shape(DARK_BROWN, box(left, 66, left + 8, 92))
    pen.shape(DARK_BROWN, box(10, 12, 90, 48))
    pen.shape(BROWN, box(6, 8, 94, 16))
    pen.patch(BROWN, box(16, 22, 47, 42))
    pen.patch(BROWN, box(53, 22, 84, 42))
    pen.shape(DARK_BROWN, box(5, 46, 95, 78))
    pen.patch(WHITE, box(9, 48, 91, 74))
    width = 82 / 7
    for key in range(1, 7):
        pen.line(INK, 1.5, [(9 + key * width, 48), (9 + key * width, 74)])
    for key in (1, 2, 4, 5, 6):
        pen.patch(INK, box(9 + key * width - 3.6, 48, 9 + key * width + 3.6, 63))


def _trumpet(pen: Pen) -> None:
    loop = [*curve((28, 50), (24, 62), (32, 74), (50, 76), (66, 74), (74, 62), (70, 50))]
    for ink, width in ((INK, 7 + 2 * OUTLINE), (GOLD, 7)):
        pen.line(ink, width, loop)
    pen.shape(SILVER, [(2, 41), (8, 44), (8, 56), (2, 59)])
    pen.shape(
        GOLD,
        box(8, 46.5, 66, 53.5),
        blob(
            (62, 46), (76, 42), (86, 32), (94, 22), (96, 50), (94, 78), (86, 68), (76, 58), (62, 54)
        ),
    )
    pen.shape(DEEP_GOLD, oval(93, 50, 4.4, 27))
    for x in (38, 49, 60):
        pen.shape(DEEP_GOLD, box(x - 3.6, 36, x + 3.6, 64))
        pen.line(INK, 3.6, [(x, 36), (x, 27)])
        pen.shape(SILVER, oval(x, 25, 4.6, 2.6))
    pen.line(WHITE, 2, [(12, 48.6), (31, 48.6)])


def _drum(pen: Pen) -> None:
    pen.shape(RED, [*curve((10, 44), (10, 78), (26, 90), (50, 94), (74, 90), (90, 78), (90, 44))])
    rope = [(12, 56), (24, 84), (37, 62), (50, 90), (63, 62), (76, 84), (88, 56)]
    pen.line(WHITE, 3, rope)
    rim = curve((10, 74), (26, 87), (50, 91), (74, 87), (90, 74))
    pen.line(GOLD, 5, rim)
    pen.shape(GOLD, oval(50, 45, 42, 17))
    pen.shape(WHITE, oval(50, 42, 38, 13))
    for start, end in (((14, 6), (50, 40)), ((88, 8), (56, 42))):
        pen.line(INK, 5 + 2 * OUTLINE, [start, end])
        pen.line(TAN, 5, [start, end])
        pen.shape(TAN, oval(*end, 5, 4.4))


def _flute(pen: Pen) -> None:
    for ink, width in ((INK, 11 + 2 * OUTLINE), (SILVER, 11)):
        pen.line(ink, width, [(10, 82), (90, 28)])
    pen.line(WHITE, 2.4, [(12, 78), (88, 26.6)])
    for x, y in ((26.0, 71.2), (76.0, 37.45)):
        pen.line(GREY, 3, [(x - 3.4, y - 5), (x + 3.4, y + 5)])
    for x in (36.0, 46.0, 56.0, 66.0):
        pen.shape(GOLD, oval(x, 82 - (x - 10) * 54 / 80, 4, 4))
    pen.patch(INK, oval(84, 32, 3.6, 2.6, -34))
    pen.line(DEEP_BLUE, 3.6, [(24, 44), (24, 18), (44, 12), (44, 38)])
    pen.line(DEEP_BLUE, 5, [(24, 19), (44, 13)])
    for x, y in ((19.5, 44), (39.5, 38)):
        pen.patch(DEEP_BLUE, oval(x, y, 6.4, 5, -20))


_DRAWN: dict[str, Callable[[Pen], None]] = {
    "dog": _dog,
    "cat": _cat,
    "bird": _bird,
    "cow": _cow,
    "sheep": _sheep,
    "chicken": _chicken,
    "piano": _piano,
    "trumpet": _trumpet,
    "drum": _drum,
    "flute": _flute,
}

NAMES: tuple[str, ...] = tuple(_DRAWN)


@cache
def icon(name: str, size_px: int) -> Pil.Image:
    """A square RGBA sprite on a transparent ground, cached: do not draw on it.

    Raises UserError for a name that is not in `NAMES`.
    """
    if name not in _DRAWN:
        raise unknown("icon", name, NAMES)
    pen = Pen(size_px)
    _DRAWN[name](pen)
    return pen.image(size_px)
