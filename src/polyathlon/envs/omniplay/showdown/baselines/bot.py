"""A careful player: never stays in a blast it can leave, and bombs only with a way out."""

from __future__ import annotations

from functools import cached_property

import msgspec

from polyathlon.envs.omniplay.showdown.rules.arena import (
    CELLS,
    CRATE,
    POWER_UPS,
    Way,
    blast,
    distance,
    reach,
    xy,
)
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb, exploded, ticked
from polyathlon.envs.omniplay.showdown.rules.pieces import FIRE, PLACE, STEPS, Action, Move

FUSE = 3
SPOTS = 6
POWER_UP_GAIN, PLAYER_GAIN, MOST_CRATES = 3.0, 4.0, 3


class Field(msgspec.Struct, frozen=True, dict=True):
    """What a player knows: its cell `me`, what it can do, and what lies and stands where."""

    me: int
    ground: bytes
    bombs: tuple[Bomb, ...] = ()
    others: tuple[int, ...] = ()
    steps: int = STEPS
    fire: int = FIRE
    armed: bool = True
    fuse: int = FUSE

    @cached_property
    def forecast(self) -> Forecast:
        """What the bombs on the field will do."""
        return Forecast(self.ground, self.bombs, self.steps)

    @cached_property
    def feared(self) -> Forecast:
        """The same if every other player places a bomb like the player's where it stands."""
        return Forecast(self.ground, (*self.bombs, *self._suspected()), self.steps)

    def bombed(self, cell: int) -> Forecast:
        """What is feared with one more bomb, the player's own on `cell`."""
        own = Bomb(cell, 0, self.fuse, self.fire)
        bombs = (*self.bombs, *self._suspected(), own)
        return Forecast(self.ground, bombs, self.steps)

    def _suspected(self) -> tuple[Bomb, ...]:
        taken = {bomb.cell for bomb in self.bombs}
        return tuple(Bomb(cell, 0, self.fuse, self.fire) for cell in sorted({*self.others} - taken))


class Forecast:
    """The cells that burn at the end of the coming rounds; 1 is the round that goes on."""

    def __init__(self, ground: bytes, bombs: tuple[Bomb, ...], steps: int) -> None:
        self.solid = bytearray(on_cell == CRATE for on_cell in ground)
        for bomb in bombs:
            self.solid[bomb.cell] = 1
        self._steps = steps
        self._burning = _burning(ground, bombs)
        self._ways: dict[int, Way] = {}
        self._known: dict[tuple[int, int], bool] = {}
        self.hot: frozenset[int] = frozenset().union(*self._burning)

    def way(self, cell: int) -> Way:
        """The cells within a move of `cell`."""
        if cell not in self._ways:
            self._ways[cell] = reach(cell, self._steps, self.solid)
        return self._ways[cell]

    def survives(self, cell: int, round: int = 1) -> bool:
        """Whether who ends `round` on `cell` can outlive all bombs of the forecast."""
        if round > len(self._burning):
            return True
        if (cell, round) not in self._known:
            self._known[cell, round] = cell not in self._burning[round - 1] and (
                any(self.survives(near, round + 1) for near in self.way(cell))
            )
        return self._known[cell, round]

    def spared(self, cell: int) -> int:
        """How many rounds it takes until `cell` burns."""
        rounds = (i for i, burning in enumerate(self._burning) if cell in burning)
        return next(rounds, len(self._burning))

    def escapable(self, cell: int) -> bool:
        """Whether who ends this round on `cell` can be out of every blast after one move."""
        calm = any(near not in self.hot for near in self.way(cell))
        return calm and self.survives(cell)


def attack(field: Field) -> Action:
    """Get safe, else bomb for crates and players, else go where that or a power-up awaits."""
    refuges = _refuges(field)
    wanted = field.armed and field.me in refuges and _gain(field, field.me) > 0.0
    if wanted and field.bombed(field.me).escapable(field.me):
        return PLACE
    far = _far(field)
    return _to(min(refuges, key=lambda cell: (far.get(cell, CELLS), cell)))


def flee(field: Field) -> Action:
    """Get safe, then as far from the others as possible."""
    return _to(max(_refuges(field), key=lambda cell: (_apart(field, cell), cell)))


def _refuges(field: Field) -> list[int]:
    """The best cells to end this round on: out of every blast, else escapable, else late to burn.

    Those are best that stay safe whatever the others bomb.
    """
    forecast = field.forecast
    near = forecast.way(field.me)
    safe = [cell for cell in near if forecast.survives(cell)]
    if not safe:
        latest = max(map(forecast.spared, near))
        return [cell for cell in near if forecast.spared(cell) == latest]
    calm = [cell for cell in safe if cell not in forecast.hot] or safe
    return [cell for cell in calm if field.feared.survives(cell)] or calm


def _gain(field: Field, cell: int) -> float:
    """What a bomb on `cell` is worth: the crates it breaks and the players it reaches."""
    flames = blast(cell, field.fire, field.ground)
    crates = sum(field.ground[flame] == CRATE for flame in flames)
    reached = sum(other in flames for other in field.others)
    return min(crates, MOST_CRATES) + PLAYER_GAIN * reached


def _far(field: Field) -> dict[int, int]:
    """The steps to the best cell to go to, from every cell connected with it."""
    solid = field.forecast.solid
    lengths = _lengths(field.me, solid)
    worth: dict[int, float] = {}
    for cell, length in lengths.items():
        gain = _gain(field, cell) + POWER_UP_GAIN * (field.ground[cell] in POWER_UPS)
        if gain > 0.0:
            worth[cell] = gain / (2.0 + length / field.steps)
    for cell in sorted(worth, key=lambda cell: (-worth[cell], cell))[:SPOTS]:
        if field.ground[cell] in POWER_UPS or field.bombed(cell).escapable(cell):
            return _lengths(cell, solid)
    return lengths


def _lengths(start: int, solid: bytearray) -> dict[int, int]:
    lengths = {start: 0}
    for cell, before in reach(start, CELLS, solid).items():
        lengths.setdefault(cell, lengths[before] + 1)
    return lengths


def _apart(field: Field, cell: int) -> int:
    return min((distance(cell, other) for other in field.others), default=0)


def _to(cell: int) -> Move:
    return Move(*xy(cell))


def _burning(ground: bytes, bombs: tuple[Bomb, ...]) -> list[frozenset[int]]:
    left, crates = list(bombs), bytearray(ground)
    burning: list[frozenset[int]] = []
    while left:
        left = ticked(left)
        bursts = exploded(left, crates)
        gone = {burst.bomb.cell for burst in bursts}
        left = [bomb for bomb in left if bomb.cell not in gone]
        burning.append(frozenset().union(*(burst.cells for burst in bursts)))
    return burning
