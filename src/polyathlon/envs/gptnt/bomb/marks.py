"""Location markers: an outline and a lettered box for everything that can be pressed.

Section 7.3 of the specification. Boxes sit at the same place of a part whatever else is there, in
the colour of the outline, beside what has to be read. Where the colour of a part means something
the marker has it, in stripes where there are several; elsewhere colours only tell markers apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.simulator import Target
from polyathlon.media.drawing import Colour, Pixels, font

Ids: TypeAlias = NDArray[np.integer]
Region: TypeAlias = NDArray[np.bool_]
Colours: TypeAlias = tuple[Colour, ...]
Box: TypeAlias = tuple[int, int]
Place: TypeAlias = tuple[float, float]
Span: TypeAlias = tuple[slice, slice]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BOX_SHARE = 0.048
"""Side of a box as a share of the picture's height: 23 of 480 pixels."""

_RING_SHARE = 0.006
_STRIPE_PX = 6
_DARK: Colour = (15, 15, 15)
_LIGHT: Colour = (250, 250, 250)

MEANT: Mapping[str, Colour] = MappingProxyType(
    {
        "red": (255, 45, 45),
        "blue": (60, 125, 255),
        "yellow": (255, 225, 30),
        "green": (40, 225, 85),
        "white": (255, 255, 255),
        "black": (30, 30, 30),
    }
)
"""Colours of parts, as bright as markers are."""

MEANINGLESS: Colours = (
    (255, 0, 200),
    (0, 230, 255),
    (255, 150, 0),
    (120, 255, 0),
    (190, 110, 255),
    (255, 240, 90),
    (0, 255, 170),
    (255, 110, 130),
    (110, 170, 255),
    (210, 255, 160),
    (255, 190, 230),
)


class Anchor(msgspec.Struct, frozen=True):
    """Where the middle of a box is.

    `x` and `y` are shares of a region's width and height, from its left and top; `right` and
    `down` are added in sides of the box. With `start` the height is that of the region's left end.
    """

    x: float
    y: float
    right: float = 0.0
    down: float = 0.0
    start: bool = False


LEFT = Anchor(0.0, 0.5, -0.65)
RIGHT = Anchor(1.0, 0.5, 0.65)
ABOVE = Anchor(0.5, 0.0, 0.0, -0.65)
BELOW = Anchor(0.5, 1.0, 0.0, 0.65)
TOP_LEFT = Anchor(0.0, 0.0)
TOP_RIGHT = Anchor(1.0, 0.0)
BOTTOM_LEFT = Anchor(0.0, 1.0)
MODULE = Anchor(0.0, 0.0, 0.1, 0.1)

_ANCHORS: Mapping[tuple[str, str], Anchor] = MappingProxyType(
    {
        ("Wires", "wire"): Anchor(0.0, 0.5, -0.5, start=True),
        ("Button", "button"): Anchor(0.0, 0.0, 0.4, 0.4),
        ("Keypad", "key1"): LEFT,
        ("Keypad", "key2"): RIGHT,
        ("Keypad", "key3"): LEFT,
        ("Keypad", "key4"): RIGHT,
        ("Simon Says", "blue"): ABOVE,
        ("Simon Says", "red"): LEFT,
        ("Simon Says", "yellow"): RIGHT,
        ("Simon Says", "green"): BELOW,
        ("Who's On First", "label1"): TOP_LEFT,
        ("Who's On First", "label2"): TOP_RIGHT,
        ("Who's On First", "label3"): TOP_LEFT,
        ("Who's On First", "label4"): TOP_RIGHT,
        ("Who's On First", "label5"): TOP_LEFT,
        ("Who's On First", "label6"): TOP_RIGHT,
        ("Memory", "button"): Anchor(0.5, 0.0),
        ("Maze", "up"): LEFT,
        ("Maze", "left"): ABOVE,
        ("Maze", "right"): ABOVE,
        ("Maze", "down"): LEFT,
        ("Morse Code", "left"): BELOW,
        ("Morse Code", "right"): BELOW,
        ("Morse Code", "transmit"): LEFT,
        ("Complicated Wires", "wire"): Anchor(0.5, 1.35, 0.0, 0.25),
        ("Wire Sequence", "up"): LEFT,
        ("Wire Sequence", "wire"): Anchor(-0.45, 0.5, -0.3, start=True),
        ("Wire Sequence", "down"): LEFT,
        ("Passwords", "up"): TOP_LEFT,
        ("Passwords", "down"): BOTTOM_LEFT,
        ("Passwords", "submit"): LEFT,
        ("Vent", "yes"): ABOVE,
        ("Vent", "no"): ABOVE,
        ("Discharge", "lever"): LEFT,
        ("Knob", "dial"): LEFT,
    }
)
"""By module type, and by part with or without its number."""


class _Worn(msgspec.Struct, frozen=True):
    """A box to be drawn: its letter, its colours, and where its middle wants to be."""

    letter: str
    colours: Colours
    middle: Place


