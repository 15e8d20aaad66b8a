"""Which object is at a pixel, found without drawing a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyathlon.media.raster.camera import Camera, Point
from polyathlon.media.raster.geometry import screen_triangles
from polyathlon.media.raster.look import DAYLIGHT
from polyathlon.media.raster.mesh import Mesh
from polyathlon.media.raster.numpy_kernels import plane_at


@dataclass(frozen=True)
class Hit:
    """What is seen at a pixel: object, face of the mesh, the point in the world, its distance."""

    object_id: int
    face: int
    point: Point
    distance: float


def pick(mesh: Mesh, camera: Camera, column: int, row: int) -> Hit | None:
    """The nearest face at the centre of a pixel, or None at the background.

    Decides as `render` does, so the object is that of `Frame.ids[row, column]`. Raises
    ValueError for a pixel outside the picture.
    """
    if not (0 <= column < camera.width_px and 0 <= row < camera.height_px):
        raise ValueError(f"pixel ({column}, {row}) is outside the picture")
    triangles = screen_triangles(mesh, camera, DAYLIGHT)
    edges, planes = triangles.edges, triangles.planes[:, 0]
    covering = np.flatnonzero((plane_at(edges, column, row) >= 0).all(axis=1))
    if not covering.size:
        return None
    near = plane_at(planes[covering], column, row).astype(np.float32)
    nearest = covering[near.argmax()]
    ray = camera.ray(column + 0.5, row + 0.5)
    depth = 1.0 / float(near.max())
    distance = depth / float(ray @ camera.axes[2])
    x, y, z = (float(a + distance * b) for a, b in zip(camera.position, ray, strict=True))
    return Hit(int(triangles.ids[nearest]), int(triangles.faces[nearest]), (x, y, z), distance)
