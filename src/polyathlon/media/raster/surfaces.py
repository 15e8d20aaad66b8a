"""Procedural texture layers: brick, stone, wood, brushed metal, checker, noise.

Every surface is a uint8 picture (size, size, 3) that repeats without a seam, the same for the
same arguments on every machine. Do not write to what is returned: it is cached.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyathlon.core.chance import stream
from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.look import Colour

Pixels = NDArray[np.uint8]
SIZE_PX = 128


@lru_cache(maxsize=64)
def brick(
    colour: Colour = (166, 84, 62),
    mortar: Colour = (142, 136, 128),
    columns: int = 2,
    courses: int = 6,
    size_px: int = SIZE_PX,
    seed: int = 0,
) -> Pixels:
    """A running bond of `columns` bricks a course; `courses` must be even to repeat."""
    u, v = _places(size_px)
    course = np.floor(v * courses)
    along = u * columns + course % 2 / 2
    gap = 0.06
    x_edge = _edge(along % 1, gap / columns * courses / 2)
    y_edge = _edge(v * courses % 1, gap * 1.6)
    body = np.minimum(x_edge, y_edge)
    draws = stream(seed, "brick")
    tones = np.array([[draws.uniform() for _ in range(columns)] for _ in range(courses)])
    tone = tones[course.astype(int), np.floor(along).astype(int) % columns]
    shade = 0.82 + 0.24 * tone + 0.22 * (_cloud(size_px, 8, seed) - 0.5)
    relief = 0.12 * (np.roll(body, -1, axis=0) - np.roll(body, 1, axis=0))
    bricks = _tinted(colour, shade + 0.12 * (_grain(size_px, seed) - 0.5) - relief)
    joints = _tinted(mortar, 0.85 + 0.3 * (_cloud(size_px, 16, seed + 1) - 0.5))
    return _pixels(joints + body[:, :, None] * (bricks - joints))


@lru_cache(maxsize=64)
def stone(
    colour: Colour = (126, 128, 130),
    slabs: int = 2,
    size_px: int = SIZE_PX,
    seed: int = 0,
) -> Pixels:
    """Square slabs, `slabs` across, with dark joints."""
    u, v = _places(size_px)
    x, y = u * slabs, v * slabs
    body = np.minimum(_edge(x % 1, 0.03), _edge(y % 1, 0.03))
    draws = stream(seed, "stone")
    tones = np.array([[draws.uniform() for _ in range(slabs)] for _ in range(slabs)])
    tone = tones[np.floor(y).astype(int), np.floor(x).astype(int)]
    mottle = _cloud(size_px, 4, seed) * 0.6 + _cloud(size_px, 16, seed + 1) * 0.4
    shade = 0.8 + 0.12 * tone + 0.28 * mottle + 0.1 * (_grain(size_px, seed) - 0.5)
    return _pixels(_tinted(colour, shade * (0.55 + 0.45 * body)))


@lru_cache(maxsize=64)
def wood(
    colour: Colour = (150, 104, 62),
    planks: int = 4,
    size_px: int = SIZE_PX,
    seed: int = 0,
) -> Pixels:
    """Planks side by side, their grain running down the picture."""
    u, _ = _places(size_px)
    plank = np.floor(u * planks).astype(int)
    draws = stream(seed, "wood")
    tones = np.array([draws.uniform() for _ in range(planks)])
    shifts = np.array([draws.below(size_px) for _ in range(planks)])
    rows = (np.arange(size_px)[:, None] + shifts[plank]) % size_px
    cloud = _cloud(size_px, 4, seed)[rows, np.arange(size_px)]
    rings = 0.5 + 0.5 * _wave(cloud * 3 + u * planks * 2)
    fibre = _grain(size_px, seed).mean(axis=0)[None, :] + 0.3 * _cloud(size_px, 16, seed + 1)
    shade = 0.72 + 0.2 * tones[plank] + 0.16 * rings + 0.2 * fibre
    return _pixels(_tinted(colour, shade * (0.5 + 0.5 * _edge(u * planks % 1, 0.05))))


@lru_cache(maxsize=64)
def brushed_metal(
    colour: Colour = (168, 172, 178), size_px: int = SIZE_PX, seed: int = 0
) -> Pixels:
    """Metal with fine lines across the picture."""
    lines = _grain(size_px, seed)
    streaks = (lines + sum(np.roll(lines, step, axis=1) for step in range(1, 24))) / 24
    shade = 0.95 + 0.5 * (streaks - 0.5) + 0.08 * (_cloud(size_px, 4, seed) - 0.5)
    return _pixels(_tinted(colour, shade))


@lru_cache(maxsize=64)
def checker(
    first: Colour = (230, 230, 226),
    second: Colour = (70, 74, 82),
    fields: int = 2,
    size_px: int = SIZE_PX,
) -> Pixels:
    """A board of `fields` x `fields`, an even number of them, `first` at the top left."""
    u, v = _places(size_px)
    odd = (np.floor(u * fields) + np.floor(v * fields)) % 2
    return _pixels(np.where(odd[:, :, None] > 0, second, first))


@lru_cache(maxsize=64)
def noise(
    colour: Colour = (150, 150, 150),
    contrast: float = 0.3,
    cells: int = 8,
    size_px: int = SIZE_PX,
    seed: int = 0,
) -> Pixels:
    """Clouds of `cells` across, a power of two, that vary `colour` by `contrast`."""
    return _pixels(_tinted(colour, 1.0 + contrast * 2 * (_cloud(size_px, cells, seed) - 0.5)))


def _places(size_px: int) -> tuple[Floats, Floats]:
    """The middle of every texel, across and down, in 0..1."""
    middles = (np.arange(size_px) + 0.5) / size_px
    u, v = np.meshgrid(middles, middles)
    return u, v


def _edge(place: Floats, width: float) -> Floats:
    """0 at both ends of a cell (place 0 and 1), rising to 1 within `width`."""
    return np.clip(np.minimum(place, 1 - place) / width * 2 - 0.5, 0.0, 1.0)


def _wave(phase: Floats) -> Floats:
    """A smooth periodic wave of period 1 in -1..1, of whole arithmetic only."""
    back = 2 * np.abs(phase % 1 - 0.5)
    return np.asarray(2 * back * back * (3 - 2 * back) - 1)


def _grain(size_px: int, seed: int) -> Floats:
    """Independent values in 0..1, one a texel."""
    draws = stream(seed, "grain")
    words = np.array([draws.word() for _ in range(size_px * size_px // 8)], np.uint64)
    return np.asarray(words.view(np.uint8).reshape(size_px, size_px) / 255.0)


def _cloud(size_px: int, cells: int, seed: int) -> Floats:
    """Smooth noise in 0..1: three octaves of values on a lattice that wraps around."""
    total = np.zeros((size_px, size_px))
    for octave, weight in enumerate((4 / 7, 2 / 7, 1 / 7)):
        total += weight * _lattice(size_px, cells << octave, seed)
    return total


def _lattice(size_px: int, cells: int, seed: int) -> Floats:
    draws = stream(seed, "lattice", cells)
    values = np.array([draws.uniform() for _ in range(cells * cells)]).reshape(cells, cells)
    place = (np.arange(size_px) + 0.5) / size_px * cells
    whole = np.floor(place).astype(int)
    share = (place - whole) ** 2 * (3 - 2 * (place - whole))
    after = (whole + 1) % cells
    rows = values[whole] + share[:, None] * (values[after] - values[whole])
    return np.asarray(rows[:, whole] + share * (rows[:, after] - rows[:, whole]))


def _tinted(colour: Colour, shade: Floats) -> Floats:
    return np.asarray(colour, np.float64) * shade[:, :, None]


def _pixels(values: Floats) -> Pixels:
    pixels = np.clip(values + 0.5, 0, 255).astype(np.uint8)
    pixels.flags.writeable = False
    return pixels
