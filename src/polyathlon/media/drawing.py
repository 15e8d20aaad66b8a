"""2-D drawing helpers on Pillow: fonts, crisp tiles, and pictures out of canvases.

Sprites are drawn once at `SUPERSAMPLE` times their size, scaled down and cached, so that a board
is a handful of pastes. Fonts are DejaVu Sans (free licence beside the files), laid out by
Pillow's basic engine so that text never moves between machines.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from polyathlon.core.parts import Image

Colour: TypeAlias = tuple[int, int, int]
Pixels: TypeAlias = NDArray[np.uint8]
SUPERSAMPLE = 4
_FONTS = Path(__file__).parent / "fonts"


@cache
def font(size_px: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """DejaVu Sans at a size in pixels."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(_FONTS / name, size_px, layout_engine=ImageFont.Layout.BASIC)


def canvas(width_px: int, height_px: int, fill: Colour) -> Pil.Image:
    """A blank picture to paste on."""
    return Pil.new("RGB", (width_px, height_px), fill)


def pixels(sprite: Pil.Image) -> Pixels:
    """A finished sprite or stage for `composed`: height x width x 3, uint8. Do not write to it."""
    return np.asarray(sprite)


def composed(stage: Pixels, sprites: Iterable[tuple[Pixels, tuple[int, int]]]) -> Image:
    """A copy of `stage` with sprites laid on it, each with its left and top in pixels.

    Costs a copy of the bytes, a third of what Pillow needs to paste and export.
    """
    paper = stage.copy()
    for sprite, (left, top) in sprites:
        height, width = sprite.shape[:2]
        paper[top : top + height, left : left + width] = sprite
    return Image(paper.shape[1], paper.shape[0], paper.tobytes())


@lru_cache(maxsize=4096)
def tile(
    width_px: int,
    height_px: int,
    fill: Colour,
    back: Colour,
    text: str = "",
    ink: Colour = (255, 255, 255),
    radius_px: int = 0,
    text_px: int = 0,
) -> Pil.Image:
    """A cached rounded rectangle of `fill` on `back`, with centred bold `text`.

    `text_px` is the text height; 0 fits it to the tile. Do not draw on the returned image.
    """
    scale = SUPERSAMPLE
    sprite = Pil.new("RGB", (width_px * scale, height_px * scale), back)
    draw = ImageDraw.Draw(sprite)
    box = (0, 0, width_px * scale - 1, height_px * scale - 1)
    draw.rounded_rectangle(box, radius_px * scale, fill=fill)
    if text:
        size = text_px or _fitting(text, width_px, height_px)
        centre = (width_px * scale / 2, height_px * scale / 2)
        draw.text(centre, text, fill=ink, font=font(size * scale, bold=True), anchor="mm")
    return sprite.resize((width_px, height_px), Pil.Resampling.LANCZOS)


@lru_cache(maxsize=4096)
def caption(text: str, size_px: int, ink: Colour, back: Colour, bold: bool = False) -> Pil.Image:
    """A cached line of text on `back`, as small as its ink box. Do not draw on it."""
    face = font(size_px, bold)
    left, top, right, bottom = face.getbbox(text or " ")
    sprite = Pil.new("RGB", (max(1, int(right - left)), max(1, int(bottom - top))), back)
    ImageDraw.Draw(sprite).text((-left, -top), text, fill=ink, font=face)
    return sprite


def _fitting(text: str, width_px: int, height_px: int) -> int:
    size = max(6, int(height_px * 0.45))
    while size > 6 and font(size, bold=True).getlength(text) > width_px * 0.84:
        size -= 1
    return size
