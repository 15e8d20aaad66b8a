"""The tactical map as a scene: captured when looked at, told in words or drawn as a clip.

The map shows where objectives are, not what is wanted there, and no health.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Video
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE
from polyathlon.envs.omniplay.phantom.rules.fog import (
    CELLS,
    SECTOR_CELLS,
    SECTOR_NAMES,
    disc,
    unseen,
)
from polyathlon.envs.omniplay.phantom.rules.mission import sight
from polyathlon.envs.omniplay.phantom.rules.world import CALL_SIGNS

Place: TypeAlias = tuple[float, float]


class Unit(msgspec.Struct, frozen=True):
    """A member on the map: where it was a round ago, is now, and was told to go.

    `action` is "out" for a member who is out. `sight` is its radius of sight.
    """

    index: int
    letter: str
    action: str
    before: Place
    at: Place
    aim: Place
    sight: float


class Mark(msgspec.Struct, frozen=True):
    """An objective on the map: its letter, its sort (visible, hidden, late), and whether done."""

    letter: str
    sort: str
    at: Place
    done: bool


class Foe(msgspec.Struct, frozen=True):
    """A threat on the map, where it is, or was last seen."""

    at: Place
    sighted: bool


class Scene(msgspec.Struct, frozen=True):
    """The whole map of one round. `explored` is a set of cells as in `rules.fog`."""

    round: int
    rounds: int
    score: float
    terrain: int
    explored: int
    units: tuple[Unit, ...]
    marks: tuple[Mark, ...]
    foes: tuple[Foe, ...]


def percept(rules: Rules, score: float) -> Percept:
    """The map, and the mirrored map as its counterfactual."""
    scene = captured(rules, score)
    nearest = _nearest(scene)
    turned = None if nearest is None else (nearest[0], _opposite(nearest[1]))
    lie = Percept("map", "video", scene, draw_turned, tell_turned, _facts(turned))
    return Percept("map", "video", scene, draw, tell, _facts(nearest), {"mirrored": lie})


def captured(rules: Rules, score: float) -> Scene:
    """What the map shows now."""
    return Scene(
        rules.round,
        rules.rounds,
        round(score, 1),
        rules.terrain,
        rules.explored,
        tuple(
            [
                Unit(
                    m.index,
                    m.trade.letter,
                    m.action if m.health > 0 else "out",
                    m.before,
                    (m.x, m.y),
                    m.aim,
                    sight(m),
                )
                for m in rules.members
            ]
        ),
        tuple(
            [
                Mark("ABCDEFG"[i], target.sort, (target.x, target.y), target.done)
                for i, target in enumerate(rules.objectives)
                if target.known
            ]
        ),
        tuple([Foe(t.seen, t.sighted) for t in rules.threats if t.seen and t.health > 0]),
    )


def turn(scene: Scene) -> Scene:
    """The scene turned about the centre of the map."""
    replace = msgspec.structs.replace
    bits = f"{scene.explored:0{CELLS * CELLS}b}"
    return replace(
        scene,
        explored=int(bits[::-1], 2),
        units=tuple(
            replace(u, before=_opposite(u.before), at=_opposite(u.at), aim=_opposite(u.aim))
            for u in scene.units
        ),
        marks=tuple(replace(mark, at=_opposite(mark.at)) for mark in scene.marks),
        foes=tuple(replace(foe, at=_opposite(foe.at)) for foe in scene.foes),
    )


def in_sight(scene: Scene) -> int:
    """The cells in sight of a member."""
    cells = 0
    for unit in scene.units:
        if unit.action != "out":
            cells |= disc(*unit.at, unit.sight)
    return cells


def draw(scene: Scene) -> Video:
    """The movement of the last round: 12 frames of 640x480 at 8 a second."""
    from polyathlon.envs.omniplay.phantom.view import painting

    return painting.clip_of(scene)


def draw_turned(scene: Scene) -> Video:
    """The clip turned about the centre of the map: the lie of this channel."""
    return draw(turn(scene))


def tell_turned(scene: Scene) -> str:
    """What the turned clip shows."""
    return tell(turn(scene))


def tell(scene: Scene) -> str:
    """Round and score, members with orders, objectives, threats, and how much is unseen."""
    return "\n".join(
        [
            f"Round {scene.round} of {scene.rounds}, score {scene.score} of 100.",
            *map(_unit, scene.units),
            *map(_mark, scene.marks),
            *map(_foe, scene.foes),
            _dark(scene.explored),
        ]
    )


def _unit(unit: Unit) -> str:
    name, (x, y), (aim_x, aim_y) = CALL_SIGNS[unit.index], unit.at, unit.aim
    if unit.action == "out":
        return f"{name} ({unit.letter}) fell at ({round(x)}, {round(y)})."
    how = "stands" if unit.before == unit.at else "moves"
    order = f"{unit.action}, ordered to ({round(aim_x)}, {round(aim_y)})."
    return f"{name} ({unit.letter}) {how} at ({round(x)}, {round(y)}), {order}"


@lru_cache(maxsize=256)
def _mark(mark: Mark) -> str:
    state, (x, y) = "complete" if mark.done else "open", mark.at
    return f"Objective {mark.letter} ({mark.sort}) at ({round(x)}, {round(y)}): {state}."


@lru_cache(maxsize=256)
def _foe(foe: Foe) -> str:
    state, (x, y) = "in sight" if foe.sighted else "seen earlier", foe.at
    return f"Threat at ({round(x)}, {round(y)}): {state}."


@lru_cache(maxsize=256)
def _dark(explored: int) -> str:
    shares = [
        f"{name} {100 * count // SECTOR_CELLS}"
        for name, count in zip(SECTOR_NAMES, unseen(explored), strict=True)
    ]
    return f"Unseen, in %: {', '.join(shares)}."


def _opposite(place: Place) -> Place:
    return MAP_SIZE - place[0], MAP_SIZE - place[1]


def _nearest(scene: Scene) -> tuple[int, Place] | None:
    """The member nearest to an open objective, and that objective's place."""
    best, least = None, float("inf")
    for mark in scene.marks:
        if mark.done:
            continue
        x, y = mark.at
        for unit in scene.units:
            apart = (unit.at[0] - x) ** 2 + (unit.at[1] - y) ** 2
            if apart < least and unit.action != "out":
                best, least = (unit.index, mark.at), apart
    return best


