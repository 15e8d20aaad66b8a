"""Keypad: four keys with a symbol and a lamp each."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import DARK_LAMP, IVORY, PANEL
from polyathlon.envs.gptnt.bomb.modules.keypad import WRONG_US, KeypadModule
from polyathlon.envs.gptnt.bomb.rulebook.keypad import KEYS
from polyathlon.media.raster import Mesh, merged

PARTS = tuple(f"key{number}" for number in range(1, KEYS + 1))

Lamp: TypeAlias = Literal["off", "right", "wrong"]

_PLACES = ((-0.4, 0.2), (0.32, 0.2), (-0.4, -0.52), (0.32, -0.52))
_SIZE, _SYMBOL = 0.66, 0.48
_RAISED, _PRESSED = 0.2, 0.1
_GLOWS = {"right": "green", "wrong": "red"}


def mesh(module: KeypadModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    return _drawn(module.puzzle.symbols, tuple(_lamp(module, key, time_us) for key in range(KEYS)))


def _lamp(module: KeypadModule, key: int, time_us: int) -> Lamp:
    if key in module.pressed:
        return "right"
    if key == module.wrong and time_us - module.wrong_us < WRONG_US:
        return "wrong"
    return "off"


@lru_cache(maxsize=64)
def _drawn(symbols: tuple[str, ...], lamps: tuple[Lamp, ...]) -> Mesh:
    keys = [
        _key(symbol, lamp).labelled(number).moved(x, y, kit.SURFACE)
        for number, (symbol, lamp, (x, y)) in enumerate(
            zip(symbols, lamps, _PLACES, strict=True), 1
        )
    ]
    tray = kit.block(1.46, 1.46, 0.03, kit.matt(PANEL)).moved(-0.04, -0.16, kit.SURFACE)
    return merged([*keys, tray])


def _key(symbol: str, lamp: Lamp) -> Mesh:
    depth = _PRESSED if lamp == "right" else _RAISED
    light = kit.glow(_GLOWS[lamp]) if lamp in _GLOWS else kit.matt(DARK_LAMP["green"])
    bar = kit.block(0.3, 0.07, 0.03, light, 0.01).moved(y=0.255, z=depth)
    picture = kit.symbol(symbol, _SYMBOL, IVORY).moved(y=-0.06, z=depth)
    return merged([picture, bar, shapes.key(_SIZE, _SIZE, depth)])
