"""What lies over the picture: arrow, mini-map and the last move, as cached sprites."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.envs.omniplay.pathfinding.directions import QUARTERS, Quarter
from polyathlon.envs.omniplay.pathfinding.maze import METRE, OPEN, UNKNOWN, WALL, Point, Rows
from polyathlon.media.drawing import SUPERSAMPLE, font

Sprite: TypeAlias = NDArray[np.uint16]
Pixels: TypeAlias = NDArray[np.uint8]
CELL_PX = 20
MAP_EDGE_PX = 4
MAP_MARKS = UNKNOWN + OPEN + WALL
MAP_COLOURS = ((24, 28, 42), (104, 116, 140), (226, 214, 190))
FRAME = (236, 236, 240)
PLAYER = (255, 92, 72, 255)
ARROW = (255, 196, 64, 255)
ARROW_EDGE = (60, 36, 0, 255)
PANEL = (16, 20, 30, 180)
INK = (244, 244, 248, 255)
ARROW_PX = 104
PLAYER_PX = 22
TEXT_PX = 17


def laid(paper: Pixels, sprite: Sprite, left: int, top: int) -> None:
    """Blend a sprite (height x width x 4: red, green, blue, opacity in 0..256) onto the paper."""
    height, width = sprite.shape[:2]
    below = paper[top : top + height, left : left + width]
    opacity = sprite[..., 3:]
    below[:] = (sprite[..., :3] * opacity + below * (256 - opacity)) >> 8


@cache
def arrow(towards: Quarter) -> Sprite:
    """The arrow that points to a quarter: up is ahead, down is behind."""
    size = ARROW_PX * SUPERSAMPLE
    sprite = Pil.new("RGBA", (size, size))
    draw = ImageDraw.Draw(sprite)
    draw.ellipse((0, 0, size - 1, size - 1), fill=PANEL)
    shape = ((0, -40), (32, -4), (14, -4), (14, 36), (-14, 36), (-14, -4), (-32, -4))
    half, scale = size / 2, size / ARROW_PX
    outline = [(half + x * scale, half + y * scale) for x, y in shape]
    draw.line([*outline, *outline[:2]], fill=ARROW_EDGE, width=int(7 * scale), joint="curve")
    draw.polygon(outline, fill=ARROW)
    turned = sprite.rotate(-90 * QUARTERS.index(towards))
    return _sprite(turned, ARROW_PX, ARROW_PX)


@lru_cache(maxsize=512)
def caption(text: str) -> Sprite:
    """A line of text on a rounded panel."""
    face = font(TEXT_PX, bold=True)
    panel = _panel(int(face.getlength(text)) + 24, TEXT_PX + 16).copy()
    middle = panel.width / 2, panel.height / 2
    ImageDraw.Draw(panel).text(middle, text, fill=INK, font=face, anchor="mm")
    return _layers(panel)


@lru_cache(maxsize=128)
def _panel(width_px: int, height_px: int) -> Pil.Image:
    """An empty rounded panel. Do not draw on it."""
    size = width_px * SUPERSAMPLE, height_px * SUPERSAMPLE
    sprite = Pil.new("RGBA", size)
    box = (0, 0, size[0] - 1, size[1] - 1)
    ImageDraw.Draw(sprite).rounded_rectangle(box, 10 * SUPERSAMPLE, fill=PANEL)
    return sprite.resize((width_px, height_px), Pil.Resampling.LANCZOS)


def mini_map(cells: Rows, position: Point, heading_deg: float) -> Pixels:
    """The cells about the player's, with the player and where it looks."""
    codes = np.array([[MAP_MARKS.index(mark) for mark in row] for row in cells])
    inside = _map_colours()[codes].repeat(CELL_PX, axis=0).repeat(CELL_PX, axis=1)
    size = len(inside) + 2 * MAP_EDGE_PX
    panel = np.empty((size, size, 3), np.uint8)
    panel[:] = FRAME
    panel[MAP_EDGE_PX:-MAP_EDGE_PX, MAP_EDGE_PX:-MAP_EDGE_PX] = inside
    corner = [
        MAP_EDGE_PX + int((len(cells) // 2 + along % METRE / METRE) * CELL_PX) - PLAYER_PX // 2
        for along in position
    ]
    laid(panel, _player(round(heading_deg) % 360), *corner)
    return panel


@cache
def _map_colours() -> Pixels:
    return np.array(MAP_COLOURS, np.uint8)


@lru_cache(maxsize=360)
def _player(heading_deg: int) -> Sprite:
    """A dart that points where the player looks."""
    size = PLAYER_PX * SUPERSAMPLE
    sprite = Pil.new("RGBA", (size, size))
    cos, sin = math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg))
    shape = ((0.46, 0.0), (-0.34, 0.32), (-0.16, 0.0), (-0.34, -0.32))
    outline = [
        (size * (0.5 + x * cos - y * sin), size * (0.5 + x * sin + y * cos)) for x, y in shape
    ]
    ImageDraw.Draw(sprite).polygon(outline, fill=PLAYER, outline=INK, width=SUPERSAMPLE)
    return _sprite(sprite, PLAYER_PX, PLAYER_PX)


def _sprite(drawn: Pil.Image, width_px: int, height_px: int) -> Sprite:
    return _layers(drawn.resize((width_px, height_px), Pil.Resampling.LANCZOS))


def _layers(drawn: Pil.Image) -> Sprite:
    layers = np.asarray(drawn).astype(np.uint16)
    layers[..., 3] += layers[..., 3] >> 7
    return layers
