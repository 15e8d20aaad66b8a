"""The room: a table before a wall, things on it that have nothing to do with the bomb, the light.

A desk clock that stands still, a folder and a mug make the room alive and an inattentive player
read the wrong clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from polyathlon.envs.gptnt.bomb.looks import atlas, kit
from polyathlon.envs.gptnt.bomb.looks.palette import INK, RUBBER, Rgb
from polyathlon.media.raster import Light, Material, Mesh, box, cylinder, merged
from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.mesh import Point

CLOCK_READS = "10:52"

LIGHT = Light(ambient=0.5, directional=0.36, headlight=0.28, direction=(-0.5, 1.0, 0.8))
DARK = Light(ambient=0.014, directional=0.008, headlight=0.0, direction=LIGHT.direction)
BACKGROUND: Rgb = (92, 98, 104)
NIGHT: Rgb = (6, 6, 8)

_TABLE_Y, _WALL_Z = -3.0, -7.0
_FIELDS = 8
_FOLDER: Rgb = (118, 62, 158)
_PAPER: Rgb = (240, 238, 230)
_MUG: Rgb = (224, 220, 208)


def unpowered(scene: Mesh) -> Mesh:
    """A scene in which no lamp shines."""
    return replace(scene, unlit=np.zeros_like(scene.unlit))


@lru_cache(maxsize=2)
def room(props: bool) -> Mesh:
    """Table and wall, with or without the things on the table."""
    return merged([*(_props() if props else ()), _table(), _wall()])


def _table() -> Mesh:
    """Planks, darker where the bomb keeps the light off them."""
    y, far, near, wide = _TABLE_Y, _WALL_Z, 6.0, 14.0
    corners = ((-wide, y, near), (wide, y, near), (wide, y, far), (-wide, y, far))
    planks = _sheet(corners, Material((206, 196, 186), atlas.WOOD), (4.0, 1.8))
    x, _, z = planks.vertices.T
    return _shaded(planks, 1 - 0.55 * np.exp(-((x / 3.6) ** 2) - (z / 2.6) ** 2))


def _wall() -> Mesh:
    """Plaster, brightest behind the bomb."""
    low, high, wide, z = _TABLE_Y, 9.0, 16.0, _WALL_Z
    corners = ((-wide, low, z), (wide, low, z), (wide, high, z), (-wide, high, z))
    plaster = _sheet(corners, Material((198, 188, 168), atlas.PLASTER), (3.0, 1.2))
    x, y, _ = plaster.vertices.T
    return _shaded(plaster, 0.55 + 0.5 * np.exp(-((x / 9) ** 2) - ((y - 3) / 5) ** 2))


def _sheet(corners: Sequence[Point], look: Material, repeat: tuple[float, float]) -> Mesh:
    """A parallelogram in `_FIELDS` x `_FIELDS` pieces, for a shade of its own in each corner."""
    one, right, _, up = (np.asarray(corner) for corner in corners)
    shares = np.linspace(0.0, 1.0, _FIELDS + 1)
    u, v = (grid.ravel()[:, None] for grid in np.meshgrid(shares, shares))
    points = one + u * (right - one) + v * (up - one)
    uv = np.hstack([u * repeat[0], (1 - v) * repeat[1]])
    first = (np.arange(_FIELDS)[:, None] * (_FIELDS + 1) + np.arange(_FIELDS)).ravel()
    above = first + _FIELDS + 1
    faces = np.concatenate(
        [np.stack([first, first + 1, above + 1], 1), np.stack([first, above + 1, above], 1)]
    )
    normal = np.cross(right - one, up - one)
    normals = np.tile(normal / np.sqrt((normal**2).sum()), (len(points), 1))
    return Mesh.of(points, faces, normals, uv, look)


def _shaded(sheet: Mesh, shade: Floats) -> Mesh:
    """A mesh darkened at every vertex."""
    return replace(sheet, colours=sheet.colours * shade[:, None])


def _props() -> list[Mesh]:
    return [
        _clock().scaled(0.68).turned(yaw_deg=-10).moved(-3.15, _TABLE_Y, 0.35),
        _folder().turned(yaw_deg=18).moved(4.0, _TABLE_Y, -0.6),
        _mug().moved(5.6, _TABLE_Y, -4.2),
    ]


def _clock() -> Mesh:
    """A black desk clock with green figures."""
    figures = kit.seven_segments(CLOCK_READS, 0.5, "green").moved(0, 0.55, 0.402)
    case = box((2.1, 0.95, 0.8), kit.matt(INK)).moved(y=0.55)
    foot = box((1.8, 0.1, 0.7), kit.matt(RUBBER)).moved(y=0.05)
    return merged([figures, case, foot])


def _folder() -> Mesh:
    """A purple folder with sheets in it."""
    cover = box((2.2, 0.06, 2.9), kit.matt(_FOLDER))
    sheets = box((2.0, 0.12, 2.7), kit.matt(_PAPER)).moved(y=0.09)
    label = box((1.1, 0.01, 0.5), kit.matt(_PAPER)).moved(0, 0.215, -0.6)
    return merged([label, cover.moved(y=0.18), sheets, cover.moved(y=0.03)])


def _mug() -> Mesh:
    """A mug with a handle."""
    body = cylinder(0.42, 1.0, kit.matt(_MUG), sides=18).turned(roll_deg=-90)
    tea = cylinder(0.36, 0.01, kit.matt((74, 48, 34)), sides=18).turned(roll_deg=-90)
    bend = np.linspace(-1.3, 1.3, 9)
    path = tuple((0.38 + 0.3 * float(np.cos(a)), 0.5 + 0.3 * float(np.sin(a)), 0.0) for a in bend)
    return merged([tea.moved(y=1.0), body, kit.wire(path, 0.07, _MUG)])
