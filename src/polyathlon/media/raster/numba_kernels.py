"""The kernels compiled by numba, for one core; `numpy_kernels` says what they do.

Colours are made in runs of pixels with one owner, split into loops over parts of a row; all but
the fetching of texels become vector instructions. All is in one file, since numba renews kept code
only by the date of the file that the caller is in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polyathlon.media.raster.jit import compiled
from polyathlon.media.raster.shading import ALIKE, EXP2, FAINTEST, NEIGHBOURS

ZERO, HALF, ONE, WHITE = np.float32(0), np.float32(0.5), np.float32(1), np.float32(255)
UNTEXTURED = 1 << 42 | 1 << 21 | 1


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
def find_owners(triangles: Any, top: Any, end: Any, nearness: Any, owners: Any) -> None:
    owners[top:end] = -1
    for number in range(len(triangles.bounds)):
        left, right, highest, lowest = triangles.bounds[number]
        a, b, c = triangles.planes[number, 0]
        for row in range(max(highest, top), min(lowest + 1, end)):
            first, last = _span(triangles.edges[number], row, left, right)
            start = b * row + c
            for column in range(first, last + 1):
                near = np.float32(a * column + start)
                if near > nearness[row, column]:
                    nearness[row, column] = near
                    owners[row, column] = number


@compiled
def shade(triangles: Any, shading: Any, top: Any, end: Any, owners: Any, colour: Any) -> None:
    planes, layers, lods = triangles.planes, triangles.layers, triangles.lods
    across = shading.across
    height, width = owners.shape
    flat = colour.reshape(height, 3 * width)
    depth, clear = np.empty(width, np.float32), np.empty(width, np.float32)
    places, texels = np.empty((3, width), np.int32), np.empty(width, np.int64)
    for row in range(top, end):
        first = 0
        while first < width:
            owner = owners[row, first]
            after = first + 1
            while after < width and owners[row, after] == owner:
                after += 1
            pixels = flat[row, 3 * first : 3 * after]
            if owner < 0:
                _fill(shading.background[row], pixels)
            else:
                face, slopes = planes[owner], across[first:after]
                _fade(face, row, first, shading, slopes, depth, clear)
                if layers[owner] < 0:
                    texels[: after - first] = UNTEXTURED
                else:
                    _place(face, lods[owner], row, first, after - first, shading, depth, places)
                    _fetch(shading, layers[owner], after - first, places, texels)
                _blend(face, row, first, shading, depth, clear, texels, pixels)
            first = after


@compiled
def _fill(background: Any, pixels: Any) -> None:
    red, green, blue = background[0], background[1], background[2]
    for i in range(len(pixels) // 3):
        pixels[3 * i] = red
        pixels[3 * i + 1] = green
        pixels[3 * i + 2] = blue


@compiled
def _line(plane: Any, row: Any, first: Any) -> Any:
    """A plane along a row: its value at column `first` and its rise a column."""
    return np.float32(plane[0] * first + (plane[1] * row + plane[2])), np.float32(plane[0])


@compiled
def _fade(
    planes: Any, row: Any, first: Any, shading: Any, slopes: Any, depth: Any, clear: Any
) -> None:
    """Enter the depth of an owner and what fog leaves of it."""
    start, rise = _line(planes[0], row, first)
    above = shading.above[row]
    density, fog_start = shading.fog_density, shading.fog_start
    for i in range(len(slopes)):
        far = ONE / (start + rise * np.float32(np.int32(i)))
        depth[i] = far
        reach = far * np.sqrt(slopes[i] + above) - fog_start
        halvings = min(max(reach, ZERO) * density, FAINTEST)
        whole = np.int32(halvings)
        part = halvings - np.float32(whole)
        power = np.int32((127 - whole) << 23).view(np.float32)
        clear[i] = power * (ONE + part * (EXP2[0] + part * (EXP2[1] + part * EXP2[2])))


@compiled
def _place(
    planes: Any, lod: Any, row: Any, first: Any, count: Any, shading: Any,
    depth: Any, places: Any,
) -> None:  # fmt: skip
    """Enter the texture's place in 1/32 texels, across and down, and the mip level in 1/32."""
    u, u_rise = _line(planes[1], row, first)
    v, v_rise = _line(planes[2], row, first)
    size_log2 = shading.size_log2
    scale, coarsest = np.float32(32 << size_log2), np.float32(32 * size_log2)
    lod = np.float32(32.0 * (lod + size_log2 - 1.5 * 127))
    per_bit = np.float32(32 * 1.5 / (1 << 23))
    for i in range(count):
        step, far = np.float32(np.int32(i)), depth[i]
        places[0, i] = np.int32(np.floor((u + u_rise * step) * far * scale))
        places[1, i] = np.int32(np.floor((v + v_rise * step) * far * scale))
        bits = np.float32(np.float32(far).view(np.int32))
        places[2, i] = np.int32(min(max(bits * per_bit + lod, ZERO), coarsest))


