"""What the kernels need besides triangles, as plain arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Camera, Floats
from polyathlon.media.raster.look import Background, Fog, background_rows, fog_table
from polyathlon.media.raster.textures import Textures

NEIGHBOURS = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Shading(NamedTuple):
    """Textures, fog, background and smoothing of one picture.

    `texels` and `layer_count` are those of `Textures`, `size_log2` of its largest level.
    `fog_left` (n,) is what fog leaves of a face at every 1 / `fog_steps` of distance;
    `fog_colour` (3,) and `background` (height, 3) are in 0..255. `across` (width,) and `above`
    (height,) hold the squared slopes of the rays through columns and rows. `offsets` (samples, 2)
    are the places inside a pixel, from its centre, at which edges are smoothed.
    """

    texels: NDArray[np.int64]
    layer_count: int
    size_log2: int
    fog_left: Floats
    fog_steps: float
    fog_colour: Floats
    background: Floats
    across: Floats
    above: Floats
    offsets: Floats


def shading(
    camera: Camera, textures: Textures, fog: Fog | None, background: Background, samples: int
) -> Shading:
    """The parameters of a picture."""
    fog_left, fog_steps = fog_table(fog)
    return Shading(
        texels=textures.texels,
        layer_count=textures.count,
        size_log2=textures.size.bit_length() - 1,
        fog_left=fog_left,
        fog_steps=fog_steps,
        fog_colour=np.asarray(fog.colour if fog else (0, 0, 0), np.float64),
        background=background_rows(background, camera.height_px),
        across=_squared_slopes(camera.width_px, camera.focal_px),
        above=_squared_slopes(camera.height_px, camera.focal_px),
        offsets=_offsets(samples),
    )


def _squared_slopes(size_px: int, focal_px: float) -> Floats:
    slopes = (np.arange(size_px) + 0.5 - size_px / 2) / focal_px
    return np.asarray(slopes * slopes)


def _offsets(samples: int) -> Floats:
    """`samples` x `samples` places, no two in one row or column of a grid as fine as their number.

    A grid turned by a quarter: place i has row digit-reversed i in base `samples`.
    """
    order = np.arange(samples * samples)
    reversed_digits = order % samples * samples + order // samples
    return (np.column_stack([order, reversed_digits]) + 0.5) / (samples * samples) - 0.5
