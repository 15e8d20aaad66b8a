"""Where cells are drawn: the whole arena, or a square around the player."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

import msgspec

from polyathlon.envs.omniplay.showdown import SIZE_PX
from polyathlon.envs.omniplay.showdown.rules.arena import SIZE, cell_at, xy

GRID_PX = 480
LEFT_PX, TOP_PX = 28, 60


class Window(msgspec.Struct, frozen=True, dict=True):
    """The shown columns and rows: `count` of each from (x, y), which may lie off the arena."""

    x: int
    y: int
    count: int

    @property
    def cell_px(self) -> int:
        """The side of a cell."""
        return GRID_PX // self.count

    def place_px(self, cell: int) -> tuple[int, int]:
        """The left and top of a cell."""
        x, y = xy(cell)
        spare = (GRID_PX - self.count * self.cell_px) // 2
        left = LEFT_PX + spare + (x - self.x) * self.cell_px
        return left, TOP_PX + spare + (y - self.y) * self.cell_px

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The cells of the arena inside, row after row."""
        xs = range(max(0, self.x), min(SIZE, self.x + self.count))
        ys = range(max(0, self.y), min(SIZE, self.y + self.count))
        return tuple(cell_at(x, y) for y in ys for x in xs)

    @cached_property
    def shows(self) -> Callable[[int], bool]:
        """Whether a cell is inside."""
        return frozenset(self.cells).__contains__

    def cell(self, x: float, y: float) -> int | None:
        """The cell at a point of the picture in [0, 1]², if the arena has one there."""
        for cell in self.cells:
            left, top = self.place_px(cell)
            right, down = x * SIZE_PX[0] - left, y * SIZE_PX[1] - top
            if 0 <= right < self.cell_px and 0 <= down < self.cell_px:
                return cell
        return None


WHOLE = Window(0, 0, SIZE)


@cache
def window(cell: int, radius: int) -> Window:
    """What a player on `cell` is shown: `radius` cells each way, or all for radius 0."""
    if not radius:
        return WHOLE
    x, y = xy(cell)
    return Window(x - radius, y - radius, 2 * radius + 1)
