"""The ground under the map: hills with contour lines, woods and a river, and the fog over it.

It is scenery: the rules know nothing of it.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageFilter

from polyathlon.core.chance import stream
from polyathlon.envs.omniplay.phantom.rules.fog import CELLS
from polyathlon.envs.omniplay.phantom.view.layout import SIDE_PX
from polyathlon.media.drawing import Pixels

WAVES = 14
LEVELS = 9
LOW, HIGH = (84, 104, 74), (196, 180, 130)
WOOD, WATER, SHORE, LINE = (48, 84, 56), (70, 126, 156), (150, 178, 160), (88, 84, 62)
FOG_LOW, FOG_HIGH = (22, 27, 34), (40, 47, 57)
DIM = 128

Field = NDArray[np.float64]


def lit_ground(terrain: int, explored: int, sighted: int) -> Pixels:
    """The ground as seen: fog where nobody has been, dim where nobody looks, else bright.

    SIDE_PX x SIDE_PX x 3. `explored` and `sighted` are sets of cells as in `rules.fog`.
    """
    land, fog = _land(terrain), _fog(terrain)
    known, seen = _mask(explored), _mask(sighted)
    light = (known * (DIM + seen // 2)) >> 8
    lit: Pixels = ((fog * (255 - known)[..., None] + land * light[..., None]) >> 8).astype(np.uint8)
    return lit


def _mask(cells: int) -> NDArray[np.uint16]:
    """A set of cells as soft weights in 0..255, one a pixel, north up."""
    raw = np.frombuffer(cells.to_bytes(CELLS * CELLS // 8, "little"), np.uint8)
    bits = np.unpackbits(raw, bitorder="little").reshape(CELLS, CELLS)[::-1] * np.uint8(255)
    soft = (
        Pil.fromarray(bits)
        .filter(ImageFilter.BoxBlur(1))
        .resize((SIDE_PX, SIDE_PX), Pil.Resampling.BICUBIC)
    )
    return np.asarray(soft, np.uint16)


@cache
def _land(terrain: int) -> NDArray[np.uint16]:
    height = _field(terrain, "hills", 3.2)
    colour = _mixed(LOW, HIGH, height)
    colour *= (1 + 0.9 * _slope(height))[..., None]
    woods = np.clip((_field(terrain, "woods", 5.0) - 0.62) * 14, 0, 1)
    speckle = 0.86 + 0.28 * _field(terrain, "trees", 60.0)
    colour = _over(colour, np.array(WOOD) * speckle[..., None], 0.75 * woods)
    steps = height * LEVELS
    edge = np.abs(steps - np.round(steps)) / (np.hypot(*np.gradient(steps)) + 1e-3)
    colour = _over(colour, np.array(LINE), 0.5 * np.clip(1.1 - edge, 0, 1))
    bed = np.abs(_field(terrain, "river", 1.3) - 0.5)
    colour = _over(colour, np.array(SHORE), np.clip((0.026 - bed) * 160, 0, 0.7))
    colour = _over(colour, np.array(WATER), np.clip((0.02 - bed) * 200, 0, 1))
    return np.clip(colour, 0, 255).astype(np.uint16)


@cache
def _fog(terrain: int) -> NDArray[np.uint16]:
    return _mixed(FOG_LOW, FOG_HIGH, _field(terrain, "fog", 4.5)).astype(np.uint16)


def _field(terrain: int, name: str, frequency: float) -> Field:
    """Smooth values in [0, 1]: waves of random direction and phase, up to `frequency` a side."""
    rng = stream(terrain, "omniplay/phantom", "ground", name)
    axis = np.linspace(0, 2 * math.pi, SIDE_PX)
    total = np.zeros((SIDE_PX, SIDE_PX))
    for _ in range(WAVES):
        angle, pitch = 2 * math.pi * rng.uniform(), frequency * (0.25 + 0.75 * rng.uniform())
        shift = 2 * math.pi * rng.uniform()
        along = axis * (pitch * math.cos(angle)) + shift
        across = axis * (pitch * math.sin(angle))
        wave = np.outer(np.cos(across), np.sin(along)) + np.outer(np.sin(across), np.cos(along))
        total += wave / pitch**0.7
    low, high = total.min(), total.max()
    field: Field = (total - low) / (high - low)
    return field


def _slope(height: Field) -> Field:
    """Light from the north-west on the hills, about 0 on average."""
    down, right = np.gradient(height)
    light: Field = np.asarray((down + right) * 40)
    return light.clip(-0.35, 0.35)


def _mixed(low: tuple[int, ...], high: tuple[int, ...], share: Field) -> Field:
    mixed: Field = np.array(low) + (np.array(high) - np.array(low)) * share[..., None]
    return mixed


def _over(colour: Field, ink: Field | NDArray[np.int64], cover: Field) -> Field:
    covered: Field = colour + (ink - colour) * cover[..., None]
    return covered
