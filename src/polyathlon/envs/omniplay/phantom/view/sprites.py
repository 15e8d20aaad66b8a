"""Symbols of the tactical map: soldiers, objectives, threats, and the panel beside the map.

A sprite is premultiplied: its colour, and what of the ground shines through, both uint16.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.media.drawing import SUPERSAMPLE, Colour, Pixels, font

INK: Colour = (12, 17, 23)
PAPER: Colour = (233, 238, 240)
FAINT: Colour = (136, 150, 160)
TEAM: Colour = (74, 178, 255)
FALLEN: Colour = (104, 110, 116)
FOE: Colour = (240, 74, 66)
SORTS: dict[str, Colour] = {
    "visible": (250, 198, 64),
    "hidden": (206, 128, 255),
    "late": (84, 226, 190),
}
ORDERS: dict[str, Colour] = {
    "idle": (150, 200, 240),
    "move": (120, 204, 255),
    "attack": (255, 112, 92),
    "defend": (130, 226, 140),
    "recon": (250, 222, 110),
}
UNIT_PX, MARK_PX, FOE_PX = 26, 24, 20
PLATE_HEIGHT_PX = 13


class Sprite(NamedTuple):
    """`colour` is height x width x 3, times its cover; `through` height x width x 1, 0..255."""

    colour: NDArray[np.uint16]
    through: NDArray[np.uint16]


def blend(paper: Pixels, sprite: Sprite, centre: tuple[float, float]) -> None:
    """Lay a sprite on `paper`, its centre at (column, row); what lies outside is cut off."""
    height, width = sprite.through.shape[:2]
    left, top = round(centre[0] - width / 2), round(centre[1] - height / 2)
    rows = slice(max(0, -top), min(height, paper.shape[0] - top))
    columns = slice(max(0, -left), min(width, paper.shape[1] - left))
    part = paper[top + rows.start : top + rows.stop, left + columns.start : left + columns.stop]
    through = sprite.through[rows, columns]
    part[:] = sprite.colour[rows, columns] + ((part * through) >> 8)


def sprite(drawn: Pil.Image, scale: int = SUPERSAMPLE) -> Sprite:
    """An RGBA picture, `scale` times too large, as a sprite."""
    small = np.asarray(drawn.reduce(scale), np.uint16)
    cover = small[..., 3:]
    return Sprite((small[..., :3] * cover) // 255, np.uint16(256) - cover - (cover >> 7))


def _sheet(width_px: int, height_px: int) -> tuple[Pil.Image, ImageDraw.ImageDraw]:
    drawn = Pil.new("RGBA", (width_px * SUPERSAMPLE, height_px * SUPERSAMPLE), (0, 0, 0, 0))
    return drawn, ImageDraw.Draw(drawn)


def _text(
    draw: ImageDraw.ImageDraw, at_px: tuple[float, float], text: str, size_px: int, ink: Colour
) -> None:
    at = (at_px[0] * SUPERSAMPLE, at_px[1] * SUPERSAMPLE)
    draw.text(at, text, fill=ink, font=font(size_px * SUPERSAMPLE, bold=True), anchor="mm")


def _scaled(points: Sequence[tuple[float, float]], size_px: int) -> list[tuple[float, float]]:
    """Points of a unit square in the pixels of a sheet."""
    return [(x * size_px * SUPERSAMPLE, y * size_px * SUPERSAMPLE) for x, y in points]


def _disc(
    draw: ImageDraw.ImageDraw, size_px: int, radius: float, fill: Colour, edge: Colour, line: float
) -> None:
    box = _scaled(((0.5 - radius, 0.5 - radius), (0.5 + radius, 0.5 + radius)), size_px)
    draw.ellipse(box, fill=fill, outline=edge, width=round(line * size_px * SUPERSAMPLE))


@cache
def unit(letter: str, action: str) -> Sprite:
    """A soldier: a disc with the letter of its role, ringed in the colour of its order."""
    drawn, draw = _sheet(UNIT_PX, UNIT_PX)
    out = action == "out"
    _disc(draw, UNIT_PX, 0.48, INK, INK, 0.02)
    _disc(draw, UNIT_PX, 0.44, FALLEN if out else TEAM, PAPER if out else ORDERS[action], 0.1)
    _text(draw, (UNIT_PX / 2, UNIT_PX / 2), "×" if out else letter, 14, INK)
    return sprite(drawn)


@cache
def plate(text: str, ink: Colour = PAPER) -> Sprite:
    """A small dark plate with a name."""
    width = round(font(10, bold=True).getlength(text)) + 8
    drawn, draw = _sheet(width, PLATE_HEIGHT_PX)
    box = (0, 0, width * SUPERSAMPLE - 1, PLATE_HEIGHT_PX * SUPERSAMPLE - 1)
    draw.rounded_rectangle(box, 3 * SUPERSAMPLE, fill=(*INK, 205))
    _text(draw, (width / 2, PLATE_HEIGHT_PX / 2), text, 10, ink)
    return sprite(drawn)


_SHIELD = ((0.08, 0.1), (0.92, 0.1), (0.92, 0.56), (0.5, 0.98), (0.08, 0.56))


@cache
def mark(letter: str, sort: str, done: bool) -> Sprite:
    """An objective: a shield, its tip at the place, with its letter; hollow when complete."""
    drawn, draw = _sheet(MARK_PX, MARK_PX)
    colour = SORTS[sort]
    points = _scaled(_SHIELD, MARK_PX)
    draw.polygon(points, fill=(*INK, 235) if done else colour)
    draw.line([*points, *points[:2]], fill=colour if done else INK, width=2 * SUPERSAMPLE)
    if done:
        tick = _scaled(((0.28, 0.42), (0.45, 0.6), (0.74, 0.26)), MARK_PX)
        draw.line(tick, fill=ORDERS["defend"], width=3 * SUPERSAMPLE, joint="curve")
    else:
        _text(draw, (MARK_PX / 2, MARK_PX * 0.44), letter, 13, INK)
    return sprite(drawn)


_DIAMOND = ((0.5, 0.04), (0.96, 0.5), (0.5, 0.96), (0.04, 0.5))


@cache
def foe(sighted: bool) -> Sprite:
    """A threat: a filled diamond in sight, a hollow one where it was seen last."""
    drawn, draw = _sheet(FOE_PX, FOE_PX)
    points = _scaled(_DIAMOND, FOE_PX)
    draw.polygon(points, fill=FOE if sighted else (*INK, 150))
    draw.line([*points, *points[:2]], fill=INK if sighted else FOE, width=2 * SUPERSAMPLE)
    _text(draw, (FOE_PX / 2, FOE_PX / 2), "!" if sighted else "?", 12, INK if sighted else FOE)
    return sprite(drawn)


@lru_cache(maxsize=64)
def ring(radius_px: int, colour: Colour, cover: int) -> Sprite:
    """A thin circle."""
    size = 2 * radius_px + 4
    drawn, draw = _sheet(size, size)
    low, high = 2 * SUPERSAMPLE, (size - 2) * SUPERSAMPLE
    draw.ellipse((low, low, high, high), outline=(*colour, cover), width=round(1.5 * SUPERSAMPLE))
    return sprite(drawn)