def annotated(
    colour: Pixels, ids: Ids, elements: Sequence[str], targets: Sequence[Target]
) -> Image:
    """The picture with a marker on every target that is seen, lettered in the order of targets.

    `colour` (h, w, 3) uint8; `ids` (h, w): 0, or one more than an element's index in `elements`.
    """
    paper, flat = colour.copy(), ids.astype(np.uint8)
    height_px, width_px = flat.shape
    side = round(BOX_SHARE * height_px)
    worn: list[_Worn] = []
    for index, (letter, target) in enumerate(zip(LETTERS, targets, strict=False)):
        region = flat == elements.index(target.element) + 1
        span = _span(region)
        if span is not None:
            colours = _colours(target, index)
            _outline(paper, flat, region, span, colours)
            middle = _middle(region, span, _anchor(target), side)
            worn.append(_Worn(letter, colours, middle))
    places = apart([each.middle for each in worn], side, width_px, height_px)
    for each, (left, top) in zip(worn, places, strict=True):
        paper[top : top + side, left : left + side] = _box(each.letter, each.colours, side)
    return Image(width_px, height_px, paper.tobytes())


def apart(middles: Sequence[Place], side: int, width_px: int, height_px: int) -> list[Box]:
    """Left and top of boxes at these middles: inside the picture, and none over another.

    A box that would lie over an earlier one goes as little up or down as it can.
    """
    placed: list[Box] = []
    for x, y in middles:
        left = min(max(0, round(x - side / 2)), width_px - side)
        top = min(max(0, round(y - side / 2)), height_px - side)
        beside = [other for across, other in placed if abs(left - across) < side]
        tops = [top, *(other + side for other in beside), *(other - side for other in beside)]
        free = [
            each
            for each in tops
            if 0 <= each <= height_px - side and all(abs(each - o) >= side for o in beside)
        ]
        placed.append((left, min(free, key=lambda each: abs(each - top), default=top)))
    return placed


def _anchor(target: Target) -> Anchor:
    part = target.part
    named = _ANCHORS.get((target.type, part)) or _ANCHORS.get((target.type, part.rstrip("123456")))
    return named or MODULE


def _colours(target: Target, index: int) -> Colours:
    if target.colours:
        return tuple(MEANT[name] for name in target.colours)
    return (MEANINGLESS[index % len(MEANINGLESS)],)


def _span(region: Region) -> Span | None:
    """The rows and columns of a region; None for an empty one."""
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    if not rows.size:
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _middle(region: Region, span: Span, anchor: Anchor, side: int) -> Place:
    rows, columns = span
    x = columns.start + anchor.x * (columns.stop - columns.start)
    y = rows.start + anchor.y * (rows.stop - rows.start)
    if anchor.start:
        y = float(np.flatnonzero(region[:, columns.start : columns.start + 3].any(axis=1)).mean())
    return x + anchor.right * side, y + anchor.down * side


def _outline(paper: Pixels, flat: Ids, region: Region, span: Span, colours: Colours) -> None:
    """A ring around a region with a thin rim; it spares all other regions."""
    thick = max(2, round(_RING_SHARE * paper.shape[0]))
    margin = thick + 1
    rows = slice(max(0, span[0].start - margin), span[0].stop + margin)
    columns = slice(max(0, span[1].start - margin), span[1].stop + margin)
    inner, window = region[rows, columns], paper[rows, columns]
    ring = _grown(inner, thick)
    outside = flat[rows, columns] == 0
    window[outside & _grown(ring, 1)] = _ink(colours)
    down, across = np.nonzero(ring & outside)
    stripes = (down + across) // _STRIPE_PX % len(colours)
    window[down, across] = np.array(colours, np.uint8)[stripes]


def _grown(region: Region, steps: int) -> Region:
    """A region with all that lies within so many steps of it, diagonals included."""
    grown = region.copy()
    for _ in range(steps):
        grown[1:] |= grown[:-1].copy()
        grown[:-1] |= grown[1:].copy()
        grown[:, 1:] |= grown[:, :-1].copy()
        grown[:, :-1] |= grown[:, 1:].copy()
    return grown


@lru_cache(maxsize=1024)
def _box(letter: str, colours: Colours, side: int) -> Pixels:
    """A square of the marker's colours, upright stripes if several, with its letter."""
    square = Pil.new("RGB", (side, side), _ink(colours))
    draw = ImageDraw.Draw(square)
    inner = side - 2
    for index, colour in enumerate(colours):
        left, right = (1 + inner * edge // len(colours) for edge in (index, index + 1))
        draw.rectangle((left, 1, right - 1, side - 2), fill=colour)
    several = len(colours) > 1
    draw.text(
        (side / 2, side / 2),
        letter,
        fill=_LIGHT if several else _ink(colours),
        font=font(round(0.78 * side), bold=True),
        anchor="mm",
        stroke_width=2 if several else 0,
        stroke_fill=_DARK,
    )
    return np.asarray(square)


def _ink(colours: Colours) -> Colour:
    """Dark or light, whatever stands out from the first colour (weights of ITU-R BT.601)."""
    red, green, blue = colours[0]
    return _DARK if 299 * red + 587 * green + 114 * blue > 110_000 else _LIGHT