@compiled
def _texel(texels: Any, place: Any) -> Any:
    return texels[np.uint64(place)]  # unsigned: spares the test for an index from the end


@compiled
def _bilinear(texels: Any, count: Any, layer: Any, x: Any, y: Any, log2: Any) -> Any:
    """The blend of four texels about a place in 1/32 texels as packed lanes, 1024 times larger."""
    x, y, last = x - 16, y - 16, (1 << log2) - 1
    across, down = x & 31, y & 31
    left, top = (x >> 5) & last, (y >> 5) & last
    right, below = (left + 1) & last, (top + 1) & last
    first = ((1 << 2 * log2) - 1) // 3 * count + (layer << 2 * log2)
    upper, lower = first + (top << log2), first + (below << log2)
    both = across * down
    return (
        _texel(texels, upper + left) * (1024 - 32 * (across + down) + both)
        + _texel(texels, upper + right) * (32 * across - both)
        + _texel(texels, lower + left) * (32 * down - both)
        + _texel(texels, lower + right) * both
    )


@compiled
def _fetch(shading: Any, layer: Any, length: Any, places: Any, texels: Any) -> None:
    """Enter the texture's colour, blended of at most two mip levels, as packed lanes.

    Lanes are `TEXEL_SCALE` times larger than a texel.
    """
    source, count, size_log2 = shading.texels, shading.layer_count, shading.size_log2
    for i in range(length):
        x, y, mip = int(places[0, i]), int(places[1, i]), int(places[2, i])
        level, share = mip >> 5, (mip & 31) - 12
        if share >= 8:
            level, share = level + 1, 0
        fine = _bilinear(source, count, layer, x >> level, y >> level, size_log2 - level)
        if share > 0:
            level += 1
            coarse = _bilinear(source, count, layer, x >> level, y >> level, size_log2 - level)
            texels[i] = fine * (8 - share) + coarse * share
        else:
            texels[i] = fine << 3


