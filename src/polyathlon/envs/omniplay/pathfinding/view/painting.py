"""The picture: the maze through the player's eyes, with what lies over it."""

from __future__ import annotations

import math
from functools import cache

from polyathlon.core.parts import Image
from polyathlon.envs.omniplay.pathfinding.maze import EYE_M, METRE, SLOPE
from polyathlon.envs.omniplay.pathfinding.moves import VIEW_PX
from polyathlon.envs.omniplay.pathfinding.view import hud
from polyathlon.envs.omniplay.pathfinding.view.model import maze_mesh
from polyathlon.envs.omniplay.pathfinding.view.scene import Scene, last_words
from polyathlon.media.raster import Camera, Fog, Light, Textures, render, surfaces

WIDTH_PX, HEIGHT_PX = VIEW_PX
FIELD_UP_DEG = 2 * math.degrees(math.atan(SLOPE * HEIGHT_PX / WIDTH_PX))
FOG = Fog((34, 38, 54), density=0.2, start=0.8)
LIGHT = Light(ambient=0.72, directional=0.28, headlight=0.3, direction=(0.5, 1.0, 0.3))
MARGIN_PX = 14


def painted(scene: Scene) -> Image:
    """The scene as a picture of 640x480."""
    x, y = scene.position
    camera = Camera(
        (x / METRE, EYE_M, y / METRE),
        yaw_deg=scene.heading_deg,
        fov_deg=FIELD_UP_DEG,
        width_px=WIDTH_PX,
        height_px=HEIGHT_PX,
    )
    frame = render(
        maze_mesh(scene.rows), camera, _textures(), light=LIGHT, fog=FOG, background=FOG.colour
    )
    _lay_over(frame.colour, scene)
    return frame.image


def _lay_over(paper: hud.Pixels, scene: Scene) -> None:
    chart = hud.mini_map(scene.mini_map(), scene.position, scene.heading_deg)
    height, width = chart.shape[:2]
    right = WIDTH_PX - MARGIN_PX
    paper[MARGIN_PX : MARGIN_PX + height, right - width : right] = chart
    if scene.arrow is not None:
        left = (WIDTH_PX - hud.ARROW_PX) // 2
        hud.laid(paper, hud.arrow(scene.arrow), left, HEIGHT_PX - hud.ARROW_PX - MARGIN_PX)
    if scene.last is not None:
        line = hud.caption(last_words(scene.last))
        hud.laid(paper, line, MARGIN_PX, MARGIN_PX)


@cache
def _textures() -> Textures:
    """The layers that `model` names, in its order."""
    return Textures.of(
        [
            surfaces.brick((186, 112, 84), (150, 140, 128), columns=3, courses=8),
            surfaces.stone((150, 150, 146)),
            surfaces.wood((122, 92, 64)),
        ]
    )
