"""The kernels compiled by numba, for one core; `numpy_kernels` says what they do.

Colours are made in runs of pixels with one owner, split into loops over arrays as long as a row,
most of which become vector instructions. All is in one file, since numba renews kept code only by
the date of the file that the caller is in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.geometry import Triangles
from polyathlon.media.raster.jit import compiled
from polyathlon.media.raster.mesh import Ints
from polyathlon.media.raster.numpy_kernels import Pixels
from polyathlon.media.raster.shading import NEIGHBOURS, Shading


@compiled
def _span(edges: Any, row: Any, left: Any, right: Any) -> Any:
    """The first and last column in `left`..`right` whose centres are inside all edges.

    Exact: a and the start are whole, and a quotient near a column of the picture is off by less
    than 1 / a.
    """
    first, last = float(left), float(right)
    for edge in range(3):
        a = edges[edge, 0]
        start = edges[edge, 1] * row + edges[edge, 2]
        if a > 0:
            first = max(first, np.ceil(-start / a))
        elif a < 0:
            last = min(last, np.floor(-start / a))
        elif start < 0:
            last = -1.0
    return int(min(first, right + 1.0)), int(max(last, -1.0))


@compiled
def find_owners(triangles: Any, nearness: Any, owners: Any) -> None:
    for number in range(len(triangles.bounds)):
        left, right, top, bottom = triangles.bounds[number]
        a, b, c = triangles.planes[number, 0]
        for row in range(top, bottom + 1):
            first, last = _span(triangles.edges[number], row, left, right)
            start = b * row + c
            for column in range(first, last + 1):
                near = np.float32(a * column + start)
                if near > nearness[row, column]:
                    nearness[row, column] = near
                    owners[row, column] = number


def shade(triangles: Triangles, shading: Shading, owners: Ints, colour: Pixels) -> None:
    _shade(triangles, shading, owners, colour, *_row_buffers(owners))


@compiled
def _shade(
    triangles: Any, shading: Any, owners: Any, colour: Any, depth: Any, clear: Any, tint: Any
) -> None:
    planes, layers, lods = triangles.planes, triangles.layers, triangles.lods
    texels, count, size_log2 = shading.texels, shading.layer_count, shading.size_log2
    fog_left, fog_steps, fog = shading.fog_left, shading.fog_steps, shading.fog_colour
    across, above, background = shading.across, shading.above, shading.background
    height, width = owners.shape
    for row in range(height):
        first = 0
        while first < width:
            owner = owners[row, first]
            end = first + 1
            while end < width and owners[row, end] == owner:
                end += 1
            _colour_run(
                planes, layers, lods, texels, count, size_log2,
                fog_left, fog_steps, across, above, background,
                owner, row, float(row), 0.0, first, end, depth, clear, tint,
            )  # fmt: skip
            first = end
        _write(tint, clear, fog, colour, row)


@compiled
def _write(tint: Any, clear: Any, fog: Any, colour: Any, row: Any) -> None:
    for channel in range(3):
        for column in range(colour.shape[1]):
            left = clear[column]
            value = tint[channel, column] * left + fog[channel] * (1.0 - left)
            colour[row, column, channel] = _rounded(value)


def smooth(triangles: Triangles, shading: Shading, owners: Ints, colour: Pixels) -> None:
    candidates, tally, total = np.empty(9, np.int32), np.empty((9, 3)), np.empty(3)
    buffers = _row_buffers(owners)
    _smooth(triangles, shading, owners, colour, *buffers, candidates, tally, total)


def _row_buffers(owners: Ints) -> tuple[Floats, Floats, Floats]:
    """Room for the depth, what fog leaves, and the colour of a row of pixels."""
    width = owners.shape[1]
    return np.empty(width), np.empty(width), np.empty((3, width))


@compiled
def _smooth(
    triangles: Any, shading: Any, owners: Any, colour: Any,
    depth: Any, clear: Any, tint: Any, candidates: Any, tally: Any, total: Any,
) -> None:  # fmt: skip
    planes, layers, lods, edges = (
        triangles.planes,
        triangles.layers,
        triangles.lods,
        triangles.edges,
    )
    texels, count, size_log2 = shading.texels, shading.layer_count, shading.size_log2
    fog_left, fog_steps, fog = shading.fog_left, shading.fog_steps, shading.fog_colour
    across, above, background = shading.across, shading.above, shading.background
    height, width = owners.shape
    for row in range(height):
        for column in range(width):
            if not _beside_another(owners, row, column):
                continue
            number = _find_candidates(owners, row, column, candidates)
            _sample(edges, planes, candidates, number, row, column, shading.offsets, tally)
            total[:] = 0.0
            for place in range(number):
                hits = tally[place, 0]
                if hits > 0.0:
                    _colour_run(
                        planes, layers, lods, texels, count, size_log2,
                        fog_left, fog_steps, across, above, background,
                        candidates[place], row, row + tally[place, 2] / hits,
                        tally[place, 1] / hits, column, column + 1, depth, clear, tint,
                    )  # fmt: skip
                    _add(total, hits, tint, clear, fog, column)
            for channel in range(3):
                colour[row, column, channel] = _rounded(total[channel] / len(shading.offsets))


@compiled
def _add(total: Any, hits: Any, tint: Any, clear: Any, fog: Any, column: Any) -> None:
    left = clear[column]
    for channel in range(3):
        total[channel] += hits * (tint[channel, column] * left + fog[channel] * (1.0 - left))


@compiled
def _beside_another(owners: Any, row: Any, column: Any) -> Any:
    height, width = owners.shape
    own = owners[row, column]
    return (
        (row > 0 and owners[row - 1, column] != own)
        or (column > 0 and owners[row, column - 1] != own)
        or (column < width - 1 and owners[row, column + 1] != own)
        or (row < height - 1 and owners[row + 1, column] != own)
    )


@compiled
def _find_candidates(owners: Any, row: Any, column: Any, found: Any) -> Any:
    """Enter the different owners of a pixel (first) and its neighbours; their number."""
    height, width = owners.shape
    found[0] = owners[row, column]
    count = 1
    for y, x in NEIGHBOURS:
        beside_row = min(max(row + y, 0), height - 1)
        beside_column = min(max(column + x, 0), width - 1)
        owner = owners[beside_row, beside_column]
        known = False
        for place in range(count):
            known = known or found[place] == owner
        if not known:
            found[count] = owner
            count += 1
    return count


@compiled
def _sample(
    edges: Any, planes: Any, candidates: Any, number: Any, row: Any, column: Any,
    offsets: Any, tally: Any,
) -> None:  # fmt: skip
    """Enter each candidate's number of samples and their summed offsets into `tally`."""
    otherwise = 0
    for place in range(number):
        tally[place, 0] = tally[place, 1] = tally[place, 2] = 0.0
        if candidates[place] < 0:
            otherwise = place
    for sample in range(len(offsets)):
        x, y = offsets[sample, 0], offsets[sample, 1]
        winner, nearest = otherwise, 0.0
        for place in range(number):
            near = _near_inside(edges, planes, candidates[place], row + y, column + x)
            if near > nearest:
                winner, nearest = place, near
        tally[winner, 0] += 1.0
        tally[winner, 1] += x
        tally[winner, 2] += y


