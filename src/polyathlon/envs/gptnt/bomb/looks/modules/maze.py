"""Maze: a board of dots with the light, the triangle and the two markers, between arrows."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.modules.maze import ARROWS, MazeModule, Wall
from polyathlon.envs.gptnt.bomb.rulebook.book import Cell
from polyathlon.envs.gptnt.bomb.rulebook.maze import CELLS, SIZE, Maze
from polyathlon.media.raster import Material, Mesh, merged

PARTS = ARROWS

_X, _Y, _STEP, _SIZE, _GLASS = -0.02, -0.02, 0.178, 1.12, 0.05
_ARROW, _ARROW_OFF = 0.21, 0.745
_KEYS = ((0, 0, 1), (1, -1, 0), (3, 1, 0), (2, 0, -1))
"""Quarter turns of each arrow's triangle, and where it lies to the right and above."""
_DOT = Material((112, 132, 164), unlit=True)


def mesh(module: MazeModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    return _drawn(module.puzzle, module.position, module.revealed)


@lru_cache(maxsize=128)
def _drawn(puzzle: Maze, position: Cell, revealed: tuple[Wall, ...]) -> Mesh:
    light = shapes.disc(0.056, 0.0, kit.glow("white"), sides=12)
    goal = shapes.arrow(0.07, 0.0, 0, kit.glow("red"))
    return merged(
        [
            _at(light, position, 3),
            _at(goal, puzzle.goal, 2),
            *(_wall(wall) for wall in revealed),
            _board(puzzle.markers),
        ]
    )


def _at(figure: Mesh, cell: tuple[float, float], layer: int = 1) -> Mesh:
    """A figure at a cell, above those of lower layers."""
    row, column = (place - (SIZE - 1) / 2 for place in cell)
    z = kit.SURFACE + _GLASS + layer * kit.LIFT
    return figure.moved(_X + column * _STEP, _Y - row * _STEP, z)


def _wall(wall: Wall) -> Mesh:
    """A bar of light between two cells."""
    (row, column), (other_row, other_column) = wall
    upright = row == other_row
    size = (0.03, _STEP) if upright else (_STEP, 0.03)
    middle = (row + other_row) / 2, (column + other_column) / 2
    return _at(shapes.rectangle(*size, kit.glow("orange")), middle)


@lru_cache(maxsize=32)
def _board(markers: tuple[Cell, Cell]) -> Mesh:
    """What never moves: arrows, screen, dots and markers."""
    keys = [
        shapes.arrow_key(_ARROW, _ARROW, quarters)
        .labelled(number)
        .moved(_X + right * _ARROW_OFF, _Y + up * _ARROW_OFF, kit.SURFACE)
        for number, (quarters, right, up) in enumerate(_KEYS, 1)
    ]
    dot = shapes.rectangle(0.04, 0.04, _DOT)
    ring = shapes.ring(0.078, 0.022, 0.0, kit.glow("green"))
    screen = kit.screen(_SIZE, _SIZE, _GLASS).moved(_X, _Y, kit.SURFACE)
    dots = [_at(dot, cell) for cell in CELLS]
    return merged([*keys, *(_at(ring, marker) for marker in markers), *dots, screen])
