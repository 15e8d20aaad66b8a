"""A mesh as a picture with the depth and the object of every pixel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyathlon.core.parts import Image
from polyathlon.media.raster.backends import Backend, kernels
from polyathlon.media.raster.camera import Camera
from polyathlon.media.raster.geometry import screen_triangles
from polyathlon.media.raster.look import DAYLIGHT, Background, Fog, Light
from polyathlon.media.raster.mesh import Ints, Mesh
from polyathlon.media.raster.shading import offsets, shading
from polyathlon.media.raster.textures import Textures

NO_TEXTURES = Textures.of(())


@dataclass(frozen=True, eq=False)
class Frame:
    """A drawn picture, `height_px` x `width_px`.

    `colour` (h, w, 3) uint8; `depth` (h, w) float32 along the viewing axis, infinite at the
    background; `ids` (h, w) int32, 0 at the background. Depth and id are those of the nearest
    face at the centre of the pixel, whatever the smoothing.
    """

    colour: NDArray[np.uint8]
    depth: NDArray[np.float32]
    ids: Ints

    @property
    def image(self) -> Image:
        """The colours as a picture to send or store."""
        height, width = self.ids.shape
        return Image(width, height, self.colour.tobytes())


def render(
    mesh: Mesh,
    camera: Camera,
    textures: Textures = NO_TEXTURES,
    *,
    light: Light = DAYLIGHT,
    fog: Fog | None = None,
    background: Background = (0, 0, 0),
    samples: int = 3,
    backend: Backend | None = None,
) -> Frame:
    """Draw `mesh` as `camera` sees it.

    Pixels on an edge are smoothed by `samples` x `samples` samples; 1 draws hard edges. Equal
    arguments give equal bytes on an equal back end; `backend` is chosen automatically if None.
    Raises ValueError for `samples` below 1 and for a face whose layer `textures` does not have.
    """
    if samples < 1:
        raise ValueError("samples must be at least 1")
    textures.check(mesh.layers)
    triangles = screen_triangles(mesh, camera, light)
    parameters = shading(camera, textures, fog, background)
    draw = kernels(backend)
    shape = end, _ = camera.height_px, camera.width_px
    nearness, owners = np.zeros(shape, np.float32), np.empty(shape, np.int32)
    colour = np.empty((*shape, 3), np.uint8)
    draw.find_owners(triangles, 0, end, nearness, owners)
    draw.shade(triangles, parameters, 0, end, owners, colour)
    if samples > 1:
        draw.smooth(triangles, offsets(samples), 0, end, owners, colour.copy(), colour)
    draw.renumber(triangles.ids, 0, owners)
    with np.errstate(divide="ignore"):
        depth = np.reciprocal(nearness, out=nearness)
    return Frame(colour, depth, owners)
