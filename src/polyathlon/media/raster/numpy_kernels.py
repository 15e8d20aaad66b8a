"""The kernels in numpy: slower, for machines without numba, with the same arithmetic.

Every expression has the operations of `numba_kernels` in the same order, so that depth and ids
are equal to the bit.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.geometry import Triangles, log2
from polyathlon.media.raster.mesh import Ints
from polyathlon.media.raster.shading import NEIGHBOURS, Shading

Pixels = NDArray[np.uint8]
Singles = NDArray[np.float32]
Indices = NDArray[np.int64]
Places: TypeAlias = Floats | Indices


def find_owners(triangles: Triangles, nearness: Singles, owners: Ints) -> None:
    """Enter the nearest triangle at every pixel centre into `owners`, 1 / depth into `nearness`."""
    for number, (left, right, top, bottom) in enumerate(triangles.bounds):
        columns = np.arange(left, right + 1)
        rows = np.arange(top, bottom + 1)[:, None]
        near = plane_at(triangles.planes[number, 0], columns, rows).astype(np.float32)
        window = slice(top, bottom + 1), slice(left, right + 1)
        seen = near > nearness[window]
        for edge in triangles.edges[number]:
            seen &= plane_at(edge, columns, rows) >= 0
        nearness[window][seen] = near[seen]
        owners[window][seen] = number


def shade(triangles: Triangles, shading: Shading, owners: Ints, colour: Pixels) -> None:
    """Colour every pixel by its owner, or by the background where it is -1."""
    rows, columns = np.indices(owners.shape).reshape(2, -1)
    tint = _colours(triangles, shading, owners.ravel(), rows, columns, rows, columns)
    colour[:] = _rounded(tint).reshape(colour.shape)


def smooth(triangles: Triangles, shading: Shading, owners: Ints, colour: Pixels) -> None:
    """Blend, in pixels beside another owner, the colours of all owners by their samples.

    Candidates are the owners of the pixel and of its eight neighbours. A sample that none covers
    is the background's, if that is among them, or else the pixel's own.
    """
    candidates, rows, columns = _edge_pixels(owners)
    hits, across, down = _sampled(triangles, shading, candidates, rows, columns)
    blend = np.zeros((len(rows), 3))
    for owner, count, x, y in zip(candidates, hits, across, down, strict=True):
        some = np.flatnonzero(count)
        row, column, share = rows[some], columns[some], count[some]
        places = row + y[some] / share, column + x[some] / share
        tint = _colours(triangles, shading, owner[some], *places, row, column)
        blend[some] += tint * share[:, None]
    colour[rows, columns] = _rounded(blend / len(shading.offsets))


def _edge_pixels(owners: Ints) -> tuple[Ints, Indices, Indices]:
    """The candidates (9, n) of pixels with another owner beside, own first; rows; columns."""
    height, width = owners.shape
    wide = np.pad(owners, 1, mode="edge")
    around = [wide[1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in NEIGHBOURS]
    rows, columns = np.nonzero(np.any([owners != beside for beside in around[:4]], axis=0))
    return np.stack([beside[rows, columns] for beside in (owners, *around)]), rows, columns


def _sampled(
    triangles: Triangles, shading: Shading, candidates: Ints, rows: Indices, columns: Indices
) -> tuple[Floats, Floats, Floats]:
    """How many samples each candidate owns (9, n), and the sums of their x and y offsets."""
    hits, across, down = np.zeros((3, *candidates.shape))
    pixels = np.arange(len(rows))
    for x, y in shading.offsets:
        winner = (candidates < 0).argmax(axis=0)
        nearest = np.zeros(len(rows))
        for place, owner in enumerate(candidates):
            near = _near_inside(triangles, owner, rows + y, columns + x)
            closer = near > nearest
            winner[closer] = place
            nearest[closer] = near[closer]
        hits[winner, pixels] += 1
        across[winner, pixels] += x
        down[winner, pixels] += y
    return hits, across, down


def _near_inside(triangles: Triangles, owner: Ints, rows: Floats, columns: Floats) -> Floats:
    """1 / depth of the owners at places inside them; 0 outside and for the background."""
    inside = owner >= 0
    for edge in range(3):
        inside = inside & (plane_at(triangles.edges[owner, edge], columns, rows) >= 0)
    return np.where(inside, plane_at(triangles.planes[owner, 0], columns, rows), 0.0)


def _colours(
    triangles: Triangles,
    shading: Shading,
    owners: Ints,
    y: Places,
    x: Places,
    rows: Indices,
    columns: Indices,
) -> Floats:
    """The colours (n, 3) of owners at places x, y in the pixels of `rows` and `columns`."""
    tint = shading.background[rows]
    faces = np.flatnonzero(owners >= 0)
    owners, y, x = owners[faces], y[faces], x[faces]
    near, *rest = (plane_at(triangles.planes[owners, plane], x, y) for plane in range(6))
    depth = 1.0 / near
    u, v, *light = (value * depth for value in rest)
    texel = _texels(shading, triangles.layers[owners], u, v, triangles.lods[owners], depth)
    distance = depth * np.sqrt(1.0 + shading.across[columns[faces]] + shading.above[rows[faces]])
    clear = _clear(shading, distance)[:, None]
    lit = np.stack(light, axis=1) * texel
    tint[faces] = lit * clear + shading.fog_colour * (1.0 - clear)
    return tint


def _texels(
    shading: Shading, layers: Ints, u: Floats, v: Floats, lods: Floats, depth: Floats
) -> Floats:
    """The textures' colours (n, 3), 1 without a texture, blended of at most two mip levels."""
    colours = np.ones((len(layers), 3))
    some = np.flatnonzero(layers >= 0)
    layers, u, v = layers[some], u[some], v[some]
    level, share = _mip(shading, lods[some], depth[some])
    fine = _bilinear(shading, layers, u, v, level)
    coarse = _bilinear(shading, layers, u, v, np.minimum(level + 1, shading.size_log2))
    colours[some] = np.where(share > 0, _mixed(fine, coarse, share), fine)
    return colours


