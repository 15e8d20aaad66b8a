"""Simon Says: four coloured keys in a diamond, lit one at a time."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import COLOURS, GLOWS, PANEL, Rgb
from polyathlon.envs.gptnt.bomb.modules.simon import BY_PLACE, SimonModule
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp
from polyathlon.media.raster import Material, Mesh, merged

PARTS = BY_PLACE

PRESS_US = 300_000
"""How long a pressed key stays down, lit."""

_CENTRE_Y, _REACH, _SIDE = -0.06, 0.4, 0.5
_RAISED, _PRESSED = 0.18, 0.1
_PLACES = ((0.0, _REACH), (-_REACH, 0.0), (_REACH, 0.0), (0.0, -_REACH))
_DIMMED = 0.55


def mesh(module: SimonModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    touched = 0 <= time_us - module.pressed_us < PRESS_US
    return _drawn(module.lamp(time_us), module.pressed if touched else None)


@lru_cache(maxsize=32)
def _drawn(lit: Lamp | None, pressed: Lamp | None) -> Mesh:
    keys = [
        _key(colour, colour in (lit, pressed), _PRESSED if colour == pressed else _RAISED)
        .labelled(number)
        .moved(x, y + _CENTRE_Y, kit.SURFACE)
        for number, (colour, (x, y)) in enumerate(zip(PARTS, _PLACES, strict=True), 1)
    ]
    base = kit.block(1.16, 1.16, 0.04, kit.matt(PANEL)).turned(pitch_deg=45)
    return merged([*keys, base.moved(y=_CENTRE_Y, z=kit.SURFACE)])


def _key(colour: Lamp, lit: bool, depth: float) -> Mesh:
    """A square that stands on its corner; lit it has a bright middle and a halo."""
    if not lit:
        return _square(_SIDE, depth, kit.matt(_mixed(COLOURS[colour], (0, 0, 0), _DIMMED)))
    glow = GLOWS[colour]
    hot = Material(_mixed(glow, (255, 255, 255), 0.55), unlit=True)
    halo = Material(_mixed(glow, PANEL, 0.6), unlit=True)
    middle = shapes.disc(0.15, depth + kit.LIFT, hot)
    key = _square(_SIDE, depth, Material(glow, unlit=True))
    return merged([middle, key, _square(_SIDE + 0.12, 0.05, halo)])


def _square(side: float, depth: float, material: Material) -> Mesh:
    return kit.block(side, side, depth, material).turned(pitch_deg=45)


def _mixed(colour: Rgb, other: Rgb, share: float) -> Rgb:
    """`share` of one colour and the rest of the other."""
    red, green, blue = (
        round(share * a + (1 - share) * b) for a, b in zip(colour, other, strict=True)
    )
    return red, green, blue
