"""All that is in a picture of a bomb, as one mesh whose ids tell the elements apart.

The id of a face is `STRIDE` times the number of its module (from 1) plus the number of its part
(from 1; 0 for all else of the module); it is below `STRIDE` off the modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from polyathlon.envs.gptnt.bomb.bomb import STRIKE_US, Bomb, Fitted
from polyathlon.envs.gptnt.bomb.casing import Casing
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.layout import TIMER_SLOT, Slot
from polyathlon.envs.gptnt.bomb.looks import casing, kit, modules, stage, timer
from polyathlon.envs.gptnt.bomb.looks.turning import (
    HALF_SIZE,
    Rows,
    from_side,
    looks_at,
    mesh_turned,
    product,
)
from polyathlon.envs.gptnt.bomb.poses import Side
from polyathlon.media.raster import Mesh, merged
from polyathlon.media.raster.mesh import Point

STRIDE = 32

_AT_REST_US = 3 * SECOND_US
"""Longer than anything on a module moves."""


def pieces(bomb: Bomb, rows: Rows, eye: Point, props: bool) -> tuple[Mesh, ...]:
    """Room and bomb, turned by `rows`, as far as an eye at that place can see them.

    Pieces that look alike are the same objects.
    """
    sides = tuple(side for side in HALF_SIZE if looks_at(side, rows, eye))
    filled = frozenset(found.placed.slot for found in bomb.modules)
    strike_limit = bomb.plan.mission.strike_limit
    still = [_still(side, bomb.plan.casing, filled, strike_limit, rows) for side in sides]
    return (*_moving(bomb, sides, rows), *still, stage.room(props))


@lru_cache(maxsize=16)
def _still(
    side: Side, made: Casing, filled: frozenset[Slot], strike_limit: int, rows: Rows
) -> Mesh:
    return mesh_turned(rows, casing.side_mesh(side, made, filled, strike_limit))


def _moving(bomb: Bomb, sides: tuple[Side, ...], rows: Rows) -> Iterator[Mesh]:
    """The timer's readings and all modules on these sides."""
    if TIMER_SLOT.face in sides:
        limit = bomb.plan.mission.strike_limit
        reading = timer.readout(bomb.clock.display(bomb.time_us), len(bomb.strikes), limit)
        yield _placed(reading, TIMER_SLOT, rows, 0)
    for number, found in enumerate(bomb.modules, 1):
        slot = found.placed.slot
        if slot.face in sides:
            yield _placed(modules.mesh(found.module, _shown_us(bomb, found)), slot, rows, number)
            yield _placed(_plate(bomb, number, found), slot, rows, number)


def _shown_us(bomb: Bomb, found: Fitted) -> int:
    """The moment that a module shows; the one that defused the bomb is at rest."""
    defused = bomb.phase == "solved" and found.solved_us == bomb.time_us
    return bomb.time_us + _AT_REST_US if defused else bomb.time_us


def _plate(bomb: Bomb, number: int, found: Fitted) -> Mesh:
    """What carries a module; a needy one has no status LED, for it is never solved."""
    if number > len(bomb.plan.mission.modules):
        return kit.plate()
    return _plate_with_led(_led(found, bomb.time_us))


@lru_cache(maxsize=4)
def _plate_with_led(led: kit.Led) -> Mesh:
    return merged([kit.status_led(led), kit.plate()])


def _led(found: Fitted, time_us: int) -> kit.Led:
    if found.struck_us is not None and time_us - found.struck_us < STRIKE_US:
        return "strike"
    return "off" if found.solved_us is None else "solved"


@lru_cache(maxsize=128)
def _placed(thing: Mesh, slot: Slot, rows: Rows, number: int) -> Mesh:
    """A mesh of a slot's frame on the screen, its ids those of the module with that number."""
    numbered = replace(thing, ids=thing.ids + np.int32(number * STRIDE))
    there = numbered.moved(*casing.slot_place(slot))
    return mesh_turned(product(rows, from_side(slot.face)), there)
