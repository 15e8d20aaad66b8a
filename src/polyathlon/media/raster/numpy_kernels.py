"""The kernels in numpy: slower, for machines without numba, with the same arithmetic.

Every expression has the operations of `numba_kernels` in the same order and precision, so that
pictures are equal to the bit. All but `renumber` work on the rows from `top` to before `end`, with
the same result whether the rows of a picture are done at once or band by band.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.geometry import Triangles
from polyathlon.media.raster.look import Pixels
from polyathlon.media.raster.mesh import Ints
from polyathlon.media.raster.shading import (
    ALIKE,
    EXP2,
    FAINTEST,
    NEIGHBOURS,
    Shading,
    Singles,
)

Indices = NDArray[np.int64]


def find_owners(triangles: Triangles, top: int, end: int, nearness: Singles, owners: Ints) -> None:
    """Enter the nearest triangle at every pixel centre into `owners`, 1 / depth into `nearness`.

    `nearness` must be 0 before.
    """
    owners[top:end] = -1
    for number, (left, right, highest, lowest) in enumerate(triangles.bounds):
        window = slice(max(highest, top), min(lowest + 1, end)), slice(left, right + 1)
        rows, columns = np.ogrid[window]
        near = plane_at(triangles.planes[number, 0], columns, rows).astype(np.float32)
        seen = near > nearness[window]
        for edge in triangles.edges[number]:
            seen &= plane_at(edge, columns, rows) >= 0
        nearness[window][seen] = near[seen]
        owners[window][seen] = number


def shade(
    triangles: Triangles, shading: Shading, top: int, end: int, owners: Ints, colour: Pixels
) -> None:
    """Colour every pixel by its owner, or by the background where it is -1.

    Along a run of pixels with one owner, values are counted from the run's first pixel, which
    keeps them exact in single precision.
    """
    colour[top:end] = shading.background[top:end, None]
    rows, columns = np.nonzero(owners[top:end] >= 0)
    starts = _run_starts(owners[top:end])[rows, columns]
    rows += top
    runs = Runs(owners[rows, columns], rows, columns, starts)
    depth = np.float32(1) / runs.along(triangles.planes[:, 0])
    left = _clear(shading, depth, rows, columns)[:, None]
    tint = np.stack([runs.along(triangles.planes[:, 3 + channel]) for channel in range(3)], axis=1)
    lit = tint * (depth[:, None] * left) * _lanes(triangles, shading, runs, depth)
    value = lit + shading.fog_colour * (np.float32(1) - left)
    colour[rows, columns] = np.minimum(value, np.float32(255)) + np.float32(0.5)


class Runs(NamedTuple):
    """Pixels (n,) with their owners, rows, columns, and the columns in which their runs start."""

    owners: Ints
    rows: Indices
    columns: Indices
    starts: Indices

    def only(self, some: Indices) -> Runs:
        """Some of the pixels."""
        return Runs(self.owners[some], self.rows[some], self.columns[some], self.starts[some])

    def along(self, planes: Floats) -> Singles:
        """The owner's of `planes` (triangles, 3) at each pixel."""
        own = planes[self.owners]
        steps = (self.columns - self.starts).astype(np.float32)
        start = plane_at(own, self.starts, self.rows).astype(np.float32)
        return np.asarray(start + own[:, 0].astype(np.float32) * steps)


def _run_starts(owners: Ints) -> Indices:
    columns = np.arange(owners.shape[1])
    starts = np.ones(owners.shape, bool)
    starts[:, 1:] = owners[:, 1:] != owners[:, :-1]
    return np.maximum.accumulate(np.where(starts, columns, 0), axis=1)


def _clear(shading: Shading, depth: Singles, rows: Indices, columns: Indices) -> Singles:
    """What fog leaves of faces."""
    reach = depth * np.sqrt(shading.across[columns] + shading.above[rows]) - shading.fog_start
    halvings = np.minimum(np.maximum(reach, np.float32(0)) * shading.fog_density, FAINTEST)
    whole = halvings.astype(np.int32)
    part = halvings - whole.astype(np.float32)
    power = ((127 - whole) << 23).view(np.float32)
    one = np.float32(1)
    return np.asarray(power * (one + part * (EXP2[0] + part * (EXP2[1] + part * EXP2[2]))))


def _lanes(triangles: Triangles, shading: Shading, runs: Runs, depth: Singles) -> Singles:
    """The textures' colours (n, 3) times `TEXEL_SCALE`, or 1 without a texture."""
    colours = np.ones((len(depth), 3), np.float32)
    some = np.flatnonzero(triangles.layers[runs.owners] >= 0)
    packed = _fetch(triangles, shading, runs.only(some), depth[some])
    colours[some] = np.stack([(packed >> bits) & 0x1FFFFF for bits in (42, 21, 0)], axis=1)
    return colours


