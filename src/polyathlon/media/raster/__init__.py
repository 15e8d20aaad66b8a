"""3-D pictures on the CPU: meshes, a camera, light, fog, and the object at every pixel.

    from polyathlon.media.raster import Camera, Fog, Material, Textures, box, merged, pick, quad
    from polyathlon.media.raster import render, sphere, surfaces

    textures = Textures.of([surfaces.brick(), surfaces.stone()])  # layers 0 and 1
    wall = quad(((0, 0, 3), (4, 0, 3), (4, 2, 3), (0, 2, 3)), Material(layer=0), 1, repeat=(4, 2))
    floor = quad(((0, 0, 5), (9, 0, 5), (9, 0, 0), (0, 0, 0)), Material(layer=1), 2, repeat=(9, 5))
    ball = sphere(0.4, Material((220, 60, 50))).moved(2, 0.5, 2).labelled(3)
    mesh = merged([wall.turned(yaw_deg=180).moved(4, 0, 6), floor, ball])

    camera = Camera((0.5, 1.0, 1.0), yaw_deg=30, fov_deg=60, width_px=640, height_px=480)
    fog = Fog((20, 22, 28), density=0.25)
    frame = render(mesh, camera, textures, fog=fog, background=fog.colour)
    frame.image                        # core.parts.Image, to send
    frame.ids, frame.depth             # exact at every pixel's centre
    hit = pick(mesh, camera, 320, 240) # object, face, point, distance; None at the background
    camera.project([(2, 0.5, 2)])      # where a point of the world is in the picture

The world is right-handed with y up; yaw 0 looks along +x and turns clockwise seen from above, so
that x and z are the columns and rows of a map and +yaw is a turn to the right. A face is seen from
the side from which its corners run counter-clockwise.
"""

from polyathlon.media.raster import surfaces
from polyathlon.media.raster.backends import Backend, default_backend
from polyathlon.media.raster.camera import Camera
from polyathlon.media.raster.look import Fog, Gradient, Light
from polyathlon.media.raster.mesh import Material, Mesh, merged
from polyathlon.media.raster.pick import Hit, pick
from polyathlon.media.raster.primitives import (
    box,
    cylinder,
    frustum,
    prism,
    quad,
    sphere,
    tube,
)
from polyathlon.media.raster.redraw import Picture, Setting, draw, redraw
from polyathlon.media.raster.render import Frame, render
from polyathlon.media.raster.textures import Textures

__all__ = [
    "Backend",
    "Camera",
    "Fog",
    "Frame",
    "Gradient",
    "Hit",
    "Light",
    "Material",
    "Mesh",
    "Picture",
    "Setting",
    "Textures",
    "box",
    "cylinder",
    "default_backend",
    "draw",
    "frustum",
    "merged",
    "pick",
    "prism",
    "quad",
    "redraw",
    "render",
    "sphere",
    "surfaces",
    "tube",
]
