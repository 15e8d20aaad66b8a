"""The ground as a grid of cells, for what has been seen, and as 3 x 3 compass sectors.

A set of cells is an integer: bit `row * CELLS + column`, row 0 in the south, column 0 in the west.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE

CELLS = 48
CELL = MAP_SIZE / CELLS
SECTOR_NAMES = (
    "South-West",
    "South",
    "South-East",
    "West",
    "Centre",
    "East",
    "North-West",
    "North",
    "North-East",
)
_SPAN = CELLS // 3
SECTOR_CELLS = _SPAN * _SPAN


def sector(x: float, y: float) -> int:
    """The index in `SECTOR_NAMES` of the sector that holds (x, y)."""
    return min(2, int(3 * y / MAP_SIZE)) * 3 + min(2, int(3 * x / MAP_SIZE))


def sector_centre(index: int) -> tuple[float, float]:
    """The middle of a sector."""
    row, column = divmod(index, 3)
    return MAP_SIZE * (2 * column + 1) / 6, MAP_SIZE * (2 * row + 1) / 6


def _sector_mask(index: int) -> int:
    row, column = divmod(index, 3)
    run = ((1 << _SPAN) - 1) << (column * _SPAN)
    return sum(run << (line * CELLS) for line in range(row * _SPAN, (row + 1) * _SPAN))


SECTORS = tuple(_sector_mask(index) for index in range(9))


@lru_cache(maxsize=256)
def unseen(explored: int) -> tuple[int, ...]:
    """How many of its `SECTOR_CELLS` cells are unseen, for each sector."""
    dark = ~explored
    return tuple([(dark & mask).bit_count() for mask in SECTORS])


def disc(x: float, y: float, radius: float) -> int:
    """The cells whose centre lies within `radius` of the centre of the cell that holds (x, y).

    `radius` must be less than half of the map.
    """
    column, row = min(CELLS - 1, int(x / CELL)), min(CELLS - 1, int(y / CELL))
    shape, reach = _shape(radius)
    shift = (row - reach) * CELLS + column - reach
    moved = shape << shift if shift >= 0 else shape >> -shift
    return moved & _columns(column, reach)


@cache
def _shape(radius: float) -> tuple[int, int]:
    """A disc in the south-west corner, and how many cells it reaches from its middle."""
    span = radius / CELL
    reach, cells = int(span), 0
    for line in range(2 * reach + 1):
        half = int(math.sqrt(span * span - (line - reach) ** 2))
        cells |= ((1 << (2 * half + 1)) - 1) << (line * CELLS + reach - half)
    return cells, reach


@cache
def _columns(column: int, reach: int) -> int:
    """The columns within `reach` of one: what a shift carried over the edge lies outside them."""
    west, east = max(0, column - reach), min(CELLS - 1, column + reach)
    run = ((1 << (east - west + 1)) - 1) << west
    return sum(run << (row * CELLS) for row in range(CELLS))
