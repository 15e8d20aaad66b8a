"""From a mesh to triangles on the screen: cull, light, clip, project, snap and set up.

Both back ends share this stage. Corners are snapped to 1/256 pixel, so that edge functions are
whole numbers below 2**53, exact in float64: neighbouring faces share the pixels of their common
edge without a gap or an overlap (top-left rule), on every machine and back end.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from polyathlon.media.raster.camera import Camera, Floats
from polyathlon.media.raster.clip import HalfSpace, clipped
from polyathlon.media.raster.look import Light
from polyathlon.media.raster.mesh import Flags, Ints, Mesh

SUBPIXELS = 256
TEXEL_SCALE = 32 * 32 * 8
_GUARD_PX = float(1 << 15)


class Triangles(NamedTuple):
    """n triangles ready to draw, in the order of the faces they come from.

    `bounds` (n, 4): the first and last column, the first and last row that may be covered.
    `edges` (n, 3, 3): a, b, c of the three edge functions a * column + b * row + c; the centre of
    a pixel is inside where none is below 0. `planes` (n, 6, 3): likewise 1 / depth, and the
    texture's u and v and red, green, blue, each divided by depth; with a texture a colour is the
    factor of texels that the kernels' blend has made `TEXEL_SCALE` times as large.
    `layers`, `lods`, `ids`, `faces` (n,): texture layer (or -1), mip level at depth 1 for a
    texture of one texel, object, and number of the face in the mesh.
    """

    bounds: Ints
    edges: Floats
    planes: Floats
    layers: Ints
    lods: Floats
    ids: Ints
    faces: Ints


def screen_triangles(mesh: Mesh, camera: Camera, light: Light) -> Triangles:
    """The triangles of `mesh` that `camera` may see."""
    seen = camera.seen(mesh.vertices)
    faces, backs = _facing(mesh, seen, _in_sight(mesh, seen, camera))
    corners, source = clipped(
        _corners(mesh, seen, faces, backs, camera, light), _half_spaces(camera)
    )
    return _set_up(mesh, corners, faces[source], camera)


def _in_sight(mesh: Mesh, seen: Floats, camera: Camera) -> Ints:
    """The faces that are not wholly outside one side of the view."""
    x, y, z = seen.T
    across = z * (camera.width_px / 2 / camera.focal_px)
    above = z * (camera.height_px / 2 / camera.focal_px)
    outside = (
        (z < camera.near) * 1 | (z > camera.far) * 2
        | (x < -across) * 4 | (x > across) * 8 | (y < -above) * 16 | (y > above) * 32
    )  # fmt: skip
    a, b, c = outside[mesh.faces].T
    return np.flatnonzero((a & b & c) == 0).astype(np.int32)


def _facing(mesh: Mesh, seen: Floats, faces: Ints) -> tuple[Ints, Flags]:
    """The faces to be drawn, and which of them show their back.

    Right, up and forward are a left-handed frame: the normal of a front points away from us.
    """
    a, b, c = (seen[mesh.faces[faces, corner]] for corner in range(3))
    backs = _triple(a, b - a, c - a) <= 0
    drawn = ~backs | mesh.two_sided[faces]
    return faces[drawn], backs[drawn]


def _corners(
    mesh: Mesh, seen: Floats, faces: Ints, backs: Flags, camera: Camera, light: Light
) -> Floats:
    """x, y, z, u, v, red, green, blue of every corner (n, 3, 8), clockwise on the screen."""
    order = mesh.faces[faces]
    order[~backs] = order[~backs, ::-1]
    normals = mesh.normals[order] * np.where(backs, -1.0, 1.0)[:, None, None]
    brightness = np.where(mesh.unlit[faces, None], 1.0, _brightness(normals, camera, light))
    full = np.where(mesh.layers[faces] >= 0, 1 / TEXEL_SCALE, 255.0)[:, None, None]
    colours = mesh.colours[order] * (full * brightness[:, :, None])
    return np.concatenate([seen[order], mesh.uv[order], colours], axis=2)


def _brightness(normals: Floats, camera: Camera, light: Light) -> Floats:
    lamp = np.asarray(light.direction, np.float64)
    lamp = lamp / np.sqrt((lamp * lamp).sum())
    total = np.full(normals.shape[:-1], light.ambient)
    for share, (x, y, z) in ((light.directional, lamp), (light.headlight, -camera.axes[2])):
        facing = normals[..., 0] * x + normals[..., 1] * y + normals[..., 2] * z
        total += share * np.maximum(facing, 0.0)
    return total


def _half_spaces(camera: Camera) -> tuple[HalfSpace, ...]:
    """What lies beyond the near plane and at most `_GUARD_PX` beside the middle of the picture."""
    focal = camera.focal_px
    return (
        (0.0, 0.0, 1.0, -camera.near),
        (focal, 0.0, _GUARD_PX, 0.0),
        (-focal, 0.0, _GUARD_PX, 0.0),
        (0.0, focal, _GUARD_PX, 0.0),
        (0.0, -focal, _GUARD_PX, 0.0),
    )


def _set_up(mesh: Mesh, corners: Floats, faces: Ints, camera: Camera) -> Triangles:
    inverse = 1.0 / corners[:, :, 2]
    x = _snapped(camera.width_px / 2 + camera.focal_px * corners[:, :, 0] * inverse)
    y = _snapped(camera.height_px / 2 - camera.focal_px * corners[:, :, 1] * inverse)
    area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])
    bounds = np.column_stack([_covered(x, camera.width_px), _covered(y, camera.height_px)])
    kept = (area > 0) & (bounds[:, 0] <= bounds[:, 1]) & (bounds[:, 2] <= bounds[:, 3])
    x, y, area, inverse, faces = x[kept], y[kept], area[kept], inverse[kept], faces[kept]
    values = np.concatenate([np.ones((*x.shape, 1)), corners[kept, :, 3:]], axis=2)
    planes = _planes(x, y, area, values * inverse[:, :, None])
    return Triangles(
        bounds=bounds[kept],
        edges=_edges(x, y),
        planes=planes,
        layers=mesh.layers[faces],
        lods=_lods(planes),
        ids=mesh.ids[faces],
        faces=faces,
    )


def _snapped(places: Floats) -> Floats:
    return np.rint(places * SUBPIXELS)


def _covered(places: Floats, size_px: int) -> Ints:
    """The first and last pixel whose centre is between corners at `places` (n, 3) in subpixels."""
    half = SUBPIXELS // 2
    first = np.ceil((reduce(np.minimum, places.T) - half) / SUBPIXELS)
    last = np.floor((reduce(np.maximum, places.T) - half) / SUBPIXELS)
    return np.stack([np.maximum(first, 0), np.minimum(last, size_px - 1)], axis=1).astype(np.int32)


def _edges(x: Floats, y: Floats) -> Floats:
    """Edge functions of the pixel's column and row, lowered by 1 where an edge does not count."""
    x_from, y_from = np.roll(x, -1, axis=1), np.roll(y, -1, axis=1)
    x_to, y_to = np.roll(x, -2, axis=1), np.roll(y, -2, axis=1)
    a, b = y_from - y_to, x_to - x_from
    c = x_from * y_to - x_to * y_from + (a + b) * (SUBPIXELS // 2)
    left_or_top = (a > 0) | ((a == 0) & (b > 0))
    return np.stack([a * SUBPIXELS, b * SUBPIXELS, c - ~left_or_top], axis=2)


def _planes(x: Floats, y: Floats, area: Floats, values: Floats) -> Floats:
    """a, b, c with a * column + b * row + c = value at the corners; values (n, 3, k)."""
    (dx1, dx2), (dy1, dy2) = ((axis[:, 1] - axis[:, 0], axis[:, 2] - axis[:, 0]) for axis in (x, y))
    rise1, rise2 = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    per_area = (SUBPIXELS / area)[:, None]
    a = (rise1 * dy2[:, None] - rise2 * dy1[:, None]) * per_area
    b = (rise2 * dx1[:, None] - rise1 * dx2[:, None]) * per_area
    column, row = (axis[:, :1] / SUBPIXELS - 0.5 for axis in (x, y))
    return np.stack([a, b, values[:, 0] - a * column - b * row], axis=2)


def _lods(planes: Floats) -> Floats:
    """The mip level at depth 1 of a texture of one texel: half the log of texels per pixel.

    u = U / Q and v = V / Q with planes U, V, Q have the Jacobian |det(Q, U, V)| / Q**3, so the
    footprint of a pixel grows with depth to the power of 3 / 2.
    """
    footprint = np.abs(_triple(planes[:, 0], planes[:, 1], planes[:, 2]))
    return np.asarray(0.5 * log2(np.maximum(footprint, 1e-30)))


def _triple(a: Floats, b: Floats, c: Floats) -> Floats:
    """The scalar triple products a · (b x c) of vectors (n, 3)."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = a.T, b.T, c.T
    return np.asarray(
        ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    )


def log2(values: Floats) -> Floats:
    """A base-2 logarithm that is linear between powers of two: the bits of a float read as one.

    At most 0.09 too small, in exchange for the same bits on every processor.
    """
    return np.asarray(values.view(np.int64) * 2.0**-52 - 1023.0)
