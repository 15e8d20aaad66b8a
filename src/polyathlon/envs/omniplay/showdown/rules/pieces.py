"""What the game is made of: players and their actions, events, hits."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.world import Role

ROLES: tuple[Role, ...] = ("red", "blue", "green", "yellow")
STEPS = 5
FIRE = 2
HISTORY = 5

Kind: TypeAlias = Literal["bomb", "explosion", "crate", "pickup", "out"]


class Move(msgspec.Struct, frozen=True):
    """Walk towards the cell (x, y), which lies in the arena."""

    x: int
    y: int


class Place(msgspec.Struct, frozen=True):
    """Place a bomb on the own cell."""


Action: TypeAlias = Move | Place
PLACE = Place()


class Event(msgspec.Struct, frozen=True):
    """What happened on a cell. `role` did it or suffered it, then `by` a player's bomb.

    `detail` is the kind of a power-up or the cause of an elimination.
    """

    kind: Kind
    cell: int
    role: Role = ""
    detail: str = ""
    by: Role = ""


class Hit(msgspec.Struct, frozen=True):
    """A bomb's flame that reached a living player."""

    round: int
    victim: Role
    owner: Role
    bomb: tuple[int, int]
    link: int


class Standing(msgspec.Struct, frozen=True):
    """What a player can tell a change of, by name."""

    bombs_on_field: int
    players_alive: int
    fire_power: int
    bomb_count: int
    speed: int


class Player(msgspec.Struct):
    """A seat: what it can do, what it has heard and done, and its counts."""

    role: Role
    seat: int
    cell: int
    alive: bool = True
    fire: int = FIRE
    capacity: int = 1
    placed: int = 0
    speed: int = 1
    news: list[Event] = []
    history: list[tuple[int, str]] = []
    before: Standing | None = None
    cause: str = ""
    kills: int = 0
    flame_hits: int = 0
    bombs: int = 0
    evasions: int = 0
    power_ups: int = 0
    invalid: int = 0
    moves: int = 0
    turns: int = 0
    apart: int = 0

    @property
    def steps(self) -> int:
        """The most cells a move may take."""
        return STEPS + self.speed - 1
