"""Myriad Echoes: the clip and the screen as pictures of 480x288.

Frames of a clip differ in one cell only, so a clip is a few distinct frames, repeated.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from polyathlon.core.parts import Image, Video
from polyathlon.envs.omniplay.echoes.grid import HEIGHT_PX, WIDTH_PX, Box, Cell, boxes
from polyathlon.envs.omniplay.echoes.view.scenes import (
    DARK_S,
    FPS,
    LEAD_IN_S,
    LIT_S,
    Clip,
    Screen,
    kinds,
)
from polyathlon.media.drawing import Colour, Pixels, canvas, composed, pixels, tile
from polyathlon.media.icons import icon

Look: TypeAlias = Literal["dim", "plain", "lit"]

BACK: Colour = (31, 35, 51)
FILLS: dict[Look, Colour] = {"dim": (62, 69, 93), "plain": (198, 206, 222), "lit": (255, 241, 194)}
HALOES: dict[Look, Colour] = {"dim": BACK, "plain": BACK, "lit": (255, 178, 46)}
DIMMED = 0.45
"""How much of an icon shows while its light is off."""
HALO_PX = 4
RADIUS_PX = 12
ICON_SHARE = 0.8

LEAD_IN_FRAMES, LIT_FRAMES, DARK_FRAMES = (round(FPS * s) for s in (LEAD_IN_S, LIT_S, DARK_S))
ITEM_FRAMES = LIT_FRAMES + DARK_FRAMES
_DIMMING = [round(DIMMED * alpha) for alpha in range(256)]


def clip(scene: Clip) -> Video:
    """The icons lighting up in turn.

    Its key frames are one in the middle of each lit and of each dark interval after it.
    """
    dark = _grid(scene, "dim").rgb
    frames = [dark] * LEAD_IN_FRAMES
    for cell in scene.order:
        frames += [_grid(scene, "dim", cell).rgb] * LIT_FRAMES + [dark] * DARK_FRAMES
    return Video(WIDTH_PX, HEIGHT_PX, FPS, b"".join(frames), key_frames(len(scene.order)))


def key_frames(count: int) -> tuple[int, ...]:
    """The middle frames of the lit and the dark intervals of `count` icons, in order."""
    starts = [LEAD_IN_FRAMES + i * ITEM_FRAMES for i in range(count)]
    middles = (LIT_FRAMES // 2, LIT_FRAMES + DARK_FRAMES // 2)
    return tuple([start + middle for start in starts for middle in middles])


def screen(scene: Screen) -> Image:
    """The grid, with the cell clicked last lit."""
    return _grid(scene, "plain", scene.last)


def _grid(scene: Clip | Screen, look: Look, lit: Cell | None = None) -> Image:
    """All cells alike, but one lit."""
    found = kinds(scene)
    places = boxes(scene.rows, scene.columns).items()
    sprites = [_placed(found[cell], "lit" if cell == lit else look, box) for cell, box in places]
    return composed(_stage(), sprites)


def _placed(kind: str, look: Look, box: Box) -> tuple[Pixels, tuple[int, int]]:
    left, top, right, _ = box
    return _sprite(kind, look, right - left), (left - HALO_PX, top - HALO_PX)


@cache
def _stage() -> Pixels:
    return pixels(canvas(WIDTH_PX, HEIGHT_PX, BACK))


@cache
def _sprite(kind: str, look: Look, side_px: int) -> Pixels:
    """A cell with its halo around it."""
    whole_px, drawn_px = side_px + 2 * HALO_PX, round(side_px * ICON_SHARE)
    halo, fill = HALOES[look], FILLS[look]
    sprite = tile(whole_px, whole_px, halo, BACK, radius_px=RADIUS_PX + HALO_PX).copy()
    sprite.paste(tile(side_px, side_px, fill, halo, radius_px=RADIUS_PX), (HALO_PX, HALO_PX))
    drawn = icon(kind, drawn_px)
    mask = drawn.getchannel("A")
    if look == "dim":
        mask = mask.point(_DIMMING)
    inset = (whole_px - drawn_px) // 2
    sprite.paste(drawn, (inset, inset), mask)
    return pixels(sprite)
