"""The arena as a picture: cells, then flames, bombs and players on them, under a round strip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np

from polyathlon.core.parts import Image
from polyathlon.envs.omniplay.showdown import SIZE_PX
from polyathlon.envs.omniplay.showdown.rules.arena import (
    CRATE,
    FLOOR,
    PILLAR,
    PILLARS,
    POWER_UPS,
    xy,
)
from polyathlon.envs.omniplay.showdown.view import sprites
from polyathlon.envs.omniplay.showdown.view.scene import Scene
from polyathlon.envs.omniplay.showdown.view.sprites import Sprite
from polyathlon.envs.omniplay.showdown.view.window import GRID_PX, LEFT_PX, TOP_PX, Window
from polyathlon.media.drawing import Colour, Pixels, canvas, caption, pixels

BACK: Colour = (38, 42, 56)
PALE: Colour = (206, 212, 226)
VOID: Colour = (26, 29, 40)
CHIP_PX = 30
STAGES = 16

At: TypeAlias = tuple[int, int]


def painted(scene: Scene) -> Image:
    """The picture of a scene, `SIZE_PX`."""
    paper = _stage(scene.window).copy()
    for tile, at in _tiles(scene):
        _cover(paper, tile, at)
    for sprite, at in (*_strip(scene), *_things(scene)):
        sprite.lay(paper, *at)
    return Image(*SIZE_PX, paper.tobytes())


def _cover(paper: Pixels, tile: Pixels, at: At) -> None:
    left, top = at
    height, width, _ = tile.shape
    paper[top : top + height, left : left + width] = tile


@lru_cache(maxsize=STAGES)
def _stage(view: Window) -> Pixels:
    """The arena without crates, power-ups and players."""
    frame = canvas(*SIZE_PX, BACK)
    frame.paste(VOID, (LEFT_PX, TOP_PX, LEFT_PX + GRID_PX, TOP_PX + GRID_PX))
    paper = pixels(frame).copy()
    for cell in view.cells:
        ground = PILLAR if cell in PILLARS else FLOOR
        _cover(paper, _cell(view.cell_px, ground, cell % 2 == 1), view.place_px(cell))
    for number, at in _labels(view):
        _cover(paper, number, at)
    return paper


def _tiles(scene: Scene) -> Iterator[tuple[Pixels, At]]:
    """The round, crates and power-ups."""
    words = f"Round {scene.round} of {scene.cap}"
    yield pixels(caption(words, 18, PALE, BACK, bold=True)), (LEFT_PX, 13)
    view = scene.window
    for cell in view.cells:
        ground = scene.ground[cell]
        if ground != FLOOR and ground != PILLAR:
            yield _cell(view.cell_px, ground, cell % 2 == 1), view.place_px(cell)


@cache
def _cell(side_px: int, ground: int, odd: bool) -> Pixels:
    """An opaque cell, height x width x 3."""
    cell = np.zeros((side_px, side_px, 3), np.uint8)
    if ground == PILLAR:
        sprites.pillar(side_px).lay(cell, 0, 0)
    elif ground == CRATE:
        sprites.crate(side_px).lay(cell, 0, 0)
    else:
        sprites.floor(side_px, odd).lay(cell, 0, 0)
    if ground in POWER_UPS:
        sprites.power_up(side_px, POWER_UPS[ground]).lay(cell, 0, 0)
    return cell


def _things(scene: Scene) -> Iterator[tuple[Sprite, At]]:
    """Flames with the power-ups they uncovered, bombs, players, and the bombs players stand on.

    Players on one cell are drawn small, each in the corner of its seat.
    """
    view = scene.window
    side_px = view.cell_px
    for cell in sorted(filter(view.shows, scene.flames)):
        yield sprites.flames(side_px), view.place_px(cell)
        if (ground := scene.ground[cell]) in POWER_UPS:
            yield sprites.power_up(side_px, POWER_UPS[ground]), view.place_px(cell)
    bombs = [bomb for bomb in scene.bombs if view.shows(bomb[0])]
    standing = Counter(scene.players)
    for cell, countdown, seat in bombs:
        if not standing[cell]:
            yield sprites.bomb(side_px, countdown, seat), view.place_px(cell)
    small_px = side_px * 5 // 8
    for seat, where in enumerate(scene.players):
        if where is not None and view.shows(where):
            alone = standing[where] == 1
            left, top = view.place_px(where)
            right, down = (0, 0) if alone else divmod(seat, 2)[::-1]
            at = left + right * (side_px - small_px), top + down * (side_px - small_px)
            yield sprites.player(side_px if alone else small_px, seat, seat == scene.me), at
    for cell, countdown, seat in bombs:
        if standing[cell]:
            left, top = view.place_px(cell)
            yield sprites.bomb(small_px, countdown, seat), (left - 3, top + side_px - small_px + 3)


def _strip(scene: Scene) -> Iterator[tuple[Sprite, At]]:
    """The four players: who is left, and who one is."""
    for seat, where in enumerate(scene.players):
        chip = (
            sprites.fallen(CHIP_PX, seat)
            if where is None
            else sprites.player(CHIP_PX, seat, seat == scene.me)
        )
        yield chip, (LEFT_PX + GRID_PX - (4 - seat) * (CHIP_PX + 8) + 8, 4)


def _labels(view: Window) -> Iterator[tuple[Pixels, At]]:
    """Coordinates along all four edges."""
    half = view.cell_px // 2
    first_x, first_y = xy(view.cells[0])
    for cell in view.cells:
        (x, y), (left, top) = xy(cell), view.place_px(cell)
        if y == first_y:
            for middle in (TOP_PX - 11, TOP_PX + GRID_PX + 13):
                yield _number(x, left + half, middle)
        if x == first_x:
            for middle in (LEFT_PX // 2, LEFT_PX + GRID_PX + LEFT_PX // 2):
                yield _number(y, middle, top + half)


def _number(value: int, x: int, y: int) -> tuple[Pixels, At]:
    text = pixels(caption(str(value), 12, PALE, BACK))
    height, width, _ = text.shape
    return text, (x - width // 2, y - height // 2)
