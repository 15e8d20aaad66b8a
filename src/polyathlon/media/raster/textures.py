"""Array textures: equal square pictures, each with ever smaller copies for the distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Floats

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Textures:
    """Layers of equal square textures with their mip levels, as the kernels read them.

    `texels` (n,) int64 holds red, green and blue (0..255) at bits 42, 21 and 0, which leaves room
    to blend all three by one multiplication. Levels come smallest first, of every level all
    layers, of every layer its rows: before a level of width w lie (w**2 - 1) / 3 texels a layer.
    """

    texels: NDArray[np.int64]
    size: int
    count: int

    @classmethod
    def of(cls, layers: Sequence[Pixels]) -> Textures:
        """Textures out of uint8 pictures (size, size, 3) with one power of two as their size."""
        size = len(layers[0]) if layers else 1
        if any(layer.shape != (size, size, 3) for layer in layers) or size & (size - 1):
            raise ValueError("texture layers must all be size x size x 3, size a power of two")
        levels = _mip_levels(np.asarray(layers, np.float64).reshape(-1, size, size, 3))
        rgb = np.concatenate([np.rint(level).astype(np.int64).reshape(-1, 3) for level in levels])
        return cls(rgb[:, 0] << 42 | rgb[:, 1] << 21 | rgb[:, 2], size, len(layers))

    def check(self, layers: NDArray[np.int32]) -> None:
        """Raise ValueError unless all `layers` (-1 is none) exist."""
        if layers.size and layers.max() >= self.count:
            raise ValueError(f"a face has layer {layers.max()} of {self.count} textures")


def _mip_levels(level: Floats) -> list[Floats]:
    """The pictures (layers, size, size, 3) halved down to one texel, smallest first."""
    levels = [level]
    while level.shape[1] > 1:
        rows = level[:, ::2] + level[:, 1::2]
        level = (rows[:, :, ::2] + rows[:, :, 1::2]) / 4
        levels.append(level)
    return levels[::-1]
