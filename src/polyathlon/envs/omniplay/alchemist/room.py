"""The Alchemist's Melody: the laboratory at night, without flasks.

A stone wall, a window with moon and stars, shelves with books and jars, two candles, a table.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.core.chance import stream
from polyathlon.media.drawing import Colour

SCALE = 3
WIDTH_PX, HEIGHT_PX = 640, 400
TABLE_TOP_PX, TABLE_EDGE_PX = 306, 352
TABLE_EDGE: Colour = (70, 43, 28)
WOOD: Colour = (104, 66, 40)
GOLD: Colour = (190, 154, 84)
BOOKS: tuple[Colour, ...] = (
    (122, 46, 48),
    (46, 82, 92),
    (136, 104, 52),
    (72, 56, 104),
    (60, 92, 62),
    (142, 76, 44),
)
JARS: tuple[Colour, ...] = ((110, 146, 150), (150, 122, 90), (126, 110, 150))
CANDLES_PX = ((213, 94), (427, 94))

Floats: TypeAlias = NDArray[Any]


@cache
def room() -> Pil.Image:
    """The room, `SCALE` times as large as the picture. Do not draw on it."""
    paper = Pil.fromarray(_walls())
    pen = ImageDraw.Draw(paper)
    _stones(pen)
    _window(pen)
    _shelf(pen, 22, 178, 84)
    _shelf(pen, 462, 618, 84)
    for x, y in CANDLES_PX:
        _candle(pen, x, y)
    lit: Floats = np.asarray(paper, np.float32)
    for x, y in CANDLES_PX:
        lit = light(lit, x, y - 34, 150, (92, 56, 18))
    lit = light(lit, 352, 62, 120, (26, 36, 62))
    paper = Pil.fromarray(np.clip(lit, 0, 255).astype(np.uint8))
    _table(ImageDraw.Draw(paper))
    return paper


def light(scene: Floats, x: float, y: float, radius: float, colour: Floats | Colour) -> Floats:
    """`scene`, `SCALE` times enlarged, with a soft light of `radius` pixels added."""
    height, width = scene.shape[:2]
    rows, columns = np.ogrid[0:height, 0:width]
    across, down = (
        np.exp(-2.6 * ((line / SCALE - at) / radius) ** 2).astype(np.float32)
        for line, at in ((columns, x), (rows, y))
    )
    lit: Floats = scene + (down * across)[..., None] * np.asarray(colour, np.float32)
    return lit


def _walls() -> NDArray[np.uint8]:
    """Dusk blue above, plum below, darker towards the sides."""
    height, width = HEIGHT_PX * SCALE, WIDTH_PX * SCALE
    down = np.linspace(0.0, 1.0, height)[:, None, None]
    wall = np.array((38, 38, 66)) * (1 - down) + np.array((74, 50, 64)) * down
    across = np.linspace(-1.0, 1.0, width)[None, :, None]
    return (wall * (1.0 - 0.42 * across**2)).astype(np.uint8)


def _stones(pen: ImageDraw.ImageDraw) -> None:
    """Faint joints of a stone wall."""
    s, rng = SCALE, stream(0, "alchemist", "stones")
    for row, y in enumerate(range(0, TABLE_TOP_PX, 34)):
        pen.line([(0, y * s), (WIDTH_PX * s, y * s)], fill=(36, 31, 52), width=s)
        for x in range(-30 + 36 * (row % 2), WIDTH_PX, 72):
            joint = x + rng.below(18)
            pen.line([(joint * s, y * s), (joint * s, (y + 34) * s)], fill=(36, 31, 52), width=s)


def _window(pen: ImageDraw.ImageDraw) -> None:
    """A pointed window: night sky, moon, stars, bars."""
    s, rng = SCALE, stream(0, "alchemist", "stars")
    for margin, fill in ((8, (92, 80, 88)), (0, (18, 24, 58))):
        pen.ellipse(_box(260 - margin, 12 - margin, 380 + margin, 132 + margin), fill=fill)
        pen.rectangle(_box(260 - margin, 72, 380 + margin, 158 + margin), fill=fill)
    for _ in range(46):
        x, y, size = 266 + rng.below(108), 34 + rng.below(120), 0.5 + 0.7 * rng.uniform()
        pen.ellipse(_box(x - size, y - size, x + size, y + size), fill=(226, 230, 250))
    pen.ellipse(_box(334, 44, 368, 78), fill=(250, 242, 208))
    pen.ellipse(_box(326, 40, 358, 72), fill=(18, 24, 58))
    for x in (298, 340):
        pen.line([(x * s, 18 * s), (x * s, 158 * s)], fill=(66, 58, 68), width=3 * s)
    pen.line([(260 * s, 98 * s), (380 * s, 98 * s)], fill=(66, 58, 68), width=3 * s)
    pen.rectangle(_box(246, 158, 394, 168), fill=(108, 94, 98))


def _shelf(pen: ImageDraw.ImageDraw, left: float, right: float, y: float) -> None:
    """A board with books and, at both ends, a jar."""
    rng = stream(int(left), "alchemist", "shelf")
    pen.rectangle(_box(left - 6, y, right + 6, y + 7), fill=WOOD)
    pen.rectangle(_box(left - 6, y, right + 6, y + 2), fill=(140, 94, 58))
    for x in (left + 12, right - 12):
        _jar(pen, x, y, rng.choice(JARS))
    x = left + 30.0
    while x < right - 40:
        width, height = 8 + rng.below(8), 36 + rng.below(20)
        cover = rng.choice(BOOKS)
        pen.rectangle(_box(x, y - height, x + width, y), fill=cover)
        for band in (8, height - 10):
            pen.rectangle(_box(x, y - height + band, x + width, y - height + band + 2), fill=GOLD)
        x += width + 1


def _jar(pen: ImageDraw.ImageDraw, x: float, y: float, fill: Colour) -> None:
    pen.rounded_rectangle(_box(x - 11, y - 30, x + 11, y), 4 * SCALE, fill=fill)
    pen.rectangle(_box(x - 8, y - 37, x + 8, y - 31), fill=(150, 112, 74))
    pen.rectangle(_box(x - 8, y - 20, x + 8, y - 8), fill=(226, 214, 184))
    pen.line([_at(x - 7, y - 27), _at(x - 7, y - 4)], fill=(214, 228, 232), width=2 * SCALE)


def _candle(pen: ImageDraw.ImageDraw, x: float, y: float) -> None:
    """A candle on a bracket in the wall."""
    pen.rectangle(_box(x - 14, y, x + 14, y + 4), fill=GOLD)
    pen.polygon([_at(x - 6, y + 4), _at(x + 6, y + 4), _at(x, y + 18)], fill=(120, 90, 44))
    pen.rounded_rectangle(_box(x - 5, y - 24, x + 5, y), 2 * SCALE, fill=(238, 226, 196))
    pen.ellipse(_box(x - 4.5, y - 40, x + 4.5, y - 25), fill=(255, 190, 74))
    pen.polygon([_at(x - 4, y - 35), _at(x + 4, y - 35), _at(x, y - 48)], fill=(255, 190, 74))
    pen.ellipse(_box(x - 2, y - 35, x + 2, y - 26), fill=(255, 246, 214))


def _table(pen: ImageDraw.ImageDraw) -> None:
    """Planks seen from slightly above, and the front edge that carries the plates."""
    rng = stream(0, "alchemist", "planks")
    pen.rectangle(_box(0, TABLE_TOP_PX, WIDTH_PX, HEIGHT_PX), fill=WOOD)
    pen.rectangle(_box(0, TABLE_TOP_PX, WIDTH_PX, TABLE_TOP_PX + 2), fill=(158, 108, 66))
    for _ in range(60):
        x, y = rng.below(WIDTH_PX), TABLE_TOP_PX + 3 + rng.below(TABLE_EDGE_PX - TABLE_TOP_PX - 4)
        pen.line([_at(x, y), _at(x + 30 + rng.below(70), y)], fill=(92, 57, 34), width=SCALE)
    pen.rectangle(_box(0, TABLE_EDGE_PX, WIDTH_PX, HEIGHT_PX), fill=TABLE_EDGE)
    pen.rectangle(_box(0, TABLE_EDGE_PX, WIDTH_PX, TABLE_EDGE_PX + 3), fill=(140, 92, 56))
    pen.rectangle(_box(0, HEIGHT_PX - 6, WIDTH_PX, HEIGHT_PX), fill=(50, 30, 22))


def _at(x: float, y: float) -> tuple[float, float]:
    return x * SCALE, y * SCALE


def _box(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    return (*_at(left, top), *_at(right, bottom))
