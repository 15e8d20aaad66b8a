"""Phantom Soldiers in the Fog: what is seen of the map, and how its sectors are named."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polyathlon.envs.omniplay.phantom.rules.fog import (
    CELL,
    CELLS,
    SECTOR_CELLS,
    SECTOR_NAMES,
    disc,
    sector,
    sector_centre,
    unseen,
)


@given(st.floats(0, 100), st.floats(0, 100), st.sampled_from([12.0, 18.0, 24.0]))
def test_a_disc_is_the_cells_around_a_cell(x: float, y: float, radius: float) -> None:
    column, row = (min(CELLS - 1, int(value / CELL)) for value in (x, y))
    cells = disc(x, y, radius)
    for line in range(CELLS):
        for place in range(CELLS):
            inside = (line - row) ** 2 + (place - column) ** 2 <= (radius / CELL) ** 2
            assert bool(cells >> (line * CELLS + place) & 1) == inside


def test_sectors_are_named_as_on_a_compass() -> None:
    assert SECTOR_NAMES[sector(90, 90)] == "North-East"
    assert SECTOR_NAMES[sector(90, 10)] == "South-East"
    assert SECTOR_NAMES[sector(100, 50)] == "East"
    assert [sector(*sector_centre(index)) for index in range(9)] == list(range(9))
    assert unseen(0) == (SECTOR_CELLS,) * 9
    assert unseen((1 << CELLS * CELLS) - 1) == (0,) * 9
