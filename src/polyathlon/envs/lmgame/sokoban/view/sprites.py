"""Sokoban: the picture of one cell, drawn once and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.envs.lmgame.sokoban.rules.board import (
    BOX,
    BOX_ON_DOCK,
    DOCK,
    FLOOR,
    WALL,
    WORKER,
    WORKER_ON_DOCK,
)
from polyathlon.media.drawing import SUPERSAMPLE, Colour

STONE: Colour = (84, 93, 115)
STONE_LIGHT: Colour = (108, 118, 142)
STONE_DARK: Colour = (68, 76, 95)
MORTAR: Colour = (52, 58, 74)
GROUND: Colour = (240, 234, 221)
SEAM: Colour = (204, 194, 172)
MARK: Colour = (214, 48, 60)
WOOD: Colour = (205, 146, 74)
WOOD_DARK: Colour = (120, 74, 28)
GREEN: Colour = (72, 164, 96)
GREEN_DARK: Colour = (22, 88, 46)
CLOTH: Colour = (38, 92, 190)
CLOTH_DARK: Colour = (20, 50, 112)
SKIN: Colour = (246, 205, 164)
HAT: Colour = (248, 190, 36)
INK: Colour = (36, 38, 48)


class Brush:
    """Draws in units of the cell's side: (0, 0) top left, (1, 1) bottom right."""

    def __init__(self, draw: ImageDraw.ImageDraw, size_px: int) -> None:
        self._draw = draw
        self._size = size_px

    def box(
        self, x0: float, y0: float, x1: float, y1: float, fill: Colour, radius: float = 0.0
    ) -> None:
        corners = [value * self._size for value in (x0, y0, x1, y1)]
        self._draw.rounded_rectangle(corners, radius * self._size, fill=fill)

    def disc(self, x: float, y: float, radius: float, fill: Colour) -> None:
        self._draw.circle((x * self._size, y * self._size), radius * self._size, fill=fill)

    def line(self, points: tuple[tuple[float, float], ...], width: float, fill: Colour) -> None:
        scaled = [(x * self._size, y * self._size) for x, y in points]
        self._draw.line(scaled, fill=fill, width=round(width * self._size), joint="curve")


@lru_cache(maxsize=512)
def sprite(symbol: str, side_px: int) -> Pil.Image:
    """The cell of a map symbol, `side_px` pixels square. Do not draw on it."""
    size = side_px * SUPERSAMPLE
    cell = Pil.new("RGB", (size, size), GROUND)
    brush = Brush(ImageDraw.Draw(cell), size)
    for part in _PARTS[symbol]:
        part(brush)
    return cell.resize((side_px, side_px), Pil.Resampling.LANCZOS)


def _wall(brush: Brush) -> None:
    brush.box(0, 0, 1, 1, MORTAR)
    brush.box(0.03, 0.03, 0.97, 0.97, STONE)
    brush.box(0.03, 0.03, 0.97, 0.15, STONE_LIGHT)
    brush.box(0.03, 0.85, 0.97, 0.97, STONE_DARK)


def _floor(brush: Brush) -> None:
    brush.box(0, 0, 1, 1, SEAM)
    brush.box(0.015, 0.015, 0.985, 0.985, GROUND)


def _dock(brush: Brush) -> None:
    brush.disc(0.5, 0.5, 0.36, MARK)
    brush.disc(0.5, 0.5, 0.26, GROUND)
    brush.disc(0.5, 0.5, 0.13, MARK)


def _box(brush: Brush) -> None:
    _crate(brush, WOOD, WOOD_DARK)
    brush.line(((0.24, 0.24), (0.76, 0.76)), 0.09, WOOD_DARK)
    brush.line(((0.24, 0.76), (0.76, 0.24)), 0.09, WOOD_DARK)


def _box_on_dock(brush: Brush) -> None:
    _crate(brush, GREEN, GREEN_DARK)
    brush.line(((0.28, 0.52), (0.44, 0.67), (0.72, 0.34)), 0.1, GROUND)


def _crate(brush: Brush, face: Colour, edge: Colour) -> None:
    brush.box(0.08, 0.08, 0.92, 0.92, edge, radius=0.07)
    brush.box(0.12, 0.12, 0.88, 0.88, face, radius=0.04)
    for inset, fill in ((0.2, edge), (0.235, face)):
        brush.box(inset, inset, 1 - inset, 1 - inset, fill)


def _worker(brush: Brush) -> None:
    brush.box(0.33, 0.7, 0.48, 0.94, INK, radius=0.05)
    brush.box(0.52, 0.7, 0.67, 0.94, INK, radius=0.05)
    brush.box(0.18, 0.47, 0.82, 0.61, CLOTH_DARK, radius=0.07)
    brush.disc(0.2, 0.55, 0.075, SKIN)
    brush.disc(0.8, 0.55, 0.075, SKIN)
    brush.box(0.3, 0.43, 0.7, 0.8, CLOTH, radius=0.09)
    brush.disc(0.5, 0.29, 0.19, SKIN)
    brush.disc(0.43, 0.31, 0.028, INK)
    brush.disc(0.57, 0.31, 0.028, INK)
    brush.box(0.31, 0.08, 0.69, 0.24, HAT, radius=0.09)
    brush.box(0.25, 0.2, 0.75, 0.26, HAT, radius=0.03)


_PARTS: Mapping[str, tuple[Callable[[Brush], None], ...]] = {
    WALL: (_wall,),
    FLOOR: (_floor,),
    DOCK: (_floor, _dock),
    BOX: (_floor, _box),
    BOX_ON_DOCK: (_floor, _box_on_dock),
    WORKER: (_floor, _worker),
    WORKER_ON_DOCK: (_floor, _dock, _worker),
}
