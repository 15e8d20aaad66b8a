"""Wires: three to six between two rails, from the top."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.modules.strands import Floats, cutting, wire
from polyathlon.envs.gptnt.bomb.looks.palette import BRASS, RUBBER
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.rulebook.book import WireColour
from polyathlon.envs.gptnt.bomb.rulebook.wires import MOST
from polyathlon.media.raster import Mesh, merged

PARTS = tuple(f"wire{number}" for number in range(1, MOST + 1))

_TOP, _BOTTOM, _RAIL = 0.46, -0.7, 0.7
_RADIUS = 0.05
_SWAYS = (0.05, -0.04, 0.03, -0.05, 0.045, -0.03)


def mesh(module: WiresModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    colours = module.puzzle.wires
    cuts = tuple(
        cutting(index, module.cut, module.cut_us, time_us) for index in range(len(colours))
    )
    return _drawn(colours, cuts)


@lru_cache(maxsize=64)
def _drawn(colours: tuple[WireColour, ...], cuts: tuple[float | None, ...]) -> Mesh:
    heights = np.linspace(_TOP, _BOTTOM, len(colours)).tolist()
    wires = [
        _wire(*look).labelled(0 if look[-1] is not None else number)
        for number, look in enumerate(zip(colours, heights, _SWAYS, cuts, strict=False), 1)
    ]
    return merged([*wires, _terminals(len(colours))])


@lru_cache(maxsize=256)
def _wire(colour: WireColour, y: float, sway: float, cut: float | None) -> Mesh:
    return wire(partial(_path, y, sway, cut or 0.0), _RADIUS, (colour,), cut)


def _path(y: float, sway: float, cut: float, t: Floats) -> Floats:
    """From the left rail to the right one in a bow towards the viewer; cut ends hang."""
    bow = np.sin(np.pi * t)
    sag = 0.06 * cut * np.exp(-(((t - 0.5) / 0.2) ** 2))
    return np.column_stack(
        [
            _RAIL * (2 * t - 1),
            y + sway * np.sin(2 * np.pi * t) - sag,
            kit.SURFACE + 0.08 + 0.16 * bow,
        ]
    )


@lru_cache(maxsize=4)
def _terminals(count: int) -> Mesh:
    """The grey board, its rails and a brass contact at both ends of every wire."""
    height, middle = _TOP - _BOTTOM + 0.2, (_TOP + _BOTTOM) / 2
    board = kit.block(1.7, height, 0.02, kit.matt("grey"), 0.01).moved(0.0, middle, kit.SURFACE)
    rail = kit.block(0.2, height, 0.14, kit.matt(RUBBER), 0.03)
    contact = shapes.disc(0.055, 0.144, kit.matt(BRASS), sides=8)
    sides = (-_RAIL - 0.06, _RAIL + 0.06)
    heights = np.linspace(_TOP, _BOTTOM, count).tolist()
    contacts = kit.copies(contact, [(x, y, kit.SURFACE) for x in sides for y in heights])
    rails = kit.copies(rail, [(x, middle, kit.SURFACE) for x in sides])
    return merged([contacts, rails, board])
