"""The needy capacitor: a gauge that fills, the seconds until it is full, and a lever."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import INK, PANEL, RUBBER, STEEL
from polyathlon.envs.gptnt.bomb.modules.discharge import FULL_US, DischargeModule
from polyathlon.media.raster import Mesh, merged

PARTS = ("lever",)

_BARS = 16
_GAUGE_X, _GAUGE_Y, _GAUGE_WIDTH, _GAUGE_HEIGHT, _GLASS = -0.6, -0.05, 0.38, 1.52, 0.05
_CLOCK_X, _CLOCK_Y = 0.03, 0.5
_LEVER_X, _LEVER_Y, _TRAVEL = 0.46, -0.3, 0.3


def mesh(module: DischargeModule, time_us: int) -> Mesh:
    """The module in its own frame; gauge and seconds are dark while it sleeps."""
    if module.charge_us is None:
        return _drawn(0, "", module.held)
    level = module.level(time_us)
    full_us = time_us + round((1.0 - level) * FULL_US)
    return _drawn(round(level * _BARS), shapes.seconds_left(full_us, time_us), module.held)


@lru_cache(maxsize=128)
def _drawn(bars: int, seconds: str, held: bool) -> Mesh:
    figures = kit.seven_segments(seconds, 0.34, "red")
    clock = merged([figures.moved(z=_GLASS), kit.screen(0.62, 0.46, _GLASS)])
    return merged(
        [
            _lever(held).labelled(1),
            _gauge(bars).moved(_GAUGE_X, _GAUGE_Y, kit.SURFACE),
            clock.moved(_CLOCK_X, _CLOCK_Y, kit.SURFACE),
            _slot(),
        ]
    )


def _gauge(bars: int) -> Mesh:
    """A column of bars of light, the upper ones yellow and then red."""
    pitch = (_GAUGE_HEIGHT - 0.06) / _BARS
    lit = [
        shapes.rectangle(_GAUGE_WIDTH - 0.1, pitch * 0.7, kit.glow(_glow_of(bar))).moved(
            0.0, (bar - (_BARS - 1) / 2) * pitch, _GLASS + kit.LIFT
        )
        for bar in range(bars)
    ]
    return merged([*lit, kit.screen(_GAUGE_WIDTH, _GAUGE_HEIGHT, _GLASS)])


def _glow_of(bar: int) -> str:
    return ("green", "green", "yellow", "red")[4 * bar // _BARS]


def _lever(held: bool) -> Mesh:
    """A grip across the slot, up at rest and down while it is held."""
    grip = kit.block(0.54, 0.22, 0.16, kit.matt("red"), 0.05).moved(z=0.2)
    neck = kit.block(0.12, 0.12, 0.22, kit.matt(STEEL))
    return merged([grip, neck]).moved(
        _LEVER_X, _LEVER_Y + (-_TRAVEL if held else _TRAVEL), kit.SURFACE
    )


@lru_cache(maxsize=1)
def _slot() -> Mesh:
    opening = kit.block(0.12, 2 * _TRAVEL + 0.2, 0.04, kit.matt(INK), 0.01)
    rail = kit.block(0.44, 2 * _TRAVEL + 0.36, 0.03, kit.matt(PANEL), 0.01)
    stop = kit.block(0.44, 0.05, 0.06, kit.matt(RUBBER), 0.01)
    return merged(
        [opening, rail, *(stop.moved(y=side * (_TRAVEL + 0.16)) for side in (-1, 1))]
    ).moved(_LEVER_X, _LEVER_Y, kit.SURFACE)
