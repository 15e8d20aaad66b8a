"""Shapes to build models of: quads, boxes, cylinders, spheres, prisms, tubes.

Every shape takes a `Material` and an object id. Flat sides have their own vertices and so a
sharp edge; round ones share smooth normals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from polyathlon.media.raster.camera import Floats, Point
from polyathlon.media.raster.mesh import PLAIN, Material, Mesh, merged


def quad(
    corners: Sequence[Point],
    material: Material = PLAIN,
    object_id: int = 0,
    repeat: tuple[float, float] = (1.0, 1.0),
) -> Mesh:
    """A flat parallelogram, its texture repeated `repeat` times across and down.

    `corners` are the bottom left, bottom right, top right and top left seen from the front.
    """
    across, down = repeat
    points = np.asarray(corners, np.float64)
    normal = _unit(np.cross(points[1] - points[0], points[3] - points[0]))
    uv = ((0, down), (across, down), (across, 0), (0, 0))
    return Mesh.of(points, ((0, 1, 2), (0, 2, 3)), [normal] * 4, uv, material, object_id)


def box(
    size: Point,
    material: Material = PLAIN,
    object_id: int = 0,
    front: Material | None = None,
) -> Mesh:
    """A box about the origin, `size` along x, y and z; every side shows the whole texture.

    `front` is the material of the side that looks along +z, if it differs.
    """
    x, y, z = (length / 2 for length in size)
    sides = (
        ((-x, -y, z), (x, -y, z), (x, y, z), (-x, y, z)),
        ((x, -y, -z), (-x, -y, -z), (-x, y, -z), (x, y, -z)),
        ((x, -y, z), (x, -y, -z), (x, y, -z), (x, y, z)),
        ((-x, -y, -z), (-x, -y, z), (-x, y, z), (-x, y, -z)),
        ((-x, y, z), (x, y, z), (x, y, -z), (-x, y, -z)),
        ((-x, -y, -z), (x, -y, -z), (x, -y, z), (-x, -y, z)),
    )
    materials = (front or material, *[material] * 5)
    return merged(quad(side, look, object_id) for side, look in zip(sides, materials, strict=True))


def prism(
    outline: Sequence[tuple[float, float]],
    depth: float,
    material: Material = PLAIN,
    object_id: int = 0,
    front: Material | None = None,
) -> Mesh:
    """A convex polygon in x and y, counter-clockwise, extruded from z = 0 to z = `depth`.

    The front (at z = `depth`, of material `front`) and the back show the texture over their
    bounding square.
    """
    shape = np.asarray(outline, np.float64)
    top = _cap(shape, depth, front or material, object_id)
    bottom = _cap(shape[::-1], 0.0, material, object_id, normal_z=-1.0)
    walls = [
        quad(((*a, 0.0), (*b, 0.0), (*b, depth), (*a, depth)), material, object_id)
        for a, b in zip(outline, [*outline[1:], outline[0]], strict=True)
    ]
    return merged([top, bottom, *walls])


def cylinder(
    radius: float,
    depth: float,
    material: Material = PLAIN,
    object_id: int = 0,
    sides: int = 24,
    front: Material | None = None,
) -> Mesh:
    """A round bar about the z axis, from z = 0 to z = `depth`, its front facing +z."""
    return frustum(radius, radius, depth, material, object_id, sides, front)


def frustum(
    base_radius: float,
    front_radius: float,
    depth: float,
    material: Material = PLAIN,
    object_id: int = 0,
    sides: int = 24,
    front: Material | None = None,
) -> Mesh:
    """A cone about the z axis cut at z = `depth`; a `front_radius` of 0 makes it pointed."""
    ring = _circle(sides + 1)
    slope = (base_radius - front_radius) / depth
    lower = np.column_stack([ring * base_radius, np.zeros(sides + 1)])
    upper = np.column_stack([ring * front_radius, np.full(sides + 1, depth)])
    normal = np.column_stack([ring, np.full(sides + 1, slope)]) / math.hypot(1.0, slope)
    mantle = _sheet(np.stack([lower, upper]), np.stack([normal, normal]), material, object_id)
    caps = [
        _cap(ring[:-1][::turn] * radius, z, look, object_id, normal_z)
        for radius, z, look, normal_z, turn in (
            (front_radius, depth, front or material, 1.0, 1),
            (base_radius, 0.0, material, -1.0, -1),
        )
        if radius > 0
    ]
    return merged([mantle, *caps])


def sphere(
    radius: float,
    material: Material = PLAIN,
    object_id: int = 0,
    rings: int = 12,
    sides: int = 24,
) -> Mesh:
    """A ball about the origin, its poles on the y axis, the texture wrapped once around."""
    tilt = np.linspace(-math.pi / 2, math.pi / 2, rings + 1)[:, None]
    ring = _circle(sides + 1)
    normals = np.stack(
        np.broadcast_arrays(np.cos(tilt) * ring[:, 0], np.sin(tilt), -np.cos(tilt) * ring[:, 1]),
        axis=2,
    )
    return _sheet(normals * radius, normals, material, object_id)


def tube(
    path: Sequence[Point],
    radius: float,
    material: Material = PLAIN,
    object_id: int = 0,
    sides: int = 8,
) -> Mesh:
    """A round wire along `path`, open at both ends."""
    points = np.asarray(path, np.float64)
    along = _units(np.gradient(points, axis=0))
    aside = np.eye(3)[np.abs(along).mean(axis=0).argmin()]
    first = _units(np.cross(along, aside))
    second = np.cross(along, first)
    ring = _circle(sides + 1)[None, :, :, None]
    normals = ring[:, :, 0] * first[:, None] + ring[:, :, 1] * second[:, None]
    return _sheet(points[:, None] + radius * normals, normals, material, object_id)


def _circle(count: int) -> Floats:
    """`count` points once around the unit circle, the last on the first."""
    angles = np.linspace(0.0, 2 * math.pi, count)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    ring[-1] = ring[0]
    return ring


def _sheet(rows: Floats, normals: Floats, material: Material, object_id: int) -> Mesh:
    """A grid of points (rows, columns, 3) as a smooth surface.

    Seen from the front, columns run to the right and rows upwards.
    """
    height, width = rows.shape[:2]
    corner = (np.arange(height - 1)[:, None] * width + np.arange(width - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + width + 1])
    upper = np.column_stack([corner, corner + width + 1, corner + width])
    u, v = np.meshgrid(np.linspace(0, 1, width), np.linspace(1, 0, height))
    uv = np.stack([u, v], axis=2)
    return Mesh.of(rows, np.concatenate([lower, upper]), normals, uv, material, object_id)


def _cap(
    outline: Floats, z: float, material: Material, object_id: int, normal_z: float = 1.0
) -> Mesh:
    """A convex polygon at height `z`, its corners counter-clockwise seen from its front."""
    count = len(outline)
    low = outline.min(axis=0)
    place = (outline - low) / (outline.max(axis=0) - low).max()
    mirrored = 1.0 - place[:, 0] if normal_z < 0 else place[:, 0]
    uv = np.column_stack([mirrored, 1.0 - place[:, 1]])
    fan = [(0, i, i + 1) for i in range(1, count - 1)]
    points = np.column_stack([outline, np.full(count, z)])
    return Mesh.of(points, fan, [(0.0, 0.0, normal_z)] * count, uv, material, object_id)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / math.sqrt(float((vector * vector).sum())))


def _units(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.sqrt((vectors * vectors).sum(axis=1, keepdims=True)))
