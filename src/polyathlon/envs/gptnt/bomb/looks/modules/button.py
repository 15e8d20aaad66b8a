"""The Button: a round cap with a word, and a strip that lights while it is held."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import atlas, kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import PANEL, RUBBER, STEEL
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.rulebook.book import ButtonColour, ButtonLabel
from polyathlon.media.raster import Mesh, frustum, merged

PARTS = ("button",)

_X, _Y, _RADIUS = -0.2, -0.08, 0.6
_RAISED, _PRESSED = 0.34, 0.14
_LETTERS, _WIDEST = 0.19, 0.96
_STRIP_X, _STRIP_Y = 0.72, -0.16


def mesh(module: ButtonModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    held = module.held_us is not None
    return _drawn(module.puzzle.colour, module.puzzle.label, held, module.strip)


@lru_cache(maxsize=64)
def _drawn(
    colour: ButtonColour, label: ButtonLabel, held: bool, strip: ButtonColour | None
) -> Mesh:
    cap = _cap(colour, label, _PRESSED if held else _RAISED).labelled(1)
    return merged([cap, _socket(), _strip(strip)])


def _cap(colour: ButtonColour, label: ButtonLabel, depth: float) -> Mesh:
    text = label.upper()
    if colour in atlas.PAPERS:
        word = kit.painted(text, _LETTERS, colour, _WIDEST)
    else:
        word = kit.printed(text, _LETTERS, colour, _WIDEST)
    body = kit.disc(_RADIUS, depth, kit.matt(colour))
    return merged([word.moved(z=depth), body]).moved(_X, _Y, kit.SURFACE)


@lru_cache(maxsize=1)
def _socket() -> Mesh:
    """The steel collar around the cap, with a dark groove."""
    groove = shapes.disc(_RADIUS + 0.03, 0.075, kit.matt(RUBBER), sides=32)
    collar = frustum(_RADIUS + 0.1, _RADIUS + 0.06, 0.07, kit.matt(STEEL), sides=32)
    return merged([groove, collar]).moved(_X, _Y, kit.SURFACE)


@lru_cache(maxsize=8)
def _strip(colour: ButtonColour | None) -> Mesh:
    look = kit.glow(colour) if colour else kit.matt(RUBBER)
    light = kit.block(0.18, 1.1, 0.07, look)
    frame = kit.block(0.28, 1.2, 0.05, kit.matt(PANEL))
    return merged([light, frame]).moved(_STRIP_X, _STRIP_Y, kit.SURFACE)
