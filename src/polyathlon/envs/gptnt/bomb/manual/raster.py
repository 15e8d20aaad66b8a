"""Pages as grey-scale pictures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.manual.sheet import (
    HEIGHT,
    WHITE,
    WIDTH,
    Area,
    Line,
    Page,
    Words,
    text_width,
)
from polyathlon.media.drawing import font

_SCALE = 4
"""Pixels per point of the one drawing that every size is scaled from."""


@lru_cache(maxsize=32)
def page_image(page: Page, width_px: int, height_px: int) -> Image:
    """The page as large as it fits, centred on white; grey-scale in three equal channels."""
    fit = min(width_px / WIDTH, height_px / HEIGHT)
    size = max(1, round(WIDTH * fit)), max(1, round(HEIGHT * fit))
    sheet = _drawn(page).resize(size, Pil.Resampling.LANCZOS, reducing_gap=2.0)
    paper = Pil.new("L", (width_px, height_px), WHITE)
    paper.paste(sheet, ((width_px - size[0]) // 2, (height_px - size[1]) // 2))
    grey = np.asarray(paper)
    return Image(width_px, height_px, np.repeat(grey[..., None], 3, axis=2).tobytes())


@lru_cache(maxsize=4)
def _drawn(page: Page) -> Pil.Image:
    paper = Pil.new("L", (round(WIDTH * _SCALE), round(HEIGHT * _SCALE)), WHITE)
    draw = ImageDraw.Draw(paper)
    for mark in page.marks:
        match mark:
            case Words():
                _words(draw, mark)
            case Line():
                _line(draw, mark)
            case Area(points, ink):
                draw.polygon([(x * _SCALE, y * _SCALE) for x, y in points], fill=ink)
    return paper


def _words(draw: ImageDraw.ImageDraw, mark: Words) -> None:
    """Word by word, each where the layout measured it to be."""
    if mark.ink is None:
        return
    face = font(round(mark.size * _SCALE), mark.bold)
    x, y = mark.x, mark.y
    for word in mark.text.split(" "):
        draw.text((x * _SCALE, y * _SCALE), word, fill=mark.ink, font=face, anchor="ls")
        x += text_width(word + " ", mark.size, mark.bold)


def _line(draw: ImageDraw.ImageDraw, mark: Line) -> None:
    points = [(x * _SCALE, y * _SCALE) for x, y in mark.points]
    width = max(1, round(mark.width * _SCALE))
    draw.line(points, fill=mark.ink, width=width)
    for point in points:
        draw.circle(point, (width - 1) / 2, fill=mark.ink)
