"""Sokoban as a picture: the level from above."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.core.parts import Image
from polyathlon.envs.lmgame.sokoban.rules.board import (
    BOX,
    BOX_ON_DOCK,
    DOCK,
    FLOOR,
    WALL,
    WORKER,
    WORKER_ON_DOCK,
    Level,
    cells,
)
from polyathlon.envs.lmgame.sokoban.view.sprites import MORTAR, sprite
from polyathlon.envs.lmgame.sokoban.view.telling import Scene
from polyathlon.media.drawing import Pixels, canvas, composed, pixels

SIZE_PX = 400


def draw(scene: Scene) -> Image:
    """The level as a 400x400 picture of square cells, centred. No number is drawn."""
    level, docks = scene.level, scene.level.docks
    shown = [(scene.worker, WORKER_ON_DOCK if docks >> scene.worker & 1 else WORKER)]
    shown += [(cell, BOX_ON_DOCK if docks >> cell & 1 else BOX) for cell in cells(scene.boxes)]
    rows, cols = level.rows, level.cols
    side = _side(rows, cols)
    placed = ((_pixels(symbol, side), _corner(rows, cols, cell)) for cell, symbol in shown)
    return composed(_empty(level), placed)


def centre(rows: int, cols: int, cell: int) -> tuple[float, float]:
    """The (x, y) in [0, 1]² of the middle of a cell."""
    x, y = _corner(rows, cols, cell)
    half = _side(rows, cols) / 2
    return (x + half) / SIZE_PX, (y + half) / SIZE_PX


@lru_cache(maxsize=32)
def _empty(level: Level) -> Pixels:
    """The level without boxes and worker."""
    paper = canvas(SIZE_PX, SIZE_PX, MORTAR)
    rows, cols = level.rows, level.cols
    for cell in range(rows * cols):
        inside = DOCK if level.docks >> cell & 1 else FLOOR
        symbol = inside if level.floor >> cell & 1 else WALL
        paper.paste(sprite(symbol, _side(rows, cols)), _corner(rows, cols, cell))
    return pixels(paper)


@lru_cache(maxsize=256)
def _pixels(symbol: str, side_px: int) -> Pixels:
    return pixels(sprite(symbol, side_px))


def _side(rows: int, cols: int) -> int:
    return SIZE_PX // max(rows, cols)


def _corner(rows: int, cols: int, cell: int) -> tuple[int, int]:
    side = _side(rows, cols)
    row, col = divmod(cell, cols)
    return (SIZE_PX - side * cols) // 2 + col * side, (SIZE_PX - side * rows) // 2 + row * side
