"""Wire Sequence: one panel of three numbered starts and three lettered ends at a time."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.modules.strands import Floats, cutting, wire
from polyathlon.envs.gptnt.bomb.looks.palette import CASE
from polyathlon.envs.gptnt.bomb.modules.sequence import PANEL_US, SequenceModule
from polyathlon.envs.gptnt.bomb.rulebook.sequence import ENDS, PANELS, SLOTS, SequenceWire
from polyathlon.media.raster import Mesh, merged

PARTS = ("up", *(f"wire{number}" for number in range(1, SLOTS + 1)), "down")

_ROWS = (0.32, -0.06, -0.44)
_START_X, _END_X, _RADIUS = -0.5, 0.3, 0.055
_MIDDLE_X, _MIDDLE_Y, _WIDTH, _HEIGHT = -0.1, -0.06, 1.5, 1.14
_LABEL, _LETTERS, _LABEL_OFF = 0.3, 0.155, 0.17
_ARROW_Y, _LAMPS_X, _SHUTTER_DEPTH = 0.7, 0.79, 0.36


def mesh(module: SequenceModule, time_us: int) -> Mesh:
    """The module in its own frame; while the panel changes, two shutters close and open."""
    if not module.changing(time_us):
        return _panel(module, module.panel, time_us)
    over = shapes.progress(module.changed_us, time_us, PANEL_US)
    before = module.panel + (1 if module.direction == "up" else -1)
    panel = _panel(module, before if over < 0.5 else module.panel, time_us)
    return merged([panel, _shutters(1.0 - abs(2.0 * over - 1.0))])


def _panel(module: SequenceModule, panel: int, time_us: int) -> Mesh:
    cuts = tuple(
        cutting((panel, slot), module.cut, module.cut_us, time_us) for slot in range(SLOTS)
    )
    return _drawn(panel, module.puzzle.panels[panel], cuts, module.done)


@lru_cache(maxsize=64)
def _drawn(
    panel: int, wires: tuple[SequenceWire | None, ...], cuts: tuple[float | None, ...], done: int
) -> Mesh:
    strands = [
        _wire(look, slot, cut).labelled(0 if cut is not None else 2 + slot)
        for slot, (look, cut) in enumerate(zip(wires, cuts, strict=True))
        if look
    ]
    starts = [str(panel * SLOTS + slot + 1) for slot in range(SLOTS)]
    labels = [
        shapes.tile(text, _LABEL, _LABEL, _LETTERS, 0.12).moved(x, y, kit.SURFACE)
        for texts, x in ((starts, _START_X - _LABEL_OFF), (ENDS, _END_X + _LABEL_OFF))
        for text, y in zip(texts, _ROWS, strict=True)
    ]
    return merged([*strands, *labels, _surroundings(done)])


@lru_cache(maxsize=256)
def _wire(look: SequenceWire, slot: int, cut: float | None) -> Mesh:
    path = partial(_path, slot, ENDS.index(look.end), cut or 0.0)
    return wire(path, _RADIUS, (look.colour,), cut)


def _path(slot: int, end: int, cut: float, t: Floats) -> Floats:
    """A smooth step from the row of the start to that of the end, the lower start on top."""
    step = 0.5 - 0.5 * np.cos(np.pi * np.clip(t, 0.0, 1.0))
    sag = 0.06 * cut * np.exp(-(((t - 0.5) / 0.15) ** 2))
    return np.column_stack(
        [
            _START_X + (_END_X - _START_X) * t,
            _ROWS[slot] + (_ROWS[end] - _ROWS[slot]) * step - sag,
            kit.SURFACE + 0.08 + 0.02 * end + (0.06 + 0.05 * slot) * np.sin(np.pi * t),
        ]
    )


@lru_cache(maxsize=8)
def _surroundings(done: int) -> Mesh:
    """Board, arrows and stage lamps."""
    up, down = (shapes.arrow_key(0.8, 0.2, quarters) for quarters in (0, 2))
    board = kit.block(_WIDTH, _HEIGHT, 0.02, kit.matt("grey"), 0.01)
    return merged(
        [
            up.labelled(1).moved(_MIDDLE_X, _MIDDLE_Y + _ARROW_Y, kit.SURFACE),
            down.labelled(len(PARTS)).moved(_MIDDLE_X, _MIDDLE_Y - _ARROW_Y, kit.SURFACE),
            board.moved(_MIDDLE_X, _MIDDLE_Y, kit.SURFACE),
            shapes.stage_lamps(PANELS, done, _LAMPS_X, 0.32, 0.25),
        ]
    )


def _shutters(closed: float) -> Mesh:
    """Two dark plates that come from above and below and meet in the middle."""
    half = _HEIGHT / 2
    share = max(closed, 0.05)
    shutter = kit.block(_WIDTH, half, _SHUTTER_DEPTH, kit.metal(CASE)).scaled(1.0, share, 1.0)
    off = half * (1.0 - share / 2)
    return merged(shutter.moved(_MIDDLE_X, _MIDDLE_Y + side * off, kit.SURFACE) for side in (-1, 1))