@compiled
def _near_inside(edges: Any, planes: Any, owner: Any, y: Any, x: Any) -> Any:
    """1 / depth of an owner at a place inside it; 0 outside and for the background."""
    if owner < 0:
        return 0.0
    for edge in range(3):
        if edges[owner, edge, 0] * x + (edges[owner, edge, 1] * y + edges[owner, edge, 2]) < 0:
            return 0.0
    return planes[owner, 0, 0] * x + (planes[owner, 0, 1] * y + planes[owner, 0, 2])


@compiled
def _mixed(start: Any, end: Any, share: Any) -> Any:
    return start + share * (end - start)


@compiled
def _rounded(value: Any) -> Any:
    return np.uint8(np.int32(min(value, 255.0) + 0.5))


@compiled
def _lane(lanes: Any, bits: Any) -> Any:
    return float((lanes >> bits) & 0x1FFFFF)


@compiled
def _texel(texels: Any, place: Any) -> Any:
    return texels[np.uint64(place)]  # unsigned: spares the test for an index from the end


@compiled
def _bilinear(texels: Any, count: Any, layer: Any, u: Any, v: Any, size: Any) -> Any:
    """The blend of four texels as packed lanes, 4096 times their value."""
    x = math.floor(u * size * 64) - 32
    y = math.floor(v * size * 64) - 32
    x_share, y_share = x & 63, y & 63
    left, top = (x >> 6) & (size - 1), (y >> 6) & (size - 1)
    right, below = (left + 1) & (size - 1), (top + 1) & (size - 1)
    first = (size * size - 1) // 3 * count + layer * size * size
    upper, lower = first + top * size, first + below * size
    return (
        _texel(texels, upper + left) * ((64 - x_share) * (64 - y_share))
        + _texel(texels, upper + right) * (x_share * (64 - y_share))
        + _texel(texels, lower + left) * ((64 - x_share) * y_share)
        + _texel(texels, lower + right) * (x_share * y_share)
    )


