"""The arena's pictures: cells, power-ups, flames, bombs, players. Drawn once per size.

Shapes are drawn on a square of 100 x 100 units, `SUPERSAMPLE` times their size, and scaled down.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.media.drawing import SUPERSAMPLE, Colour, Pixels, font, pixels

Points: TypeAlias = tuple[tuple[float, float], ...]

FLOORS: tuple[Colour, Colour] = ((196, 214, 168), (186, 206, 158))
SEATS: tuple[Colour, ...] = ((222, 62, 66), (58, 112, 224), (36, 158, 82), (246, 190, 40))
INK: Colour = (44, 38, 52)
WHITE: Colour = (255, 255, 255)
STONE: tuple[Colour, Colour, Colour] = ((138, 144, 156), (172, 178, 190), (104, 110, 122))
WOOD: tuple[Colour, Colour, Colour] = ((168, 110, 62), (196, 138, 84), (118, 72, 38))
FIRE: tuple[Colour, Colour, Colour] = ((240, 108, 36), (252, 182, 56), (255, 240, 172))
STEEL: Colour = (48, 50, 62)


class Sprite(NamedTuple):
    """A picture with alpha, ready to lay on others: each height x width x 3, uint16.

    `over` are its colours times its alpha, plus 127 to round; `veil` is what it lets through.
    """

    over: NDArray[np.uint16]
    veil: NDArray[np.uint16]

    def lay(self, paper: Pixels, left: int, top: int) -> None:
        """Lay it on a picture, which it must not stick out of."""
        height, width, _ = self.over.shape
        under = paper[top : top + height, left : left + width]
        mixed = under * self.veil
        mixed += self.over
        mixed //= 255
        under[:] = mixed


class Pen:
    """Draws on a square of 100 x 100 units, transparent unless `back` fills it."""

    def __init__(self, side_px: int, back: Colour | None = None) -> None:
        self._side_px = side_px
        self._unit = side_px * SUPERSAMPLE / 100
        size = (side_px * SUPERSAMPLE,) * 2
        opaque = back is not None
        self._paper = Pil.new("RGBA", size, (*(back or INK), 255 * opaque))
        self._draw = ImageDraw.Draw(self._paper)

    def disc(
        self, x: float, y: float, rx: float, ry: float, fill: Colour, alpha: int = 255
    ) -> None:
        """An ellipse around (x, y)."""
        box = self._scaled((x - rx, y - ry), (x + rx, y + ry))
        self._draw.ellipse(box, fill=(*fill, alpha))

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: Colour,
        radius: float = 0.0,
    ) -> None:
        """A rounded rectangle."""
        corners = self._scaled((left, top), (right, bottom))
        self._draw.rounded_rectangle(corners, radius * self._unit, fill=fill)

    def shape(self, fill: Colour, *points: tuple[float, float]) -> None:
        """A polygon."""
        self._draw.polygon(self._scaled(*points), fill=fill)

    def line(self, fill: Colour, width: float, *points: tuple[float, float]) -> None:
        """A line through points."""
        width_px = max(1, round(width * self._unit))
        self._draw.line(self._scaled(*points), fill, width_px, joint="curve")

    def smile(self, x: float, y: float, radius: float, fill: Colour, width: float) -> None:
        """The lower half of a circle."""
        box = self._scaled((x - radius, y - radius), (x + radius, y + radius))
        self._draw.arc(box, 25, 155, fill, max(1, round(width * self._unit)))

    def text(self, x: float, y: float, text: str, height: float, fill: Colour) -> None:
        """A bold text centred at (x, y)."""
        face = font(max(6, round(height * self._unit)), bold=True)
        ((at_x, at_y),) = self._scaled((x, y))
        self._draw.text((at_x, at_y), text, fill, face, anchor="mm")

    def sprite(self) -> Sprite:
        """The drawing."""
        size = (self._side_px, self._side_px)
        drawn = pixels(self._paper.resize(size, Pil.Resampling.LANCZOS)).astype(np.uint16)
        alpha = np.repeat(drawn[..., 3:], 3, axis=2)
        return Sprite(drawn[..., :3] * alpha + 127, 255 - alpha)

    def _scaled(self, *points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * self._unit, y * self._unit) for x, y in points]


@cache
def floor(side_px: int, odd: bool) -> Sprite:
    """A free cell; `odd` alternates its shade."""
    return Pen(side_px, FLOORS[odd]).sprite()


@cache
def pillar(side_px: int) -> Sprite:
    """A grey block of stone with a lit edge."""
    middle, light, dark = STONE
    pen = Pen(side_px, dark)
    pen.shape(light, (0, 0), (100, 0), (84, 16), (16, 84), (0, 100))
    pen.box(14, 14, 86, 86, middle, 6)
    pen.box(24, 24, 76, 76, light, 6)
    pen.box(28, 28, 76, 76, middle, 6)
    return pen.sprite()


@cache
def crate(side_px: int) -> Sprite:
    """A brown wooden crate."""
    middle, light, dark = WOOD
    pen = Pen(side_px, dark)
    pen.box(3, 3, 97, 97, light, 8)
    pen.box(16, 16, 84, 84, dark, 2)
    for top in (18, 41, 64):
        pen.box(18, top, 82, top + 19, middle, 2)
    pen.line(light, 13, (22, 78), (78, 22))
    for x in (10, 90):
        for y in (10, 90):
            pen.disc(x, y, 3.4, 3.4, dark)
    return pen.sprite()


@cache
def power_up(side_px: int, kind: str) -> Sprite:
    """A token with a flame, a bomb with a plus, or a flash of lightning."""
    pen = Pen(side_px)
    pen.disc(50, 55, 42, 40, INK, 90)
    pen.disc(50, 50, 42, 42, INK)
    pen.disc(50, 50, 38, 38, (250, 247, 238))
    match kind:
        case "fire":
            _flame(pen, 50, 50, 27)
        case "bomb":
            pen.disc(45, 56, 21, 21, STEEL)
            pen.line(STEEL, 6, (58, 42), (66, 33))
            pen.line((38, 150, 86), 8, (70, 30), (70, 54))
            pen.line((38, 150, 86), 8, (58, 42), (82, 42))
        case _:
            pen.shape((40, 108, 220), (58, 18), (30, 55), (48, 55), (41, 83), (71, 43), (53, 43))
    return pen.sprite()


@cache
def flames(side_px: int) -> Sprite:
    """Fire that fills a cell; the ground shows through at its corners."""
    pen = Pen(side_px)
    for fill, radius, points in zip(FIRE, (54, 41, 24), (12, 10, 8), strict=True):
        pen.shape(fill, *_star(50, 50, radius, 0.74, points))
    return pen.sprite()


@cache
def bomb(side_px: int, countdown: int, seat: int) -> Sprite:
    """A bomb with a band in its owner's colour, a burning fuse, and its countdown."""
    pen = Pen(side_px)
    pen.disc(50, 88, 34, 8, INK, 90)
    pen.line((150, 120, 80), 7, (62, 24), (70, 13), (80, 13))
    pen.shape(FIRE[1], *_star(84, 13, 14, 0.45, 7))
    pen.disc(48, 55, 38, 38, SEATS[seat])
    pen.disc(48, 55, 31, 31, STEEL)
    pen.disc(36, 41, 8, 6, (150, 154, 170))
    pen.text(49, 57, str(countdown), 46, WHITE)
    return pen.sprite()


