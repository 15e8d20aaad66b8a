"""What the kernels need besides triangles, as plain arrays and numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Camera, Floats
from polyathlon.media.raster.look import Background, Fog, Pixels, background_rows
from polyathlon.media.raster.textures import Textures

NEIGHBOURS = ((-1, 0), (0, -1), (0, 1), (1, 0))

# 2**-x for x in 0..1 is 1 + x * (EXP2[0] + x * (EXP2[1] + x * EXP2[2])), right to 1 in 9,000: the
# least-maximum fit among the cubics that are exact at both ends.
EXP2 = np.array([-0.6914218, 0.2305558, -0.0391340], np.float32)
FAINTEST = np.float32(30)  # halvings, beyond which nothing of a face is left
ALIKE = 6  # grey levels: an edge of less contrast is not smoothed

Singles = NDArray[np.float32]


class Shading(NamedTuple):
    """Textures, fog and background of one picture.

    `texels` and `layer_count` are those of `Textures`, `size_log2` of its largest level. Fog
    halves a face `fog_density` times per unit of distance from `fog_start` on; `fog_colour` (3,)
    is in 0..255. `background` (height, 3) uint8. The length of the ray through a pixel at depth 1
    is the root of `across` (width,) plus `above` (height,).
    """

    texels: NDArray[np.int64]
    layer_count: int
    size_log2: int
    fog_density: np.float32
    fog_start: np.float32
    fog_colour: Singles
    background: Pixels
    across: Singles
    above: Singles


def shading(camera: Camera, textures: Textures, fog: Fog | None, background: Background) -> Shading:
    """The parameters of a picture."""
    return Shading(
        texels=textures.texels,
        layer_count=textures.count,
        size_log2=textures.size.bit_length() - 1,
        fog_density=np.float32(fog.density / math.log(2) if fog else 0.0),
        fog_start=np.float32(fog.start if fog else 0.0),
        fog_colour=np.asarray(fog.colour if fog else (0, 0, 0), np.float32),
        background=background_rows(background, camera.height_px),
        across=_squared_slopes(camera.width_px, camera.focal_px),
        above=_squared_slopes(camera.height_px, camera.focal_px) + np.float32(1),
    )


def _squared_slopes(size_px: int, focal_px: float) -> Singles:
    slopes = (np.arange(size_px) + 0.5 - size_px / 2) / focal_px
    return np.asarray(slopes * slopes, np.float32)


def offsets(samples: int) -> Floats:
    """`samples` x `samples` places in a pixel (2, n), from its centre, where edges are smoothed.

    A grid turned by a quarter: no two are in one row or column of a grid as fine as their number;
    place i has row digit-reversed i in base `samples`.
    """
    order = np.arange(samples * samples)
    reversed_digits = order % samples * samples + order // samples
    return (np.stack([order, reversed_digits]) + 0.5) / (samples * samples) - 0.5