def _mip(shading: Shading, lods: Floats, depth: Floats) -> tuple[Indices, Floats]:
    exact = np.clip(lods + shading.size_log2 + 1.5 * log2(depth), 0.0, float(shading.size_log2))
    level = exact.astype(np.int64)
    share = np.clip((exact - level) * 4.0 - 1.5, 0.0, 1.0)
    return level + (share == 1.0), (share * (share < 1.0))[:, None]


def _bilinear(shading: Shading, layers: Ints, u: Floats, v: Floats, level: Indices) -> Floats:
    size = np.int64(1) << (shading.size_log2 - level)
    x = np.floor(u * size * 64).astype(np.int64) - 32
    y = np.floor(v * size * 64).astype(np.int64) - 32
    x_share, y_share = x & 63, y & 63
    left, top = (x >> 6) & (size - 1), (y >> 6) & (size - 1)
    right, below = (left + 1) & (size - 1), (top + 1) & (size - 1)
    first = (size * size - 1) // 3 * shading.layer_count + layers * size * size
    upper, lower = first + top * size, first + below * size
    lanes = (
        shading.texels[upper + left] * ((64 - x_share) * (64 - y_share))
        + shading.texels[upper + right] * (x_share * (64 - y_share))
        + shading.texels[lower + left] * ((64 - x_share) * y_share)
        + shading.texels[lower + right] * (x_share * y_share)
    )
    return np.stack([(lanes >> bits) & 0x1FFFFF for bits in (42, 21, 0)], axis=1).astype(float)


def _clear(shading: Shading, distance: Floats) -> Floats:
    """What fog leaves of faces at a distance."""
    step = np.minimum(distance * shading.fog_steps, len(shading.fog_left) - 2.0)
    whole = step.astype(np.int64)
    return _mixed(shading.fog_left[whole], shading.fog_left[whole + 1], step - whole)


def _mixed(start: Floats | Singles, end: Floats | Singles, share: Floats) -> Floats:
    return np.asarray(start + share * (end - start))


def plane_at(planes: Floats, x: Places | int, y: Places | int) -> Floats:
    return np.asarray(planes[..., 0] * x + (planes[..., 1] * y + planes[..., 2]))


def _rounded(colours: Floats) -> Pixels:
    return (np.minimum(colours, 255.0) + 0.5).astype(np.uint8)
