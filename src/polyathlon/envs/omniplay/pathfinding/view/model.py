"""The maze as a mesh: textured walls, floor and ceiling, and the beacon."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from polyathlon.envs.omniplay.pathfinding.maze import (
    NEIGHBOURS,
    WALL,
    Cell,
    Rows,
    open_cells,
    target_cell,
)
from polyathlon.media.raster import Material, Mesh, frustum, merged, quad, tube

BRICK, SLABS, PLANKS = range(3)
WALL_TINTS = ((236, 214, 196), (214, 226, 232))
FLOOR = Material((206, 204, 196), SLABS)
CEILING = Material((150, 156, 172), PLANKS)
PEDESTAL = Material((96, 92, 120))
GOLD = Material((255, 200, 84), unlit=True)
CRYSTAL_LIGHT = Material((110, 255, 236))
BEACON_ID = 2
RING_SIDES = 24


@lru_cache(maxsize=32)
def maze_mesh(rows: Rows) -> Mesh:
    """The maze in metres: x to the right of the map, z down the map, y up."""
    faces = [face for cell in open_cells(rows) for face in _cell_faces(rows, cell)]
    x, y = target_cell(rows)
    return merged([*faces, _beacon().moved(x + 0.5, 0.0, y + 0.5)])


def _cell_faces(rows: Rows, cell: Cell) -> Iterator[Mesh]:
    x, z = cell
    yield quad(((x, 0, z + 1), (x + 1, 0, z + 1), (x + 1, 0, z), (x, 0, z)), FLOOR)
    yield quad(((x, 1, z), (x + 1, 1, z), (x + 1, 1, z + 1), (x, 1, z + 1)), CEILING)
    for dx, dz in NEIGHBOURS:
        if rows[z + dz][x + dx] == WALL:
            material = Material(WALL_TINTS[dz != 0], BRICK)
            yield quad(_wall(x + 0.5, z + 0.5, dx / 2, dz / 2), material, 1)


def _wall(x: float, z: float, dx: float, dz: float) -> tuple[tuple[float, float, float], ...]:
    """The corners of the wall on one side of the cell about (x, z), seen from inside it."""
    x1, z1 = x + dx + dz, z + dz - dx
    x2, z2 = x + dx - dz, z + dz + dx
    return (x1, 0, z1), (x2, 0, z2), (x2, 1, z2), (x1, 1, z1)


@lru_cache(maxsize=1)
def _beacon() -> Mesh:
    """A crystal that floats over a pedestal between two golden rings."""
    base = frustum(0.2, 0.12, 0.16, PEDESTAL, sides=8).turned(roll_deg=-90)
    upper = frustum(0.13, 0.0, 0.26, CRYSTAL_LIGHT, sides=6).turned(roll_deg=-90).moved(y=0.5)
    lower = frustum(0.13, 0.0, 0.22, CRYSTAL_LIGHT, sides=6).turned(roll_deg=90).moved(y=0.5)
    rings = _ring(0.2).moved(y=0.32), _ring(0.14).moved(y=0.7)
    return merged([base, upper, lower, *rings]).labelled(BEACON_ID)


def _ring(radius: float) -> Mesh:
    angles = np.linspace(0.0, 2 * np.pi, RING_SIDES + 1)
    path = [(radius * np.cos(a), 0.0, radius * np.sin(a)) for a in angles]
    return tube(path, 0.014, GOLD, sides=6)
