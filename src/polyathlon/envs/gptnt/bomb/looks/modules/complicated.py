"""Complicated Wires: four to six upright wires, a lamp above and a field below each."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.modules.strands import Floats, cutting, wire
from polyathlon.envs.gptnt.bomb.looks.palette import INK, IVORY, PANEL, RUBBER
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.rulebook.complicated import MOST, ComplicatedWire
from polyathlon.media.raster import Mesh, merged

PARTS = tuple(f"wire{number}" for number in range(1, MOST + 1))

_STEP, _TOP, _BOTTOM, _RADIUS = 0.275, 0.3, -0.48, 0.055
_LAMPS_Y, _LAMP, _FIELDS_Y, _FIELD, _STAR = 0.47, 0.075, -0.72, 0.22, 0.095


def mesh(module: ComplicatedModule, time_us: int) -> Mesh:
    """The module in its own frame."""
    wires = module.puzzle.wires
    cuts = tuple(cutting(index, module.cut, module.cut_us, time_us) for index in range(len(wires)))
    return _drawn(wires, cuts)


@lru_cache(maxsize=64)
def _drawn(wires: tuple[ComplicatedWire, ...], cuts: tuple[float | None, ...]) -> Mesh:
    columns = [
        _column(look, cut, 0 if cut is not None else number).moved(_x(number, len(wires)))
        for number, (look, cut) in enumerate(zip(wires, cuts, strict=True), 1)
    ]
    return merged([*columns, _board()])


def _x(number: int, count: int) -> float:
    return (number - (count + 1) / 2) * _STEP


@lru_cache(maxsize=256)
def _column(look: ComplicatedWire, cut: float | None, object_id: int) -> Mesh:
    strand = wire(partial(_path, cut or 0.0), _RADIUS, look.colouring.split("+"), cut)
    lamp = shapes.disc(_LAMP, kit.SURFACE + 0.11, shapes.lamp_look("yellow", look.led), sides=12)
    field = shapes.rectangle(_FIELD, _FIELD, kit.matt(IVORY)).moved(z=kit.SURFACE + 0.11)
    star = [shapes.star(_STAR, kit.SURFACE + 0.115, kit.matt(INK))] if look.star else []
    below = merged([*star, field]).moved(y=_FIELDS_Y)
    return merged([strand.labelled(object_id), lamp.moved(y=_LAMPS_Y), below])


def _path(cut: float, t: Floats) -> Floats:
    """From the upper rail to the lower one in a bow towards the viewer; cut ends spring up."""
    spring = 0.08 * cut * np.exp(-(((t - 0.5) / 0.15) ** 2))
    return np.column_stack(
        [
            0.03 * np.sin(2 * np.pi * t),
            _TOP + 0.04 + (_BOTTOM - _TOP - 0.08) * t,
            kit.SURFACE + 0.06 + 0.14 * np.sin(np.pi * t) + spring,
        ]
    )


@lru_cache(maxsize=1)
def _board() -> Mesh:
    """The grey board with the rail of the lamps and that of the fields."""
    board = kit.block(1.72, 1.0, 0.02, kit.matt("grey"), 0.01)
    upper, lower = (
        kit.block(1.72, height, 0.1, kit.matt(paint))
        for height, paint in ((0.3, PANEL), (0.32, RUBBER))
    )
    return merged(
        [
            upper.moved(0.0, _LAMPS_Y - 0.03, kit.SURFACE),
            lower.moved(0.0, _FIELDS_Y, kit.SURFACE),
            board.moved(0.0, (_TOP + _BOTTOM) / 2, kit.SURFACE),
        ]
    )
