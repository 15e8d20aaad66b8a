"""Array textures: equal square pictures, each with ever smaller copies for the distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Levels = NDArray[np.integer[Any]]


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
        """Textures out of uint8 pictures (size, size, 3), size a power of two up to 4096."""
        size = len(layers[0]) if layers else 1
        if any(layer.shape != (size, size, 3) for layer in layers) or size & (size - 1):
            raise ValueError("texture layers must all be size x size x 3, size a power of two")
        pictures = np.array(layers, np.uint8).reshape(-1, size, size, 3)
        levels = [_packed(level).ravel() for level in _mip_levels(pictures)]
        return cls(np.concatenate(levels[::-1]), size, len(layers))

    def check(self, layers: NDArray[np.int32]) -> None:
        """Raise ValueError unless all `layers` (-1 is none) exist."""
        if layers.size and layers.max() >= self.count:
            raise ValueError(f"a face has layer {layers.max()} of {self.count} textures")


def _mip_levels(pictures: Pixels) -> Iterator[Levels]:
    """The pictures (layers, size, size, 3) halved down to one texel, largest first.

    Texels are means of whole numbers, rounded to the nearest, halves to even.
    """
    sums: Levels = pictures.astype(np.uint32)
    bits = 0
    yield sums
    while sums.shape[1] > 1:
        rows = sums[:, ::2] + sums[:, 1::2]
        sums, bits = rows[:, :, ::2] + rows[:, :, 1::2], bits + 2
        yield (sums + (sums >> bits & 1) + ((1 << bits - 1) - 1)) >> bits


def _packed(level: Levels) -> NDArray[np.int64]:
    red, green, blue = (level[..., channel].astype(np.int64) for channel in range(3))
    return red << 42 | green << 21 | blue