def _fetch(triangles: Triangles, shading: Shading, runs: Runs, depth: Singles) -> Indices:
    """The textures' colours (n,) as packed lanes, `TEXEL_SCALE` times larger.

    Half-way between two mip levels, for a quarter of the way, they are blended.
    """
    layers, size_log2 = triangles.layers[runs.owners].astype(np.int64), shading.size_log2
    scale = np.float32(32 << size_log2)
    x, y = (
        np.floor(runs.along(triangles.planes[:, plane]) * depth * scale).astype(np.int64)
        for plane in (1, 2)
    )
    # a depth's bits, read as a number, are about its log2 + 127: see `geometry.log2`
    lod = (32.0 * (triangles.lods[runs.owners] + size_log2 - 1.5 * 127)).astype(np.float32)
    bits = depth.view(np.int32).astype(np.float32) * np.float32(32 * 1.5 / (1 << 23))
    mip = np.clip(bits + lod, np.float32(0), np.float32(32 * size_log2)).astype(np.int64)
    level, share = mip >> 5, np.clip((mip & 31) - 12, 0, 8)
    coarser = np.minimum(level + 1, size_log2)
    fine, coarse = (_bilinear(shading, layers, x, y, each) for each in (level, coarser))
    return np.asarray(fine * (8 - share) + coarse * share)


def _bilinear(shading: Shading, layers: Indices, x: Indices, y: Indices, level: Indices) -> Indices:
    """The blend of four texels as packed lanes, 1024 times larger."""
    log2 = shading.size_log2 - level
    x, y, last = (x >> level) - 16, (y >> level) - 16, (np.int64(1) << log2) - 1
    across, down = x & 31, y & 31
    left, top = (x >> 5) & last, (y >> 5) & last
    right, below = (left + 1) & last, (top + 1) & last
    first = ((np.int64(1) << 2 * log2) - 1) // 3 * shading.layer_count + (layers << 2 * log2)
    upper, lower = first + (top << log2), first + (below << log2)
    both = across * down
    return np.asarray(
        shading.texels[upper + left] * (1024 - 32 * (across + down) + both)
        + shading.texels[upper + right] * (32 * across - both)
        + shading.texels[lower + left] * (32 * down - both)
        + shading.texels[lower + right] * both
    )


def smooth(
    triangles: Triangles,
    offsets: Floats,
    top: int,
    end: int,
    owners: Ints,
    sharp: Pixels,
    colour: Pixels,
) -> None:
    """Blend, in pixels beside another owner, the colours of all owners by their samples.

    Candidates are the owners of the pixel and of the four beside it, each with the colour in
    `sharp` of the pixel where it was found; pixels whose candidates look alike stay as they are.
    A sample that none covers is the background's, if that is among them, or else the pixel's own.
    """
    places = _edge_pixels(top, end, owners)
    sides = sharp.reshape(-1, 3)[places]
    apart = np.abs(sides.astype(np.int16) - sides[0]).max(axis=(0, 2)) > ALIKE
    places, sides = places[:, apart], sides[:, apart]
    pixels = np.arange(places.shape[1])
    total = np.zeros((len(pixels), 3))
    for winner in _winners(triangles, offsets, owners, places):
        total += sides[winner, pixels]
    colour.reshape(-1, 3)[places[0]] = total * (1.0 / offsets.shape[1]) + 0.5


def _edge_pixels(top: int, end: int, owners: Ints) -> Indices:
    """Of pixels with another owner beside, places in the flat picture of their candidates (5, n).

    Own first; an owner that is met again has the place where it was met first.
    """
    height, width = owners.shape
    here = np.arange(height * width).reshape(height, width)
    wide = np.pad(here, 1, mode="edge")
    around = (wide[1 + y + top : 1 + y + end, 1 + x : 1 + x + width] for y, x in NEIGHBOURS)
    places = np.stack([here[top:end], *around]).reshape(5, -1)
    found = owners.ravel()[places]
    edges = np.flatnonzero((found != found[0]).any(axis=0))
    places, found = places[:, edges], found[:, edges]
    met = (found[:, None] == found).argmax(axis=1)
    return np.asarray(places[met, np.arange(len(edges))])


def _winners(
    triangles: Triangles, offsets: Floats, owners: Ints, places: Indices
) -> Iterator[Indices]:
    """Which of the candidates (5, n) each sample of n pixels belongs to."""
    candidates = owners.ravel()[places]
    rows, columns = np.divmod(places[0], owners.shape[1])
    for offset in offsets.T:
        winner = (candidates < 0).argmax(axis=0)
        nearest = np.zeros(len(rows))
        for place, owner in enumerate(candidates):
            near = _near_inside(triangles, owner, rows, columns, offset)
            closer = near > nearest
            winner[closer] = place
            nearest[closer] = near[closer]
        yield winner


def _near_inside(
    triangles: Triangles, owner: Ints, rows: Indices, columns: Indices, offset: Floats
) -> Floats:
    """1 / depth of the owners at a place inside them; 0 outside and for the background."""
    inside = owner >= 0
    for edge in range(3):
        inside = inside & (_beside(triangles.edges[owner, edge], columns, rows, offset) >= 0)
    return np.where(inside, _beside(triangles.planes[owner, 0], columns, rows, offset), 0.0)


def _beside(planes: Floats, columns: Indices, rows: Indices, offset: Floats) -> Floats:
    x, y = offset
    rise = planes[:, 0] * x + planes[:, 1] * y
    return np.asarray(plane_at(planes, columns, rows) + rise)


def renumber(numbers: Ints, background: int, owners: Ints) -> None:
    """Replace every owner by its one of `numbers`, -1 by `background`."""
    owners[:] = np.append(numbers, np.int32(background))[owners]


def plane_at(planes: Floats, x: Indices | int, y: Indices | int) -> Floats:
    return np.asarray(planes[..., 0] * x + (planes[..., 1] * y + planes[..., 2]))
