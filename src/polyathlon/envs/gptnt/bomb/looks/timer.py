"""The timer module: a clock, and above it a red X for every strike."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.palette import GLOWS, PANEL, RUBBER
from polyathlon.media.raster import Material, Mesh, merged

CLOCK_Y, STRIKES_Y = -0.5, -0.02
READOUT = (-0.9, -0.9, 0.9, 0.2)
"""Left, bottom, right and top of clock and strikes in the module's frame."""

_MOST_STEP, _WIDEST = 0.3, 1.5


@lru_cache(maxsize=8)
def housing(strike_limit: int) -> Mesh:
    """What never changes: the display's frames and the grille of the beeper."""
    slit = kit.block(0.9, 0.05, 0.02, kit.matt(RUBBER), 0.01)
    return merged(
        [
            kit.screen(1.62, 0.62, 0.05).moved(0, CLOCK_Y, kit.SURFACE),
            kit.screen(_step(strike_limit) * strike_limit + 0.1, 0.22, 0.02).moved(
                0, STRIKES_Y, kit.SURFACE
            ),
            *(slit.moved(0, 0.36 + 0.11 * row, kit.SURFACE + 0.02) for row in range(4)),
            kit.block(1.1, 0.52, 0.02, kit.matt(PANEL), 0.01).moved(0, 0.525, kit.SURFACE),
        ]
    )


@lru_cache(maxsize=256)
def readout(display: str, strikes: int, strike_limit: int) -> Mesh:
    """The clock's characters and the marks of the strikes, from the left."""
    clock = kit.seven_segments(display, 0.44, "red").moved(0, CLOCK_Y, kit.SURFACE + 0.05)
    mark = kit.cross(0.3 * _step(strike_limit), 0.024, Material(GLOWS["red"], unlit=True))
    first = -(strike_limit - 1) / 2
    places = [
        ((first + number) * _step(strike_limit), STRIKES_Y, kit.SURFACE + 0.02)
        for number in range(strikes)
    ]
    return merged([clock, *(mark.moved(*place) for place in places)])


def _step(strike_limit: int) -> float:
    """The distance of the marks of strikes."""
    return min(_MOST_STEP, _WIDEST / strike_limit)
