"""The picture of the arena: what it holds, and the same in words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from polyathlon.envs.omniplay.showdown.rules.arena import SIZE, named, xy
from polyathlon.envs.omniplay.showdown.rules.game import Rules
from polyathlon.envs.omniplay.showdown.rules.pieces import ROLES, Player
from polyathlon.envs.omniplay.showdown.view.window import Window, window

if TYPE_CHECKING:
    from polyathlon.core.parts import Image

LEGEND = ". free, # pillar, x crate, f b s power-ups for fire, bombs, speed"


class Scene(msgspec.Struct, frozen=True):
    """The ground, a byte a cell; bombs as (cell, countdown, seat); players' cells, None for
    eliminated ones; cells in flames at the end of the last round; and whose view it is."""

    round: int
    cap: int
    me: int
    window: Window
    ground: bytes
    bombs: tuple[tuple[int, int, int], ...]
    players: tuple[int | None, ...]
    flames: frozenset[int]


def captured(rules: Rules, player: Player) -> Scene:
    """The arena at this moment as `player` sees it."""
    return Scene(
        rules.round,
        rules.cap,
        player.seat,
        window(player.cell, rules.view_radius),
        bytes(rules.ground),
        tuple((bomb.cell, bomb.countdown, bomb.owner) for bomb in rules.bombs),
        tuple(other.cell if other.alive else None for other in rules.players),
        rules.flames,
    )


def draw(scene: Scene) -> Image:
    """The arena as a picture of `SIZE_PX`."""
    from polyathlon.envs.omniplay.showdown.view import painting

    return painting.painted(scene)


def tell(scene: Scene) -> str:
    """Rows of cells, players, bombs with their fuses, flames: what the picture shows."""
    shows = scene.window.shows
    players = [
        f"{role} {named(cell)}"
        for role, cell in zip(ROLES, scene.players, strict=True)
        if cell is not None and shows(cell)
    ]
    bombs = [
        f"{ROLES[seat]}'s at {named(cell)} with fuse {countdown}"
        for cell, countdown, seat in scene.bombs
        if shows(cell)
    ]
    flames = [named(cell) for cell in sorted(scene.flames) if shows(cell)]
    alive = [role for role, cell in zip(ROLES, scene.players, strict=True) if cell is not None]
    return (
        f"round {scene.round} of {scene.cap}; you are {ROLES[scene.me]}; "
        f"alive: {', '.join(alive) or 'nobody'}\n{_rows(scene.window, scene.ground)}"
        f"players: {'; '.join(players) or 'none'}\n"
        f"bombs: {'; '.join(bombs) or 'none'}\n"
        f"flames of the last round: {' '.join(flames) or 'none'}"
    )


@lru_cache(maxsize=256)
def _rows(view: Window, ground: bytes) -> str:
    (left, top), (right, bottom) = xy(view.cells[0]), xy(view.cells[-1])
    rows = [f"x from {left} to {right}; {LEGEND}\n"]
    for y in range(top, bottom + 1):
        row = ground[y * SIZE + left : y * SIZE + right + 1].decode("ascii")
        rows.append(f"y {y}: {' '.join(row)}\n")
    return "".join(rows)
