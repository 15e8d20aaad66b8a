"""Sokoban as a picture: the level from above."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image as Pil

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
from polyathlon.media.drawing import canvas, picture

SIZE_PX = 400


def draw(scene: Scene) -> Image:
    """The level as a 400x400 picture of square cells, centred. No number is drawn."""
    level, worker, boxes = scene.level, scene.worker, scene.boxes
    paper = _empty(level).copy()
    _put(paper, level, worker, WORKER_ON_DOCK if level.docks >> worker & 1 else WORKER)
    for cell in cells(boxes):
        _put(paper, level, cell, BOX_ON_DOCK if level.docks >> cell & 1 else BOX)
    return picture(paper)


def centre(rows: int, cols: int, cell: int) -> tuple[float, float]:
    """The (x, y) in [0, 1]² of the middle of a cell."""
    x, y = _corner(rows, cols, cell)
    half = _side(rows, cols) / 2
    return (x + half) / SIZE_PX, (y + half) / SIZE_PX


@lru_cache(maxsize=32)
def _empty(level: Level) -> Pil.Image:
    """The level without boxes and worker. Do not draw on it."""
    paper = canvas(SIZE_PX, SIZE_PX, MORTAR)
    for cell in range(level.rows * level.cols):
        inside = DOCK if level.docks >> cell & 1 else FLOOR
        _put(paper, level, cell, inside if level.floor >> cell & 1 else WALL)
    return paper


def _put(paper: Pil.Image, level: Level, cell: int, symbol: str) -> None:
    rows, cols = level.rows, level.cols
    paper.paste(sprite(symbol, _side(rows, cols)), _corner(rows, cols, cell))


def _side(rows: int, cols: int) -> int:
    return SIZE_PX // max(rows, cols)


def _corner(rows: int, cols: int, cell: int) -> tuple[int, int]:
    side = _side(rows, cols)
    row, col = divmod(cell, cols)
    return (SIZE_PX - side * cols) // 2 + col * side, (SIZE_PX - side * rows) // 2 + row * side
