"""What players know who take in one channel's words, or those of picture and state together."""

from __future__ import annotations

import re

import msgspec

from polyathlon.envs.omniplay.showdown.baselines.bot import Field
from polyathlon.envs.omniplay.showdown.rules.arena import (
    CELLS,
    FLOOR,
    PILLAR,
    PILLARS,
    cell_at,
)
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb
from polyathlon.envs.omniplay.showdown.rules.pieces import FIRE, ROLES

_AT = r"\((\d+), (\d+)\)"
_ROW = re.compile(r"^y (\d+): (.+)$", re.MULTILINE)
_LEFT = re.compile(r"^x from (\d+)", re.MULTILINE)
_PLAYER = re.compile(rf"(\w+) {_AT}")
_DRAWN_BOMB = re.compile(rf"(\w+)'s at {_AT} with fuse (\d+)")
_SELF = re.compile(rf"^You: (\w+), .* at {_AT}$", re.MULTILINE)
_OTHER = re.compile(rf"(\w+) at {_AT}")
_TOLD_BOMB = re.compile(
    rf"^- (\w+)'s at {_AT}, rounds to explosion (\d+), range (\d+)", re.MULTILINE
)
_STATUS = re.compile(r"^Fire power (\d+); bomb count (\d+); bombs placed (\d+)", re.MULTILINE)
_STEPS = re.compile(r"at most (\d+) cells")


def from_arena(text: str) -> Field:
    """What the picture shows. Fire power is not drawn: that of the start is assumed of all."""
    ground = bytearray(bare())
    left = int(_found(_LEFT, text)[0])
    for y, row in _ROW.findall(text):
        start = cell_at(left, int(y))
        on_cells = row.replace(" ", "").encode()
        ground[start : start + len(on_cells)] = on_cells
    me = _found(re.compile(r"you are (\w+)"), text)[0]
    players = {role: _cell(x, y) for role, x, y in _PLAYER.findall(_line(text, "players: "))}
    drawn = _DRAWN_BOMB.findall(text)
    bombs = tuple(Bomb(_cell(x, y), ROLES.index(who), int(n), FIRE) for who, x, y, n in drawn)
    return Field(
        me=players.pop(me),
        ground=bytes(ground),
        bombs=bombs,
        others=tuple(players.values()),
        armed=all(who != me for who, *_ in drawn),
    )


def from_state(text: str) -> Field:
    """What the state says. Of the ground it says nothing: no crates are assumed."""
    _, x, y = _found(_SELF, text)
    fire, capacity, placed = map(int, _found(_STATUS, text))
    others = _OTHER.findall(_line(text, "Other living players"))
    bombs = tuple(
        Bomb(_cell(x, y), ROLES.index(who.lower()), int(n), int(fire))
        for who, x, y, n, fire in _TOLD_BOMB.findall(text)
    )
    me = _cell(x, y)
    return Field(
        me=me,
        ground=bare(),
        bombs=bombs,
        others=tuple(_cell(x, y) for _, x, y in others),
        steps=int(_found(_STEPS, text)[0]),
        fire=fire,
        armed=placed < capacity and all(bomb.cell != me for bomb in bombs),
    )


def from_both(arena: str, state: str) -> Field:
    """The ground of the picture with the rest of the state."""
    return msgspec.structs.replace(from_state(state), ground=from_arena(arena).ground)


def bare() -> bytes:
    """The ground without crates."""
    return bytes(PILLAR if cell in PILLARS else FLOOR for cell in range(CELLS))


def _cell(x: str, y: str) -> int:
    return cell_at(int(x), int(y))


def _line(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def _found(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.search(text)
    if match is None:
        raise ValueError(f"nothing like {pattern.pattern!r} in {text!r}")
    return tuple(match.groups())
