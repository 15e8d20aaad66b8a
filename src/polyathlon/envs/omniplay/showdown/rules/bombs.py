"""Bombs, and what a tick of their fuses sets off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from polyathlon.envs.omniplay.showdown.rules.arena import Ground, blast

Cause: TypeAlias = Literal["direct", "chain", "self", "crossfire"]
CAUSES: tuple[Cause, ...] = ("direct", "chain", "self", "crossfire")


class Bomb(msgspec.Struct, frozen=True):
    """A live bomb of a seat. It explodes at the end of the round in which `countdown` is 1."""

    cell: int
    owner: int
    countdown: int
    fire: int


class Burst(msgspec.Struct, frozen=True):
    """An exploded bomb and the cells in flames; `link` is 0 on its own fuse, else chain length."""

    bomb: Bomb
    link: int
    cells: frozenset[int]


def ticked(bombs: Sequence[Bomb]) -> list[Bomb]:
    """The bombs with a round less to go."""
    return [Bomb(b.cell, b.owner, b.countdown - 1, b.fire) for b in bombs]


def exploded(bombs: Sequence[Bomb], ground: Ground) -> list[Burst]:
    """What explodes now, in order: bombs at 0, then those their flames reach, and so on.

    Crates stop all flames of this moment, also those that another flame breaks.
    """
    waiting = {bomb.cell: bomb for bomb in bombs if bomb.countdown}
    wave = [bomb for bomb in bombs if not bomb.countdown]
    bursts: list[Burst] = []
    link = 0
    while wave:
        lit = [Burst(bomb, link, frozenset(blast(bomb.cell, bomb.fire, ground))) for bomb in wave]
        reached = frozenset().union(*(burst.cells for burst in lit))
        wave = [waiting.pop(cell) for cell in sorted(reached & waiting.keys())]
        bursts += lit
        link += 1
    return bursts


def blamed(hits: Sequence[Burst], victim: int) -> tuple[int, Cause]:
    """The seat that a hit is credited to, and its cause.

    Of several flames the one that burst first counts, then that of the lowest seat.
    """
    first = min(hits, key=lambda burst: (burst.link, burst.bomb.owner))
    owner = first.bomb.owner
    if any(burst.bomb.owner != owner for burst in hits):
        return owner, "crossfire"
    if owner == victim:
        return owner, "self"
    return owner, "chain" if first.link else "direct"