@compiled
def _blend(
    planes: Any, row: Any, first: Any, shading: Any,
    depth: Any, clear: Any, texels: Any, pixels: Any,
) -> None:  # fmt: skip
    """Enter the colour: texture times light, seen through the fog."""
    red, red_rise = _line(planes[3], row, first)
    green, green_rise = _line(planes[4], row, first)
    blue, blue_rise = _line(planes[5], row, first)
    fog = shading.fog_colour
    fog_red, fog_green, fog_blue = fog[0], fog[1], fog[2]
    for i in range(len(pixels) // 3):
        step, left, lanes = np.float32(np.int32(i)), clear[i], texels[i]
        light, haze = depth[i] * left, ONE - left
        pixels[3 * i] = _mixed(red + red_rise * step, light, lanes >> 42, fog_red * haze)
        pixels[3 * i + 1] = _mixed(
            green + green_rise * step, light, (lanes >> 21) & 0x1FFFFF, fog_green * haze
        )
        pixels[3 * i + 2] = _mixed(
            blue + blue_rise * step, light, lanes & 0x1FFFFF, fog_blue * haze
        )


@compiled
def _mixed(tint: Any, light: Any, lane: Any, fog: Any) -> Any:
    value = tint * light * np.float32(np.int32(lane)) + fog
    return np.uint8(np.int32(min(value, WHITE) + HALF))


@compiled
def smooth(
    triangles: Any, offsets: Any, top: Any, end: Any, owners: Any, sharp: Any, colour: Any
) -> None:
    edges, planes = triangles.edges, triangles.planes
    height, width = owners.shape
    marks, found = np.empty(width, np.int32), np.empty((5, 3), np.int64)
    winners, nearest = np.empty(offsets.shape[1], np.int64), np.empty(offsets.shape[1])
    for row in range(top, end):
        above, below = max(row - 1, 0), min(row + 1, height - 1)
        _mark(owners, row, above, below, marks)
        _unmark(sharp, row, above, below, marks)
        for column in range(width):
            if not marks[column]:
                continue
            count = _find_candidates(owners, row, column, found)
            if _alike(sharp, found, count):
                continue
            count = _reaching(edges, row, column, found, count)
            if count == 1:
                continue
            _start(_background_or_own(found, count), winners, nearest)
            for place in range(count):
                owner = found[place, 0]
                if owner >= 0:
                    _cover(edges, planes, owner, row, column, offsets, place, winners, nearest)
            _mix(sharp, found, count, winners, colour, row, column)


@compiled
def _mark(owners: Any, row: Any, above: Any, below: Any, marks: Any) -> None:
    """Mark the columns of a row with another owner beside by a number that is not 0."""
    own, upper, lower = owners[row], owners[above], owners[below]
    for column in range(len(own)):
        marks[column] = (own[column] ^ upper[column]) | (own[column] ^ lower[column])
    for column in range(len(own) - 1):
        marks[column] |= own[column] ^ own[column + 1]
    for column in range(len(own) - 1):
        marks[column + 1] |= own[column] ^ own[column + 1]


@compiled
def _unmark(sharp: Any, row: Any, above: Any, below: Any, marks: Any) -> None:
    """Unmark the columns of a row whose colour is about that of all four neighbours."""
    last = len(marks) - 1
    for column in range(last + 1):
        if marks[column]:
            left, right = max(column - 1, 0), min(column + 1, last)
            alike: Any = True
            for channel in range(3):
                own = np.int32(sharp[row, column, channel])
                alike &= abs(own - np.int32(sharp[above, column, channel])) <= ALIKE
                alike &= abs(own - np.int32(sharp[below, column, channel])) <= ALIKE
                alike &= abs(own - np.int32(sharp[row, left, channel])) <= ALIKE
                alike &= abs(own - np.int32(sharp[row, right, channel])) <= ALIKE
            if alike:
                marks[column] = 0


@compiled
def _find_candidates(owners: Any, row: Any, column: Any, found: Any) -> Any:
    """Enter the different owners of a pixel (first) and its neighbours, with the place of each.

    Returns their number.
    """
    height, width = owners.shape
    own = owners[row, column]
    found[0, 0], found[0, 1], found[0, 2] = own, row, column
    count = 1
    for y, x in NEIGHBOURS:
        beside_row = min(max(row + y, 0), height - 1)
        beside_column = min(max(column + x, 0), width - 1)
        owner = owners[beside_row, beside_column]
        known = owner == own
        for place in range(1, count):
            known = known or found[place, 0] == owner
        if not known:
            found[count, 0], found[count, 1], found[count, 2] = owner, beside_row, beside_column
            count += 1
    return count


@compiled
def _reaching(edges: Any, row: Any, column: Any, found: Any, count: Any) -> Any:
    """Drop candidates, but not the first, that have the whole pixel beyond one of their edges.

    They would get no sample. Returns the number of candidates left.
    """
    kept = 1
    for place in range(1, count):
        owner = found[place, 0]
        reaches = True
        if owner >= 0:
            for edge in range(3):
                a, b, middle = _at(edges, owner, edge, row, column)
                reaches &= middle + (abs(a) + abs(b)) * 0.5 >= 0
        if reaches:
            found[kept, 0], found[kept, 1], found[kept, 2] = owner, found[place, 1], found[place, 2]
            kept += 1
    return kept


@compiled
def _alike(sharp: Any, found: Any, count: Any) -> Any:
    """Whether all candidates have about the colour of the first."""
    row, column = found[0, 1], found[0, 2]
    for place in range(1, count):
        beside_row, beside_column = found[place, 1], found[place, 2]
        for channel in range(3):
            own = np.int32(sharp[row, column, channel])
            if abs(own - np.int32(sharp[beside_row, beside_column, channel])) > ALIKE:
                return False
    return True


@compiled
def _background_or_own(found: Any, count: Any) -> Any:
    """The candidate of a sample that no face covers."""
    for place in range(count):
        if found[place, 0] < 0:
            return place
    return 0


@compiled
def _start(place: Any, winners: Any, nearest: Any) -> None:
    """Give all samples to a candidate that is infinitely far away."""
    for sample in range(len(winners)):
        winners[sample] = place
        nearest[sample] = 0.0


@compiled
def _cover(
    edges: Any, planes: Any, owner: Any, row: Any, column: Any, offsets: Any, place: Any,
    winners: Any, nearest: Any,
) -> None:  # fmt: skip
    """Give a candidate the samples that it covers and in which it is the nearest so far."""
    a0, b0, first = _at(edges, owner, 0, row, column)
    a1, b1, second = _at(edges, owner, 1, row, column)
    a2, b2, third = _at(edges, owner, 2, row, column)
    a, b, middle = _at(planes, owner, 0, row, column)
    for sample in range(len(winners)):
        x, y = offsets[0, sample], offsets[1, sample]
        near = middle + (a * x + b * y)
        covered = (
            (near > nearest[sample])
            & (first + (a0 * x + b0 * y) >= 0)
            & (second + (a1 * x + b1 * y) >= 0)
            & (third + (a2 * x + b2 * y) >= 0)
        )
        winners[sample] = place if covered else winners[sample]
        nearest[sample] = near if covered else nearest[sample]


@compiled
def _at(planes: Any, owner: Any, number: Any, row: Any, column: Any) -> Any:
    """One of an owner's planes at a pixel: its rise a column and a row, and its value."""
    a, b, c = planes[owner, number, 0], planes[owner, number, 1], planes[owner, number, 2]
    return a, b, a * column + (b * row + c)


@compiled
def _mix(
    sharp: Any, found: Any, count: Any, winners: Any, colour: Any, row: Any, column: Any
) -> None:
    """Enter the mean colour of the candidates that own the samples."""
    red = green = blue = 0
    for place in range(count):
        samples = 0
        for sample in range(len(winners)):
            samples += winners[sample] == place
        y, x = found[place, 1], found[place, 2]
        red += samples * sharp[y, x, 0]
        green += samples * sharp[y, x, 1]
        blue += samples * sharp[y, x, 2]
    share = 1.0 / len(winners)
    colour[row, column, 0] = np.uint8(red * share + 0.5)
    colour[row, column, 1] = np.uint8(green * share + 0.5)
    colour[row, column, 2] = np.uint8(blue * share + 0.5)


@compiled
def renumber(numbers: Any, background: Any, owners: Any) -> None:
    for row in range(owners.shape[0]):
        line = owners[row]
        for column in range(len(line)):
            owner = line[column]
            line[column] = numbers[owner] if owner >= 0 else background
