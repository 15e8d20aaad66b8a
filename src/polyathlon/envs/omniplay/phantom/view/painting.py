"""The tactical map as a clip: one picture of all that stands, and moving symbols on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.core.parts import Video
from polyathlon.envs.omniplay.phantom.rules.world import CALL_SIGNS
from polyathlon.envs.omniplay.phantom.view import panel, sprites
from polyathlon.envs.omniplay.phantom.view.ground import lit_ground
from polyathlon.envs.omniplay.phantom.view.layout import (
    LEFT_PX,
    PX_PER_UNIT,
    SIDE_PX,
    TOP_PX,
    to_px,
)
from polyathlon.envs.omniplay.phantom.view.sprites import ORDERS, Sprite, blend
from polyathlon.envs.omniplay.phantom.view.tactical import Place, Scene, Unit, in_sight
from polyathlon.media.drawing import Pixels
from polyathlon.media.video import clip

FRAMES, FPS = 12, 8.0
MOVING = 10
FINE = 2
DASH_PX = 6.0
NAME_PX = ((0, 19), (33, 0), (-37, 0), (0, -19))


def clip_of(scene: Scene) -> Video:
    """The movement of the last round: 12 frames of 640x480 at 8 a second."""
    return clip(_frames(scene), FPS)


def _frames(scene: Scene) -> Iterator[Pixels]:
    still = _still(scene)
    for number in range(FRAMES):
        paper = still.copy()
        for foe in scene.foes:
            if foe.sighted:
                blend(paper, _pulse(number), to_px(*foe.at))
        for unit in scene.units:
            _put_unit(paper, unit, number)
        yield paper


def _put_unit(paper: Pixels, unit: Unit, number: int) -> None:
    """A member on its way: at its old place in frame 0, at its new one from `MOVING` on."""
    share = min(1.0, number / MOVING)
    share = share * share * (3 - 2 * share)
    (x0, y0), (x1, y1) = to_px(*unit.before), to_px(*unit.at)
    x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
    blend(paper, sprites.unit(unit.letter, unit.action), (x, y))
    right, down = NAME_PX[unit.index]
    blend(paper, sprites.plate(CALL_SIGNS[unit.index]), (x + right, y + down))


@cache
def _pulse(number: int) -> Sprite:
    """The ring around a threat in sight: it widens and fades twice in a clip."""
    share = number % (FRAMES // 2) / (FRAMES // 2)
    return sprites.ring(round(10 + 12 * share), sprites.FOE, round(220 * (1 - share)))


def _still(scene: Scene) -> Pixels:
    """All that does not move."""
    roster = tuple([(unit.index, unit.letter, unit.action) for unit in scene.units])
    paper = panel.frame(roster).copy()
    paper[: panel.STRIP_PX] = panel.strip(scene.round, scene.rounds, scene.score)
    ground = paper[TOP_PX : TOP_PX + SIDE_PX, LEFT_PX : LEFT_PX + SIDE_PX]
    ground[:] = lit_ground(scene.terrain, scene.explored, in_sight(scene))
    _lay(ground, _grid())
    _lay(ground, _orders(scene.units))
    for mark in scene.marks:
        column, row = to_px(*mark.at)
        symbol = sprites.mark(mark.letter, mark.sort, mark.done)
        blend(paper, symbol, (column, row - sprites.MARK_PX / 2))
    for foe in scene.foes:
        blend(paper, sprites.foe(foe.sighted), to_px(*foe.at))
    return paper


def _lay(ground: Pixels, sheet: Sprite) -> None:
    ground[:] = sheet.colour + ((ground * sheet.through) >> 8)


@cache
def _grid() -> Sprite:
    """Lines every 10 units, stronger every 20."""
    drawn, draw = _fine_sheet()
    for value in range(10, 100, 10):
        at = round(value * PX_PER_UNIT * FINE)
        ink = (*sprites.PAPER, 44 if value % 20 == 0 else 20)
        draw.line((at, 0, at, SIDE_PX * FINE), fill=ink, width=FINE)
        draw.line((0, at, SIDE_PX * FINE, at), fill=ink, width=FINE)
    return sprites.sprite(drawn, FINE)


def _orders(units: tuple[Unit, ...]) -> Sprite:
    """Sight circles, trails of the last round, and dashed lines to where orders lead."""
    drawn, draw = _fine_sheet()
    for unit in units:
        if unit.action == "out":
            continue
        x, y = _fine(unit.at)
        radius = unit.sight * PX_PER_UNIT * FINE
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.ellipse(box, outline=(*sprites.PAPER, 90), width=FINE)
        draw.line((*_fine(unit.before), x, y), fill=(*sprites.TEAM, 210), width=3 * FINE)
        if math.dist(unit.at, unit.aim) > 1:
            _order(draw, unit)
    return sprites.sprite(drawn, FINE)


def _order(draw: ImageDraw.ImageDraw, unit: Unit) -> None:
    ink = (*ORDERS[unit.action], 235)
    (x0, y0), (x1, y1) = _fine(unit.at), _fine(unit.aim)
    length = math.hypot(x1 - x0, y1 - y0)
    dash = DASH_PX * FINE
    for start in np.arange(0.0, length, 2 * dash):
        a, b = start / length, min(1.0, (start + dash) / length)
        ends = (x0 + (x1 - x0) * a, y0 + (y1 - y0) * a, x0 + (x1 - x0) * b, y0 + (y1 - y0) * b)
        draw.line(ends, fill=ink, width=2 * FINE)
    r = 6 * FINE
    draw.ellipse((x1 - r, y1 - r, x1 + r, y1 + r), outline=ink, width=2 * FINE)
    draw.line((x1 - r - 3 * FINE, y1, x1 + r + 3 * FINE, y1), fill=ink, width=FINE)
    draw.line((x1, y1 - r - 3 * FINE, x1, y1 + r + 3 * FINE), fill=ink, width=FINE)


def _fine_sheet() -> tuple[Pil.Image, ImageDraw.ImageDraw]:
    drawn = Pil.new("RGBA", (SIDE_PX * FINE, SIDE_PX * FINE), (0, 0, 0, 0))
    return drawn, ImageDraw.Draw(drawn)


def _fine(place: Place) -> tuple[float, float]:
    """A place in the pixels of a fine sheet of the map."""
    x, y = to_px(*place)
    return (x - LEFT_PX) * FINE, (y - TOP_PX) * FINE
