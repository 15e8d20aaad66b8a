"""Rotations between the frames of a slot's face, the bomb's body and the screen.

A rotation is three rows (a, b, c), to be multiplied with the coordinates it turns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from polyathlon.envs.gptnt.bomb.poses import NORMALS, UPRIGHT, Pose, Side
from polyathlon.media.raster import Mesh
from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.mesh import Point

Rows: TypeAlias = tuple[Point, Point, Point]

HALF_SIZE: Mapping[Side, float] = MappingProxyType(
    {"left": 3.0, "right": 3.0, "top": 2.0, "bottom": 2.0, "front": 1.0, "back": 1.0}
)
"""How far every side of the bomb is from its middle."""


def transposed(rows: Rows) -> Rows:
    """The inverse rotation."""
    x, y, z = zip(*rows, strict=True)
    return x, y, z


def product(first: Rows, second: Rows) -> Rows:
    """The rotation by `second`, then by `first`."""
    x, y, z = (turned(first, column) for column in transposed(second))
    return transposed((x, y, z))


def turned(rows: Rows, point: Point) -> Point:
    """A point after a rotation."""
    x, y, z = (a * point[0] + b * point[1] + c * point[2] for a, b, c in rows)
    return x, y, z


def mesh_turned(rows: Rows, mesh: Mesh) -> Mesh:
    """A mesh after a rotation."""
    return replace(mesh, vertices=_all(rows, mesh.vertices), normals=_all(rows, mesh.normals))


def _all(rows: Rows, points: Floats) -> Floats:
    x, y, z = points.T
    return np.stack([a * x + b * y + c * z for a, b, c in rows], axis=1)


def from_side(side: Side) -> Rows:
    """From a side's own frame (x right and y up as it is looked at upright, z outwards), whose
    origin is the bomb's middle, to the body."""
    return transposed(Pose(side, UPRIGHT[side]).matrix)


def looks_at(side: Side, rows: Rows, eye: Point) -> bool:
    """Whether an eye at that place on the screen sees a side of the bomb turned by `rows`."""
    normal = turned(rows, NORMALS[side])
    return sum(a * b for a, b in zip(normal, eye, strict=True)) > HALF_SIZE[side]


def between(start: Rows, end: Rows, share: float) -> Rows:
    """The rotation that is `share` (0 to 1) of the shortest way from `start` to `end`."""
    if share >= 1:
        return end
    way = product(end, transposed(start))
    cosine = (way[0][0] + way[1][1] + way[2][2] - 1) / 2
    angle = math.acos(max(-1.0, min(1.0, cosine)))
    return product(_about(_axis(way), share * angle), start)


def _axis(way: Rows) -> Point:
    """The unit vector along which a rotation changes nothing."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = way
    axis = (zy - yz, xz - zx, yx - xy)
    if not any(axis):  # no turn, or a half one: every row of `way` + 1 lies along its axis
        rows = ((xx + 1, xy, xz), (yx, yy + 1, yz), (zx, zy, zz + 1))
        axis = max(rows, key=lambda row: math.hypot(*row))
    length = math.hypot(*axis)
    return axis[0] / length, axis[1] / length, axis[2] / length


def _about(axis: Point, angle: float) -> Rows:
    """The rotation by an angle about a unit vector (Rodrigues' formula)."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    t = 1 - c
    return (
        (t * x * x + c, t * x * y - s * z, t * x * z + s * y),
        (t * x * y + s * z, t * y * y + c, t * y * z - s * x),
        (t * x * z - s * y, t * y * z + s * x, t * z * z + c),
    )
