"""Light, fog and background: what colours a mesh besides its own materials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Point

Colour: TypeAlias = tuple[int, int, int]
Pixels = NDArray[np.uint8]

_FOG_FULL = 1 / 512


@dataclass(frozen=True)
class Light:
    """White light of three kinds, whose shares add up to the brightness of a face.

    `ambient` reaches every face alike. `directional` comes from `direction` (it points to the
    lamp, of any length). `headlight` shines along the viewing axis of the camera.
    """

    ambient: float = 0.5
    directional: float = 0.4
    headlight: float = 0.3
    direction: Point = (0.4, 1.0, 0.6)


DAYLIGHT = Light()


@dataclass(frozen=True)
class Fog:
    """Fog that hides distant things: of a face at distance d, exp(-density * (d - start)) is left.

    The distance is measured from the camera, not along its axis, so that turning on the spot
    changes no fog. `density` is per unit of length; nearer than `start` there is none.
    """

    colour: Colour
    density: float
    start: float = 0.0

    def __post_init__(self) -> None:
        if self.density <= 0 or self.start < 0:
            raise ValueError("Fog needs a density above 0 and a start of at least 0")

    @property
    def end(self) -> float:
        """Where less than half a grey level of a face is left: a sensible `Camera.far`."""
        return self.start - math.log(_FOG_FULL) / self.density


@dataclass(frozen=True)
class Gradient:
    """A background that blends from `top` to `bottom` down the picture."""

    top: Colour
    bottom: Colour


Background: TypeAlias = Colour | Gradient


def background_rows(background: Background, height_px: int) -> Pixels:
    """The background's colour in every row of the picture (height, 3)."""
    if isinstance(background, Gradient):
        share = ((np.arange(height_px) + 0.5) / height_px)[:, None]
        top, bottom = np.asarray(background.top), np.asarray(background.bottom)
        return np.asarray(top + share * (bottom - top) + 0.5, np.uint8)
    return np.tile(np.asarray(background, np.uint8), (height_px, 1))
