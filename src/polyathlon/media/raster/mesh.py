"""Triangle meshes: immutable arrays that merge, move, turn and scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyathlon.media.raster.camera import Floats, Point

Ints: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]

NO_TEXTURE = -1


@dataclass(frozen=True)
class Material:
    """How a face looks.

    `colour` (red, green, blue in 0..255) multiplies the texture `layer`, if there is one. An
    `unlit` face ignores light and shows its colour as it is (fog still covers it). A face shows
    its front only, unless it is `two_sided`.
    """

    colour: tuple[int, int, int] = (255, 255, 255)
    layer: int = NO_TEXTURE
    unlit: bool = False
    two_sided: bool = False


PLAIN = Material()


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with what is needed to draw them; the arrays must not be written to.

    Of V vertices: `vertices` (V, 3), unit `normals` (V, 3), `colours` (V, 3) in 0..1 and texture
    places `uv` (V, 2), where (0, 0) is a texture's top left, (1, 1) its bottom right, and it
    repeats beyond. Of F faces: `faces` (F, 3) vertex numbers, counter-clockwise seen from the
    front, texture `layers` (F,), object `ids` (F,) (0 is the background's), `unlit` (F,) and
    `two_sided` (F,).
    """

    vertices: Floats
    normals: Floats
    colours: Floats
    uv: Floats
    faces: Ints
    layers: Ints
    ids: Ints
    unlit: Flags
    two_sided: Flags

    @classmethod
    def of(
        cls,
        vertices: ArrayLike,
        faces: ArrayLike,
        normals: ArrayLike,
        uv: ArrayLike,
        material: Material = PLAIN,
        object_id: int = 0,
    ) -> Mesh:
        """A mesh of one material and one object."""
        points = np.asarray(vertices, np.float64).reshape(-1, 3)
        triangles = np.asarray(faces, np.int32).reshape(-1, 3)
        count = len(triangles)
        colour = np.asarray(material.colour, np.float64) / 255
        return cls(
            points,
            np.asarray(normals, np.float64).reshape(-1, 3),
            np.tile(colour, (len(points), 1)),
            np.asarray(uv, np.float64).reshape(-1, 2),
            triangles,
            np.full(count, material.layer, np.int32),
            np.full(count, object_id, np.int32),
            np.full(count, material.unlit),
            np.full(count, material.two_sided),
        )

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """The mesh shifted."""
        return replace(self, vertices=self.vertices + np.array([x, y, z]))

    def scaled(self, x: float, y: float | None = None, z: float | None = None) -> Mesh:
        """The mesh scaled about the origin, alike in all directions if only `x` is given.

        Factors must be positive: a mirrored mesh would show its back.
        """
        factors = np.array([x, x if y is None else y, x if z is None else z])
        if factors.min() <= 0:
            raise ValueError("a mesh is scaled by positive factors")
        normals = _units(self.normals / factors)
        return replace(self, vertices=self.vertices * factors, normals=normals)

    def turned(self, yaw_deg: float = 0.0, pitch_deg: float = 0.0, roll_deg: float = 0.0) -> Mesh:
        """The mesh turned about the origin: roll about x, then pitch about z, then yaw about y.

        As a camera's, yaw is clockwise seen from above, and pitch lifts what lies along +x.
        """
        matrix = _turn(yaw_deg, pitch_deg, roll_deg)
        return replace(
            self,
            vertices=_multiplied(self.vertices, matrix),
            normals=_multiplied(self.normals, matrix),
        )

    def labelled(self, object_id: int) -> Mesh:
        """The mesh as one object."""
        return replace(self, ids=np.full(len(self.faces), object_id, np.int32))

    def painted(self, colour: tuple[int, int, int]) -> Mesh:
        """The mesh in another colour, red, green, blue in 0..255."""
        return replace(self, colours=np.tile(np.asarray(colour) / 255, (len(self.vertices), 1)))


def merged(meshes: Iterable[Mesh]) -> Mesh:
    """All meshes as one; of faces in the same place the earliest is seen."""
    parts = list(meshes)
    if not parts:
        return Mesh.of((), (), (), ())
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Mesh)
    }
    sizes = [len(part.faces) for part in parts]
    joined["faces"] = joined["faces"] + np.repeat(starts, sizes).astype(np.int32)[:, None]
    return Mesh(**joined)


def _turn(yaw_deg: float, pitch_deg: float, roll_deg: float) -> Floats:
    (cy, sy), (cp, sp), (cr, sr) = (
        (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
        for angle in (yaw_deg, pitch_deg, roll_deg)
    )
    yaw = np.array([[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]])
    pitch = np.array([[cp, -sp, 0], [sp, cp, 0], [0, 0, 1]])
    roll = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    return _multiplied(_multiplied(roll.T, pitch), yaw).T


def _multiplied(points: Floats, matrix: Floats) -> Floats:
    return np.stack(
        [points[:, 0] * a + points[:, 1] * b + points[:, 2] * c for a, b, c in matrix], 1
    )


def _units(vectors: Floats) -> Floats:
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return np.asarray(vectors / np.maximum(lengths, 1e-12))


__all__ = ["NO_TEXTURE", "PLAIN", "Flags", "Ints", "Material", "Mesh", "Point", "merged"]
