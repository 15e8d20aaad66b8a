"""The maze module: steer the light to the triangle between invisible walls."""

from __future__ import annotations

from typing import TypeAlias, cast

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment
from polyathlon.envs.gptnt.bomb.rulebook.book import Cell, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.maze import Direction, Maze, blocked, find, inside, step

Wall: TypeAlias = tuple[Cell, Cell]
"""The two cells a wall stands between, in order."""

ARROWS: tuple[Direction, ...] = ("up", "left", "right", "down")


class MazeModule(msgspec.Struct, frozen=True):
    """The light's cell, and the walls it has hit, which stay lit. Cells count from 0."""

    puzzle: Maze
    position: Cell
    revealed: tuple[Wall, ...] = ()
    moved_us: int = NEVER_US

    def parts(self) -> tuple[str, ...]:
        """The four arrows."""
        return ARROWS

    def tap(self, part: str, moment: Moment) -> Effect:
        """Move by one cell; at a wall the light stays and the wall shows. The border stops it."""
        direction = cast(Direction, part)
        maze = find(moment.book.maze, self.puzzle.markers)
        cell = step(self.position, direction)
        if not inside(cell):
            return Effect(self, "nothing")
        if blocked(maze, self.position, direction):
            wall = min(self.position, cell), max(self.position, cell)
            known = wall in self.revealed
            revealed = self.revealed if known else (*self.revealed, wall)
            return Effect(replace(self, revealed=revealed), "strike")
        after = replace(self, position=cell, moved_us=moment.time_us)
        return Effect(after, "solved" if cell == self.puzzle.goal else "done")

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The maze's number in the rules, its markers and walls, start and goal."""
        maze = find(book.maze, self.puzzle.markers)
        return {
            "maze": book.maze.mazes.index(maze) + 1,
            "markers": [_export(cell) for cell in self.puzzle.markers],
            "start": _export(self.puzzle.start),
            "goal": _export(self.puzzle.goal),
            "walls": {"right": maze.right, "below": maze.below},
        }

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The light's cell, and the lit walls by the cells on either side."""
        walls = [[_export(cell) for cell in wall] for wall in self.revealed]
        return {"position": _export(self.position), "revealed_walls": walls}


def _export(cell: Cell) -> list[int]:
    """Row and column from 1."""
    return [cell[0] + 1, cell[1] + 1]
