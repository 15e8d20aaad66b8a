"""The casing: a bevelled box, cover plates on empty slots, brackets and widgets on its edges."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.casing import PLACES_PER_EDGE, Casing, Edge, Mount
from polyathlon.envs.gptnt.bomb.layout import SLOTS, TIMER_SLOT, Face, Slot
from polyathlon.envs.gptnt.bomb.looks import kit, timer, widgets
from polyathlon.envs.gptnt.bomb.looks.palette import CASE, CASE_EDGE, STEEL
from polyathlon.envs.gptnt.bomb.looks.turning import HALF_SIZE, from_side, mesh_turned
from polyathlon.envs.gptnt.bomb.poses import Side
from polyathlon.media.raster import Mesh, merged
from polyathlon.media.raster.mesh import Point

_WIDTH, _HEIGHT, _DEPTH = 6.0, 4.0, 2.0


def slot_place(slot: Slot) -> Point:
    """The origin of a module's frame in the frame of its side."""
    return 2.0 * (slot.col - 1), 1.0 - 2.0 * slot.row, HALF_SIZE[slot.face]


@lru_cache(maxsize=64)
def side_mesh(side: Side, casing: Casing, filled: frozenset[Slot], strike_limit: int) -> Mesh:
    """What never changes on a side of the bomb, in the bomb's body; `filled` slots have modules."""
    match side:
        case "front" | "back":
            things = _face(side, filled, strike_limit)
        case _:
            things = _edge(side, casing)
    return mesh_turned(from_side(side), merged(things).moved(z=HALF_SIZE[side]))


def _face(face: Face, filled: frozenset[Slot], strike_limit: int) -> list[Mesh]:
    """The front or the back: a plate a slot, and the box behind them."""
    body = kit.block(_WIDTH, _HEIGHT, _DEPTH / 2, kit.matt(CASE), 0.05).moved(z=-_DEPTH / 2)
    things = [body]
    for slot in SLOTS:
        if slot.face == face:
            x, y, _ = slot_place(slot)
            things.append(_plate(slot, filled, strike_limit).moved(x, y))
    return things


def _plate(slot: Slot, filled: frozenset[Slot], strike_limit: int) -> Mesh:
    if slot == TIMER_SLOT:
        return merged([timer.housing(strike_limit), kit.plate()])
    return Mesh.of((), (), (), ()) if slot in filled else kit.cover()


def _edge(edge: Edge, casing: Casing) -> list[Mesh]:
    """A narrow side: a recessed panel, brackets between its places, widgets on them."""
    long = edge in ("top", "bottom")
    length = _WIDTH if long else _HEIGHT
    size = (length - 0.1, _DEPTH - 0.1) if long else (_DEPTH - 0.1, length - 0.1)
    things = [kit.block(*size, 0.02, kit.matt(CASE_EDGE), 0.01)]
    things += [_bracket(long, length * share) for share in (-1 / 6, 1 / 6)]
    for mount, widget in casing.mounted():
        if mount.edge == edge:
            things.append(widgets.mesh(widget).moved(*mount_place(mount), 0.02))
    return things


def _bracket(long: bool, along: float) -> Mesh:
    """A steel bar across an edge, a screw at both ends."""
    if long:
        size, (x, y), place = (0.12, 1.9), (0.0, 0.78), (along, 0.0)
    else:
        size, (x, y), place = (1.9, 0.1), (0.78, 0.0), (0.0, along)
    bar = kit.block(*size, 0.05, kit.metal(STEEL))
    screws = kit.copies(kit.screw(0.04), [(end * x, end * y, 0.05) for end in (-1, 1)])
    return merged([screws, bar]).moved(*place, 0.02)


def mount_place(mount: Mount) -> tuple[float, float]:
    """Where on its edge a widget sits: from left to right, on upright edges from top to bottom."""
    if mount.edge in ("top", "bottom"):
        return _WIDTH / PLACES_PER_EDGE * (mount.place - 1), 0.0
    return 0.0, _HEIGHT / PLACES_PER_EDGE * (1 - mount.place)
