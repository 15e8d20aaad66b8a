"""Maze: walk from the light to the triangle between walls that only the manual shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import Cell, MazeMap, MazeRules

Direction: TypeAlias = Literal["up", "down", "left", "right"]

SIZE = 6
STEPS: dict[Direction, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
CELLS: tuple[Cell, ...] = tuple((row, column) for row in range(SIZE) for column in range(SIZE))
_CLOSEST = 2


class Maze(Struct, frozen=True):
    """The two marker cells that identify the maze, the light's first cell and the triangle's."""

    markers: tuple[Cell, Cell]
    start: Cell
    goal: Cell


def draw(rules: MazeRules, rng: Stream) -> Maze:
    """A random maze; start and goal are at least two rows or two columns apart."""
    start = rng.choice(CELLS)
    far = [cell for cell in CELLS if _chebyshev(start, cell) >= _CLOSEST]
    return Maze(rng.choice(rules.mazes).markers, start, rng.choice(far))


def find(rules: MazeRules, markers: Iterable[Cell]) -> MazeMap:
    """The maze with these two markers, in any order."""
    wanted = set(markers)
    return next(maze for maze in rules.mazes if set(maze.markers) == wanted)


def step(cell: Cell, direction: Direction) -> Cell:
    """The neighbouring cell, which may lie outside the maze."""
    rows, columns = STEPS[direction]
    return cell[0] + rows, cell[1] + columns


def inside(cell: Cell) -> bool:
    """Whether the cell belongs to the maze."""
    return 0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE


def blocked(maze: MazeMap, cell: Cell, direction: Direction) -> bool:
    """Whether a wall or the border stands on that side of the cell."""
    neighbour = step(cell, direction)
    if not inside(neighbour):
        return True
    row, column = min(cell, neighbour)
    walls = maze.below if direction in ("up", "down") else maze.right
    return walls[row][column] == "1"


def path(maze: MazeMap, start: Cell, goal: Cell) -> tuple[Direction, ...]:
    """The shortest way from start to goal; empty if they are the same cell."""
    ways: dict[Cell, tuple[Direction, ...]] = {start: ()}
    queue = deque([start])
    while goal not in ways:
        cell = queue.popleft()
        for direction in STEPS:
            neighbour = step(cell, direction)
            if neighbour not in ways and not blocked(maze, cell, direction):
                ways[neighbour] = (*ways[cell], direction)
                queue.append(neighbour)
    return ways[goal]


def _chebyshev(one: Cell, other: Cell) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
