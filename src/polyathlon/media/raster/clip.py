"""Cutting triangles at planes through the camera's space (Sutherland-Hodgman, vectorised)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Floats

Indices = NDArray[np.intp]
HalfSpace = tuple[float, float, float, float]


def clipped(corners: Floats, half_spaces: Iterable[HalfSpace]) -> tuple[Floats, Indices]:
    """What of triangles lies in all half spaces, as triangles, and which each came from.

    `corners` (n, 3, attributes) begin with x, y, z; a half space (a, b, c, d) holds the points
    with a x + b y + c z + d >= 0. All attributes are interpolated along the cut edges.
    """
    source = np.arange(len(corners))
    for a, b, c, d in half_spaces:
        x, y, z = corners[:, :, 0], corners[:, :, 1], corners[:, :, 2]
        height = a * x + b * y + c * z + d
        if (height < 0).any():
            corners, kept = _cut(corners, height)
            source = source[kept]
    return corners, source


def _cut(corners: Floats, height: Floats) -> tuple[Floats, Indices]:
    """The parts of triangles whose corners have a `height` (n, 3) of at least 0."""
    outside = height < 0
    count = outside.sum(axis=1)
    whole = np.flatnonzero(count == 0)
    tips = np.flatnonzero(count == 2)
    stumps = np.flatnonzero(count == 1)
    inner, one, other = _turned(corners, height, tips, (~outside).argmax(axis=1))
    outer, left, right = _turned(corners, height, stumps, outside.argmax(axis=1))
    from_left, from_right = _crossing(left, outer), _crossing(right, outer)
    pieces = [
        corners[whole],
        np.stack([inner[0], _crossing(inner, one), _crossing(inner, other)], axis=1),
        np.stack([from_left, left[0], right[0]], axis=1),
        np.stack([from_left, right[0], from_right], axis=1),
    ]
    source = np.concatenate([whole, tips, stumps, stumps])
    order = np.argsort(source, kind="stable")
    return np.concatenate(pieces)[order], source[order]


Ends = tuple[Floats, Floats]


def _turned(corners: Floats, height: Floats, rows: Indices, first: Indices) -> list[Ends]:
    """The corners of some triangles and their heights, each triangle begun at corner `first`."""
    start = first[rows]
    turns = ((start + step) % 3 for step in range(3))
    return [(corners[rows, corner], height[rows, corner]) for corner in turns]


def _crossing(inside: Ends, outside: Ends) -> Floats:
    """Where edges cross the plane; always counted from inside, so that neighbours agree."""
    (start, height), (end, depth) = inside, outside
    share = height / (height - depth)
    return np.asarray(start + share[:, None] * (end - start))