@compiled
def _mip(lod: Any, depth: Any, size_log2: Any) -> Any:
    """The mip level at a depth and the share of the next; levels blend in a quarter of the way."""
    log2 = np.float64(depth).view(np.int64) * 2.0**-52 - 1023.0
    exact = min(max(lod + size_log2 + 1.5 * log2, 0.0), float(size_log2))
    level = int(exact)
    share = min(max((exact - level) * 4.0 - 1.5, 0.0), 1.0)
    if share == 1.0:
        return level + 1, 0.0
    return level, share


@compiled
def _texture(
    planes: Any, owner: Any, y: Any, shift: Any, first: Any, end: Any, depth: Any, tint: Any,
    texels: Any, count: Any, size_log2: Any, layer: Any, lod: Any,
) -> None:  # fmt: skip
    """Multiply the lit colour of an owner by its texture."""
    u_a, u_start = planes[owner, 1, 0], planes[owner, 1, 1] * y + planes[owner, 1, 2]
    v_a, v_start = planes[owner, 2, 0], planes[owner, 2, 1] * y + planes[owner, 2, 2]
    for column in range(first, end):
        far, x = depth[column], column + shift
        u, v = (u_a * x + u_start) * far, (v_a * x + v_start) * far
        level, share = _mip(lod, far, size_log2)
        lanes = _bilinear(texels, count, layer, u, v, 1 << (size_log2 - level))
        red, green, blue = _lane(lanes, 42), _lane(lanes, 21), _lane(lanes, 0)
        if share > 0.0:
            lanes = _bilinear(texels, count, layer, u, v, 1 << (size_log2 - level - 1))
            red = _mixed(red, _lane(lanes, 42), share)
            green = _mixed(green, _lane(lanes, 21), share)
            blue = _mixed(blue, _lane(lanes, 0), share)
        tint[0, column] *= red
        tint[1, column] *= green
        tint[2, column] *= blue


@compiled
def _light(
    planes: Any, owner: Any, y: Any, shift: Any, first: Any, end: Any, depth: Any, tint: Any
) -> None:
    """Enter the lit colour of an owner."""
    for channel in range(3):
        a = planes[owner, 3 + channel, 0]
        start = planes[owner, 3 + channel, 1] * y + planes[owner, 3 + channel, 2]
        for column in range(first, end):
            tint[channel, column] = (a * (column + shift) + start) * depth[column]


@compiled
def _fade(
    planes: Any, owner: Any, y: Any, shift: Any, first: Any, end: Any,
    fog_left: Any, fog_steps: Any, across: Any, above: Any, depth: Any, clear: Any,
) -> None:  # fmt: skip
    """Enter the depth of an owner and what fog leaves of it; at `shift` beside the columns."""
    a, start = planes[owner, 0, 0], planes[owner, 0, 1] * y + planes[owner, 0, 2]
    last = len(fog_left) - 2.0
    for column in range(first, end):
        far = 1.0 / (a * (column + shift) + start)
        depth[column] = far
        step = min(far * math.sqrt(1.0 + across[column] + above) * fog_steps, last)
        whole = np.uint32(step)
        clear[column] = _mixed(fog_left[whole], fog_left[whole + np.uint32(1)], step - whole)


@compiled
def _fill(background: Any, row: Any, first: Any, end: Any, clear: Any, tint: Any) -> None:
    """Enter the background for the columns from `first` to before `end`."""
    for column in range(first, end):
        clear[column] = 1.0
        for channel in range(3):
            tint[channel, column] = background[row, channel]


@compiled
def _colour_run(
    planes: Any, layers: Any, lods: Any, texels: Any, count: Any, size_log2: Any,
    fog_left: Any, fog_steps: Any, across: Any, above: Any, background: Any,
    owner: Any, row: Any, y: Any, shift: Any, first: Any, end: Any,
    depth: Any, clear: Any, tint: Any,
) -> None:  # fmt: skip
    """Colour a row's columns from `first` to before `end` by their owner.

    Enters the colour without fog into `tint` (3, width), what fog leaves of it into `clear`. The
    owner is looked at `shift` beside the centres of the columns and at height `y` of the row.
    """
    if owner < 0:
        _fill(background, row, first, end, clear, tint)
        return
    _fade(
        planes, owner, y, shift, first, end, fog_left, fog_steps, across, above[row], depth, clear
    )
    _light(planes, owner, y, shift, first, end, depth, tint)
    if layers[owner] >= 0:
        _texture(
            planes, owner, y, shift, first, end, depth, tint,
            texels, count, size_log2, layers[owner], lods[owner],
        )  # fmt: skip
