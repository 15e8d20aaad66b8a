"""Morse Code: a blinking lamp, a tuning scale, a frequency display and three keys."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import GLOWS, INK, IVORY, PANEL
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.media.raster import Material, Mesh, merged

PARTS = ("left", "right", "transmit")

_LAMP_X, _LAMP_Y, _LAMP_RADIUS = -0.3, 0.58, 0.24
_SCALE_Y, _SCALE_WIDTH, _SCALE_HEIGHT = 0.12, 1.44, 0.22
_LOWEST_KHZ, _HIGHEST_KHZ, _TICK_KHZ = 500, 610, 10
_DISPLAY_Y, _DISPLAY_WIDTH, _DISPLAY_HEIGHT, _GLASS = -0.27, 1.08, 0.32, 0.05
_ARROW_X, _SEND_Y = 0.74, -0.69


def mesh(module: MorseModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    return _drawn(module.selected_khz, module.lit(time_us))


@lru_cache(maxsize=128)
def _drawn(khz: int, lit: bool) -> Mesh:
    text = kit.glowing(f"3.{khz:03} MHz", 0.17, "green", _DISPLAY_WIDTH - 0.06)
    needle = kit.block(0.035, _SCALE_HEIGHT - 0.02, 0.04, kit.matt("red"), 0.01)
    return merged(
        [
            text.moved(0.0, _DISPLAY_Y, kit.SURFACE + _GLASS),
            needle.moved(_scale_x(khz), _SCALE_Y, kit.SURFACE + 0.05),
            _lamp(lit),
            _surroundings(),
        ]
    )


@lru_cache(maxsize=2)
def _lamp(lit: bool) -> Mesh:
    """A round lamp with a bright core and a halo on its socket."""
    depth = 0.1
    dome = kit.disc(_LAMP_RADIUS, depth, shapes.lamp_look("orange", lit), sides=24)
    socket = shapes.disc(_LAMP_RADIUS + 0.07, 0.02, _halo(lit), sides=24)
    core = shapes.disc(0.13, depth + kit.LIFT, Material((255, 236, 190), unlit=True))
    pieces = [core, dome, socket] if lit else [dome, socket]
    return merged(pieces).moved(_LAMP_X, _LAMP_Y, kit.SURFACE)


def _halo(lit: bool) -> Material:
    red, green, blue = GLOWS["orange"]
    return Material((red * 2 // 3, green * 2 // 3, blue), unlit=True) if lit else kit.matt(PANEL)


@lru_cache(maxsize=1)
def _surroundings() -> Mesh:
    left, right = (shapes.arrow_key(0.26, 0.38, quarters) for quarters in (1, 3))
    send = shapes.word_key("TX", 0.6, 0.36, 0.17)
    screen = kit.screen(_DISPLAY_WIDTH, _DISPLAY_HEIGHT, _GLASS)
    return merged(
        [
            left.labelled(1).moved(-_ARROW_X, _DISPLAY_Y, kit.SURFACE),
            right.labelled(2).moved(_ARROW_X, _DISPLAY_Y, kit.SURFACE),
            send.labelled(3).moved(0.0, _SEND_Y, kit.SURFACE),
            screen.moved(0.0, _DISPLAY_Y, kit.SURFACE),
            _scale(),
        ]
    )


def _scale() -> Mesh:
    """An ivory band with a tick every ten kilohertz, every fifth a long one."""
    band = kit.block(_SCALE_WIDTH + 0.1, _SCALE_HEIGHT, 0.04, kit.matt(IVORY))
    ticks = [
        shapes.rectangle(0.016, 0.13 if khz % 50 == 0 else 0.07, kit.matt(INK)).moved(
            _scale_x(khz), -0.03, 0.04 + kit.LIFT
        )
        for khz in range(_LOWEST_KHZ, _HIGHEST_KHZ + 1, _TICK_KHZ)
    ]
    return merged([*ticks, band]).moved(0.0, _SCALE_Y, kit.SURFACE)


def _scale_x(khz: int) -> float:
    return ((khz - _LOWEST_KHZ) / (_HIGHEST_KHZ - _LOWEST_KHZ) - 0.5) * _SCALE_WIDTH
