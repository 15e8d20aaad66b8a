"""Tetris: the random player and the placement-search oracle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from polyathlon.core.actions import Repeat
from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.lmgame.tetris.pieces import Active, Grid, cells, grid, spawned
from polyathlon.envs.lmgame.tetris.rules import COMMANDS, HARD_DROP

Plan: TypeAlias = tuple[Repeat, ...]
BEAM = 6
LOST = 10_000
TURNINGS: tuple[Plan, ...] = (
    (),
    (Repeat("rotate_right"),),
    (Repeat("rotate_left"),),
    (Repeat("rotate_right", 2),),
)


class Rated(NamedTuple):
    """A plan, the place where it locks the piece, and the value of that place."""

    value: int
    plan: Plan
    place: Active


def random(observation: Observation, rng: Stream) -> Plan:
    """Uniform over the seven actions, each done once."""
    return (Repeat(rng.choice(COMMANDS)),)


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Plan:
    """Turns, shifts and drops the active piece to the best resting place.

    Places are rated by `value`; the `BEAM` best ones again, together with the best place that
    each leaves to the next piece.
    """
    rows, gravity = state["rows"], state["gravity"]
    well = grid(len(rows[0]), len(rows))
    board = well.pack(rows)
    rated = [
        Rated(value(well, board, place), plan, place)
        for plan, place in placements(well, board, Active(*state["active"]), gravity)
    ]
    rated.sort(key=attrgetter("value"), reverse=True)
    queue = state["queue"]
    if not queue:
        return rated[0].plan
    coming = spawned(queue[0], well.width)

    def with_next(first: Rated) -> int:
        after, _ = well.locked(board, first.place)
        if not well.fits(after, coming):
            return first.value - LOST
        seconds = placements(well, after, coming, gravity)
        return first.value + max(value(well, after, place) for _, place in seconds)

    return max(rated[:BEAM], key=with_next).plan


def placements(
    well: Grid, board: int, active: Active, gravity: bool
) -> Iterator[tuple[Plan, Active]]:
    """Plans that turn, then shift, then drop, each with the place where the piece locks."""
    for turning in TURNINGS:
        turned = _followed(well, board, active, turning, gravity)
        if turned is None:
            continue
        yield (*turning, Repeat(HARD_DROP)), well.lowest(board, turned)
        for side in ("left", "right"):
            times, place = 0, turned
            while (shifted := _commanded(well, board, place, side, gravity)) is not None:
                times, place = times + 1, shifted
                drop = well.lowest(board, place)
                yield (*turning, Repeat(side, times), Repeat(HARD_DROP)), drop


def _followed(well: Grid, board: int, active: Active, plan: Plan, gravity: bool) -> Active | None:
    place: Active | None = active
    for name in [pair.name for pair in plan for _ in range(pair.times)]:
        if place is None:
            return None
        place = _commanded(well, board, place, name, gravity)
    return place


def _commanded(
    well: Grid, board: int, active: Active, command: str, gravity: bool
) -> Active | None:
    """The piece after a command and its fall; None where it is refused or the piece locks."""
    moved = well.moved(board, active, command)
    if moved == active:
        return None
    if not gravity:
        return moved
    fallen = well.moved(board, moved, "soft_drop")
    return None if fallen is moved else fallen


def value(well: Grid, board: int, place: Active) -> int:
    """How good a resting place is: Dellacherie's evaluation, in half points.

    -landing height + eroded cells - row transitions - column transitions - 4 holes - wells
    (Thiery and Scherrer, "Building Controllers for Tetris", ICGA Journal 32, 2009, table 1).
    """
    piece = well.bits(place)
    after, cleared = well.locked(board, place)
    eroded = 0
    if cleared:
        filled = board | piece
        eroded = cleared * sum(
            (piece & line).bit_count() for line in well.lines if filled & line == line
        )
    rows = [r for r, _ in cells(place)]
    height = 2 * well.height - rows[0] - rows[-1]
    return 2 * (eroded - roughness(well, after)) - height


def roughness(well: Grid, board: int) -> int:
    """Row transitions + column transitions + 4 holes + cumulative wells of a board."""
    stride, inside = well.stride, well.inside
    open_ = ~board & inside
    covered = board & inside
    while (more := covered | covered << stride & inside) != covered:
        covered = more
    sideways = (board ^ board >> 1) & (inside | inside >> 1)
    upright = (board ^ board >> stride) & inside
    wells, depth = 0, open_ & board << 1 & board >> 1
    while depth:
        wells += depth.bit_count()
        depth = depth << stride & open_
    holes = (open_ & covered).bit_count()
    return sideways.bit_count() + upright.bit_count() + 4 * holes + wells