@cache
def player(side_px: int, seat: int, mine: bool) -> Sprite:
    """A head in the seat's colour with a face and the player's number; the own one wears a ring."""
    pen = Pen(side_px)
    fill = SEATS[seat]
    pen.disc(50, 91, 32, 7, INK, 90)
    if mine:
        pen.disc(50, 50, 49, 49, WHITE)
        pen.disc(50, 50, 45, 45, INK)
    pen.disc(50, 50, 42, 42, INK)
    pen.disc(50, 50, 38, 38, fill)
    pen.disc(37, 31, 11, 7, WHITE, 110)
    for x in (36, 64):
        pen.disc(x, 44, 8, 10, WHITE)
        pen.disc(x + 1, 46, 4, 6, INK)
    pen.smile(50, 47, 17, INK, 4)
    pen.disc(80, 80, 19, 19, INK)
    pen.disc(80, 80, 16, 16, WHITE)
    pen.text(80, 81, str(seat + 1), 25, INK)
    return pen.sprite()


@cache
def fallen(side_px: int, seat: int) -> Sprite:
    """A player of the round strip who was eliminated."""
    pen = Pen(side_px)
    pen.disc(50, 50, 42, 42, INK)
    grey = sum(SEATS[seat]) // 6 + 50
    pen.disc(50, 50, 38, 38, (grey, grey, grey))
    for start, end in (((26, 26), (74, 74)), ((26, 74), (74, 26))):
        pen.line(SEATS[seat], 12, start, end)
    return pen.sprite()


def _flame(pen: Pen, x: float, y: float, radius: float) -> None:
    for fill, part in zip(FIRE, (1.0, 0.66, 0.36), strict=True):
        r = radius * part
        base = y + radius - r
        pen.disc(x, base, r * 0.8, r, fill)
        pen.shape(
            fill,
            (x - r * 0.78, base - r * 0.2),
            (x + r * 0.1, base - r * 1.75),
            (x + r * 0.78, base - r * 0.2),
        )


def _star(x: float, y: float, outer: float, dent: float, points: int) -> Points:
    angles = [math.pi * i / points for i in range(2 * points)]
    radii = [outer * (dent if i % 2 else 1.0) for i in range(2 * points)]
    return tuple(
        (x + radius * math.sin(angle), y - radius * math.cos(angle))
        for angle, radius in zip(angles, radii, strict=True)
    )