def _facts(nearest: tuple[int, Place] | None) -> dict[str, JSON]:
    """The map suggests that the nearest member goes to the open objective nearest to it."""
    if nearest is None:
        return {}
    index, (x, y) = nearest
    return {"suggests": f"COMMAND: {index} move {round(x)} {round(y)}"}


_UNIT = re.compile(
    r"(\w+) \((\w)\) (stands|moves) at \((\d+), (\d+)\), (\w+), ordered to \((\d+), (\d+)\)\."
)
_MARK = re.compile(r"Objective (\w) \((\w+)\) at \((\d+), (\d+)\): open\.")
_UNSEEN = re.compile(r" (\d+)[,.]")


class Seen(msgspec.Struct, frozen=True):
    """A living member as read off the map; `stands` when it did not move in the last round."""

    index: int
    letter: str
    stands: bool
    at: Place
    action: str
    aim: Place


class Reading(msgspec.Struct, frozen=True):
    """What can be read off the map: living members, open objectives, unseen shares by sector."""

    round: int
    units: tuple[Seen, ...]
    open: tuple[Place, ...]
    unseen: tuple[int, ...]


def read(text: str) -> Reading:
    """The inverse of `tell`, but for the score, threats, and what is complete or out."""
    units = tuple(
        Seen(
            CALL_SIGNS.index(name),
            letter,
            how == "stands",
            (float(x), float(y)),
            action,
            (float(aim_x), float(aim_y)),
        )
        for name, letter, how, x, y, action, aim_x, aim_y in _UNIT.findall(text)
    )
    marks = tuple((float(x), float(y)) for _, _, x, y in _MARK.findall(text))
    shares = tuple(int(share) for share in _UNSEEN.findall(text.rsplit("Unseen", 1)[-1]))
    return Reading(int(text.split(" ", 2)[1]), units, marks, shares)
