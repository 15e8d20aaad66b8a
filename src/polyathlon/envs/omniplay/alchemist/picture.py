"""The Alchemist's Melody: the laboratory, and the flasks on its table.

Every flask is drawn once for its colour and light, and laid once on the piece of room behind each
place; a picture is then a copy of the room and five pastes. Lengths are pixels of the finished
picture. A layer is height x width x 4: red, green, blue in 0..255 already multiplied by the
opacity in 0..1 that follows, so that light adds to what is behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.core.parts import Image
from polyathlon.envs.omniplay.alchemist.room import SCALE, TABLE_EDGE, light, room
from polyathlon.envs.omniplay.alchemist.rules import LENGTH
from polyathlon.media.drawing import Colour, Pixels, composed, font, pixels, tile

WIDTH_PX, HEIGHT_PX = 640, 400
SLOT_PX, MARGIN_PX = 116, 30
TOP_PX, BOTTOM_PX = 96, 392
SLOT_HEIGHT_PX = BOTTOM_PX - TOP_PX
EDGES = tuple(
    ((MARGIN_PX + i * SLOT_PX) / WIDTH_PX, (MARGIN_PX + (i + 1) * SLOT_PX) / WIDTH_PX)
    for i in range(LENGTH)
)
TOP, BOTTOM = TOP_PX / HEIGHT_PX, BOTTOM_PX / HEIGHT_PX

LIQUIDS: dict[str, Colour] = {
    "BLUE": (38, 104, 232),
    "GREEN": (34, 168, 82),
    "RED": (220, 38, 48),
    "GREY": (150, 156, 166),
    "YELLOW": (250, 216, 48),
    "ORANGE": (246, 130, 26),
    "PURPLE": (146, 62, 206),
}
BRASS: Colour = (196, 152, 78)
DARK_BRASS: Colour = (112, 78, 36)
CORK: Colour = (186, 138, 92)
PALE_CORK: Colour = (214, 170, 124)
CREAM: Colour = (255, 246, 222)
BRIGHT_BRASS: Colour = (250, 214, 130)
DARK: Colour = (58, 38, 18)
GLASS: Colour = (206, 226, 240)
GLEAM: Colour = (236, 246, 253)

CENTRE = SLOT_PX / 2
BODY_Y, BODY_R = 258 - TOP_PX, 43
LEVEL_Y = BODY_Y - 12
NECK_TOP, NECK_R = 172 - TOP_PX, 12
TABLE_Y = 326 - TOP_PX
PLATE_Y, PLATE_PX = 375 - TOP_PX, (30, 22)
FULL = 0.90
BUBBLES = ((-18, 14, 4), (9, 22, 5), (21, 3, 3), (-5, 2, 3), (-26, -1, 2), (2, 33, 3))
SPARKS = ((-36, 62, 6), (34, 54, 7), (-24, 26, 4), (28, 18, 4), (44, 96, 4), (-46, 104, 4))
MELODY = (("♪", -15, 42, 19), ("♫", 14, 22, 23))

Floats: TypeAlias = NDArray[Any]
Layer: TypeAlias = NDArray[np.float32]


def paint(blocks: tuple[str, ...], lit: str) -> Image:
    """The flasks of `blocks` from left to right; the one of colour `lit`, if any, is lit."""
    return composed(
        _empty_room(),
        (
            (_slot(place, colour, colour == lit), (MARGIN_PX + place * SLOT_PX, TOP_PX))
            for place, colour in enumerate(blocks)
        ),
    )


@cache
def _empty_room() -> Pixels:
    return pixels(room().resize((WIDTH_PX, HEIGHT_PX), Pil.Resampling.LANCZOS))


@cache
def _slot(place: int, colour: str, lit: bool) -> Pixels:
    """A flask in its place, with the room behind it and its number on a brass plate."""
    left = MARGIN_PX + place * SLOT_PX
    behind = _empty_room()[TOP_PX:BOTTOM_PX, left : left + SLOT_PX]
    layer = _flask(colour, lit)
    scene = np.clip(behind * (1.0 - layer[..., 3:]) + layer[..., :3], 0, 255).astype(np.uint8)
    fill = BRIGHT_BRASS if lit else BRASS
    plate = tile(*PLATE_PX, fill, TABLE_EDGE, str(place + 1), DARK, radius_px=4, text_px=14)
    paper = Pil.fromarray(scene)
    paper.paste(plate, (round(CENTRE - PLATE_PX[0] / 2), round(PLATE_Y - PLATE_PX[1] / 2)))
    return pixels(paper)


@cache
def _flask(colour: str, lit: bool) -> Layer:
    """A flask on its tripod, drawn enlarged and averaged down."""
    liquid = np.array(LIQUIDS[colour], np.float32)
    layer = np.zeros((SLOT_HEIGHT_PX * SCALE, SLOT_PX * SCALE, 4), np.float32)
    layer = _aglow(layer, liquid) if lit else _shadow(layer)
    layer = _glass(_drawn(layer, _tripod), liquid, lit)
    layer = _drawn(layer, partial(_fittings, pale=_pale(LIQUIDS[colour]), lit=lit))
    small: Layer = layer.reshape(SLOT_HEIGHT_PX, SCALE, SLOT_PX, SCALE, 4).mean(axis=(1, 3))
    return small


def _drawn(layer: Layer, sketch: Callable[[ImageDraw.ImageDraw], None]) -> Layer:
    """The layer with something opaque drawn on it."""
    scaled = np.clip(layer * (1.0, 1.0, 1.0, 255.0), 0, 255).astype(np.uint8)
    paper = Pil.fromarray(scaled, "RGBA")
    sketch(ImageDraw.Draw(paper))
    return np.asarray(paper, np.float32) * np.array((1.0, 1.0, 1.0, 1 / 255), np.float32)


def _over(layer: Layer, colour: Floats | Colour, alpha: Floats) -> Layer:
    """The layer with a colour laid over it, as dense as `alpha` in [0, 1] says."""
    tint = np.broadcast_to(np.asarray(colour, np.float32), (*alpha.shape, 3))
    dense = alpha[..., None]
    above = np.concatenate([tint * dense, dense], axis=-1)
    covered: Layer = layer * (1.0 - dense) + above
    return covered


def _grid(layer: Layer) -> tuple[Floats, Floats]:
    """The x and y of every enlarged pixel, in pixels of the finished picture."""
    height, width = layer.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return (x + 0.5) / SCALE, (y + 0.5) / SCALE


def _aglow(layer: Layer, liquid: Floats) -> Layer:
    """With the light of a flask, which fades out before the borders of its slot."""
    halo = light(layer[..., :3], CENTRE, BODY_Y, 88, liquid * 0.9 + 50)
    halo = light(halo, CENTRE, NECK_TOP - 28, 46, liquid * 0.35 + 40)
    x, _ = _grid(layer)
    faded = halo * (1.0 - ((x - CENTRE) / CENTRE) ** 2)[..., None]
    return np.concatenate([faded, layer[..., 3:]], axis=-1)


def _shadow(layer: Layer) -> Layer:
    """With the shadow on the table."""
    x, y = _grid(layer)
    reach = np.hypot((x - CENTRE) / 46, (y - TABLE_Y - 4) / 9)
    return _over(layer, (0, 0, 0), 0.55 * np.clip(1.25 - reach, 0, 1))


def _glass(layer: Layer, liquid: Floats, lit: bool) -> Layer:
    """With a round flask: glass, liquid shaded like a ball, its surface, and a shine."""
    x, y = _grid(layer)
    across, down = (x - CENTRE) / BODY_R, (y - BODY_Y) / BODY_R
    inside = across**2 + down**2
    body = inside < 1.0
    neck = (abs(x - CENTRE) < NECK_R) & (y > NECK_TOP) & (y < BODY_Y - 36)
    bend = np.clip(abs(x - CENTRE) / NECK_R, 0.0, 1.0)
    layer = _over(layer, GLASS, np.where(neck, 0.14 + 0.5 * bend**4, 0.12 * body))

    depth = np.sqrt(np.clip(1.0 - inside, 0.0, 1.0))
    shade = np.clip(0.74 * depth - 0.42 * across - 0.36 * down, 0.0, 1.0)
    core = np.clip(1.0 - np.hypot(across, down - 0.25), 0.0, 1.0)
    bright = 0.62 + 0.55 * shade if lit else 0.42 + 0.64 * shade
    filled = liquid * bright[..., None] + (150.0 if lit else 26.0) * core[..., None]
    wet = body & (inside < FULL) & (y > LEVEL_Y)
    layer = _over(layer, np.clip(filled, 0, 255), 0.96 * wet)
    half = np.sqrt(FULL * BODY_R**2 - (LEVEL_Y - BODY_Y) ** 2)
    surface = np.hypot((x - CENTRE) / half, (y - LEVEL_Y) / 7.0) < 1.0
    layer = _over(layer, np.clip(liquid * 0.6 + (102 if lit else 70), 0, 255), 0.95 * surface)

    rim = np.where(body, inside**7, 0.0)
    shine = np.exp(-(((across + 0.44) / 0.15) ** 2) - ((down + 0.40) / 0.26) ** 2)
    streak = np.exp(-(((x - CENTRE + 6) / 2.2) ** 2)) * neck
    layer = _over(layer, GLEAM, 0.62 * rim)
    return _over(layer, (255, 255, 255), np.clip(0.85 * shine + 0.6 * streak, 0, 1))


def _tripod(pen: ImageDraw.ImageDraw) -> None:
    for foot, knee in ((-34, -27), (34, 27), (0, 0)):
        top = ((CENTRE + knee) * SCALE, (BODY_Y + 22) * SCALE)
        floor = ((CENTRE + foot) * SCALE, TABLE_Y * SCALE)
        pen.line([top, floor], fill=DARK_BRASS, width=5 * SCALE)
        pen.line([(x - SCALE, y) for x, y in (top, floor)], fill=BRASS, width=2 * SCALE)


def _fittings(pen: ImageDraw.ImageDraw, pale: Colour, lit: bool) -> None:
    """Bubbles, brass collar and lip, and a cork, or sparks and a melody."""
    for dx, dy, radius in BUBBLES if lit else BUBBLES[:3]:
        _ring(pen, CENTRE + dx, BODY_Y + dy, radius, pale)
    _bar(pen, BODY_Y + 25, 33, 6, DARK_BRASS)
    _bar(pen, BODY_Y + 24, 33, 3, BRASS)
    if not lit:
        _bar(pen, NECK_TOP - 8, NECK_R - 2, 16, CORK)
        _bar(pen, NECK_TOP - 8, NECK_R - 2, 4, PALE_CORK)
    _bar(pen, NECK_TOP, NECK_R + 4, 6, GLASS)
    _bar(pen, NECK_TOP, NECK_R + 4, 2, GLEAM)
    if lit:
        for dx, top, size in SPARKS:
            _star(pen, CENTRE + dx, top, size)
        for glyph, dx, top, size in MELODY:
            at = ((CENTRE + dx) * SCALE, top * SCALE)
            pen.text(at, glyph, fill=CREAM, font=font(size * SCALE), anchor="mm")


def _pale(liquid: Colour) -> Colour:
    red, green, blue = (min(255, value // 2 + 140) for value in liquid)
    return red, green, blue


def _bar(pen: ImageDraw.ImageDraw, top: float, half: float, height: float, fill: Colour) -> None:
    """A rounded bar, centred in the slot."""
    box = [(CENTRE - half), top, (CENTRE + half), (top + height)]
    pen.rounded_rectangle([edge * SCALE for edge in box], min(2.0, height / 2) * SCALE, fill=fill)


def _ring(pen: ImageDraw.ImageDraw, x: float, y: float, radius: float, ink: Colour) -> None:
    box = [x - radius, y - radius, x + radius, y + radius]
    pen.ellipse([edge * SCALE for edge in box], outline=ink, width=SCALE)


def _star(pen: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    """A star of four rays."""
    waist = size * 0.22
    points = [(0.0, -size), (waist, -waist), (size, 0.0), (waist, waist)]
    points += [(-dx, -dy) for dx, dy in points]
    pen.polygon([((x + dx) * SCALE, (y + dy) * SCALE) for dx, dy in points], fill=CREAM)
