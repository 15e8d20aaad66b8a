"""Lettering: lines of text, keypad symbols, and the figures of a clock.

All lie at z = `LIFT`, centred on the origin, and look along +z. `size` is the height of a capital
or figure, `most` the greatest width, to which longer text is narrowed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from polyathlon.envs.gptnt.bomb.looks import atlas
from polyathlon.envs.gptnt.bomb.looks.palette import COLOURS, GLOWS, Rgb
from polyathlon.media.raster import Material, Mesh, merged

Paint: TypeAlias = str | Rgb
"""A name of `palette.COLOURS`, or red, green, blue in 0..255."""

LIFT = 0.004
"""Height of lettering above what carries it."""


def rgb(paint: Paint) -> Rgb:
    """A colour by its name, or itself."""
    return COLOURS[paint] if isinstance(paint, str) else paint


@lru_cache(maxsize=1024)
def printed(text: str, size: float, paper: Paint = "white", most: float = math.inf) -> Mesh:
    """Black letters on a coloured surface; `size` is the height of capitals."""
    return _line(text, size, Material(rgb(paper), atlas.PRINTED), most)


@lru_cache(maxsize=1024)
def painted(text: str, size: float, paper: str = "black", most: float = math.inf) -> Mesh:
    """White letters on a surface of one of the colours `atlas.PAPERS`."""
    return _line(text, size, Material(layer=atlas.PAINTED[paper]), most)


@lru_cache(maxsize=1024)
def glowing(text: str, size: float, glow: str = "green", most: float = math.inf) -> Mesh:
    """Letters of light on black; `glow` is a colour of `palette.GLOWS`."""
    return _line(text, size, Material(GLOWS[glow], atlas.GLOWING, unlit=True), most)


@lru_cache(maxsize=256)
def symbol(name: str, size: float, paper: Paint = "white") -> Mesh:
    """A keypad symbol, black, on a square of `size` x `size`."""
    layer, (left, top, right, bottom) = atlas.symbol_place(name)
    half = size / 2
    corners = [(-half, -half, LIFT), (half, -half, LIFT), (half, half, LIFT), (-half, half, LIFT)]
    uv = ((left, bottom), (right, bottom), (right, top), (left, top))
    look = Material(rgb(paper), layer)
    return Mesh.of(corners, ((0, 1, 2), (0, 2, 3)), [(0, 0, 1)] * 4, uv, look)


def _line(text: str, size: float, look: Material, most: float) -> Mesh:
    """A line of letters, each on its own rectangle, centred on the origin."""
    places = [atlas.glyphs()[letter] for letter in text]
    em = size / atlas.CAPITAL_EM
    edges = np.cumsum([0.0, *(place.width_em for place in places)]) * em
    edges = (edges - edges[-1] / 2) * min(1.0, most / max(edges[-1], 1e-9))
    half = atlas.LINE_EM * em / 2
    count = len(places)
    low, high = np.full(count, -half), np.full(count, half)
    left, right, lift = edges[:-1], edges[1:], np.full(count, LIFT)
    points = [(left, low, lift), (right, low, lift), (right, high, lift), (left, high, lift)]
    u0, v0, u1, v1 = np.array([place.uv for place in places]).reshape(-1, 4).T
    uv = np.stack([(u0, v1), (u1, v1), (u1, v0), (u0, v0)]).transpose(2, 0, 1)
    corners = 4 * np.arange(count)[:, None, None] + np.array(((0, 1, 2), (0, 2, 3)))
    normals = np.tile((0.0, 0.0, 1.0), (4 * count, 1))
    return Mesh.of(np.array(points).transpose(2, 0, 1), corners, normals, uv, look)


_SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "5": "afgcd",
    "6": "afgedc", "7": "abc", "8": "abcdefg", "9": "abcdfg", " ": "", "-": "g",
}  # fmt: skip
_BARS = {
    "a": (0, 1, 1, 1), "b": (1, 1, 1, 0.5), "c": (1, 0.5, 1, 0), "d": (0, 0, 1, 0),
    "e": (0, 0.5, 0, 0), "f": (0, 1, 0, 0.5), "g": (0, 0.5, 1, 0.5),
}  # fmt: skip
_DOTS = {":": (0.3, 0.7), ".": (0.0,)}


@lru_cache(maxsize=512)
def seven_segments(text: str, size: float, glow: str = "red") -> Mesh:
    """Digits, blanks, "-", ":" and "." of light; unlit segments can just be seen."""
    pitches = [0.34 * size if char in _DOTS else 0.74 * size for char in text]
    left, figures = -sum(pitches) / 2, []
    for char, pitch in zip(text, pitches, strict=True):
        figures.append(_figure(char, size, glow).moved(left + pitch / 2))
        left += pitch
    return merged(figures)


@lru_cache(maxsize=128)
def _figure(char: str, size: float, glow: str) -> Mesh:
    look, dark = Material(GLOWS[glow], unlit=True), Material(_dim(GLOWS[glow]), unlit=True)
    if char in _DOTS:
        return merged([_dot(size, y, look) for y in _DOTS[char]])
    lit = _SEGMENTS[char]
    return merged([_bar(size, *ends, look if bar in lit else dark) for bar, ends in _BARS.items()])


def _dim(light: Rgb) -> Rgb:
    red, green, blue = light
    return red // 10 + 6, green // 10 + 6, blue // 10 + 6


def _bar(size: float, x0: float, y0: float, x1: float, y1: float, look: Material) -> Mesh:
    """A pointed bar of a figure eight, between two of its corners."""
    width, thick, gap = 0.46 * size, 0.075 * size, 0.025 * size
    start = ((x0 - 0.5) * width, (y0 - 0.5) * size)
    across, up = (x1 - x0) * width, (y1 - y0) * size
    length = math.hypot(across, up)
    ax, ay, end = across / length, up / length, length - gap
    along = (gap, gap + thick, end - thick, end, end - thick, gap + thick)
    beside = (0.0, -thick, -thick, 0.0, thick, thick)
    outline = [
        (start[0] + ax * a - ay * b, start[1] + ay * a + ax * b)
        for a, b in zip(along, beside, strict=True)
    ]
    return flat(outline, look)


def _dot(size: float, y: float, look: Material) -> Mesh:
    half, middle = 0.08 * size, (y - 0.5) * size
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    return flat([(x, middle + dy) for x, dy in corners], look)


def flat(outline: Sequence[tuple[float, float]], look: Material) -> Mesh:
    """A convex polygon at z = `LIFT`, its corners counter-clockwise."""
    count = len(outline)
    fan = [(0, i, i + 1) for i in range(1, count - 1)]
    points = [(x, y, LIFT) for x, y in outline]
    return Mesh.of(points, fan, [(0, 0, 1)] * count, [(0, 0)] * count, look)
