"""The state in words: what the staff knows in numbers."""

from __future__ import annotations

import re

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE
from polyathlon.envs.omniplay.phantom.rules.fog import SECTOR_NAMES, sector_centre

_STATUS = {
    "idle": "idle",
    "move": "moving",
    "attack": "attacking",
    "defend": "defending",
    "recon": "scouting",
}


class Reported(msgspec.Struct, frozen=True):
    """A member as a report names it."""

    index: int
    health: int
    status: str
    x: float
    y: float


class Report(msgspec.Struct, frozen=True):
    """What a report says; `hint` is the sector of unusual activity, if there is any."""

    members: tuple[Reported, ...]
    rounds_left: int
    score: float
    hint: int | None


def percept(rules: Rules, score: float, hint: int | None) -> Percept:
    """The report, and what it would be if its places were turned about the map's centre."""
    members = [
        Reported(m.index, m.health, _STATUS[m.action] if m.health > 0 else "out", m.x, m.y)
        for m in rules.members
    ]
    scene = Report(tuple(members), rules.rounds - rules.round, score, hint)
    turned = None if hint is None else 8 - hint
    lie = Percept("state", "text", scene, draw_turned, tell_turned, _facts(turned))
    return Percept("state", "text", scene, draw, tell, _facts(hint), {"inverted": lie})


def tell(scene: Report) -> str:
    """One line for the team, each member, the rounds left, the score, the video, and the hint."""
    lines = [f"Team size: {len(scene.members)}"]
    for m in scene.members:
        lines.append(f"Member {m.index}: {m.health}% health, {m.status}, at ({m.x:g},{m.y:g})")
    lines.append(f"Rounds remaining: {scene.rounds_left}")
    lines.append(f"Score: {scene.score:.1f}/100")
    lines.append("Video: movement of the last round on the tactical map")
    if scene.hint is not None:
        lines.append(f"Hint: unusual activity in the {SECTOR_NAMES[scene.hint]} sector")
    return "\n".join(lines)


def draw(scene: Report) -> Part:
    """The report as text."""
    return Text(tell(scene))


def tell_turned(scene: Report) -> str:
    """The report with every place turned about the centre of the map."""
    replace = msgspec.structs.replace
    members = [
        replace(m, x=round(MAP_SIZE - m.x, 2), y=round(MAP_SIZE - m.y, 2)) for m in scene.members
    ]
    hint = None if scene.hint is None else 8 - scene.hint
    return tell(replace(scene, members=tuple(members), hint=hint))


def draw_turned(scene: Report) -> Part:
    """The turned report as text."""
    return Text(tell_turned(scene))


def _facts(hint: int | None) -> dict[str, JSON]:
    if hint is None:
        return {}
    x, y = sector_centre(hint)
    return {"suggests": f"COMMAND: all recon {x:.0f} {y:.0f}"}


_MEMBER = re.compile(r"Member (\d+): (\d+)% health, (\w+), at \(([\d.]+),([\d.]+)\)")


def read(text: str) -> list[Reported]:
    """The members a report names: the inverse of their lines."""
    return [
        Reported(int(index), int(health), status, float(x), float(y))
        for index, health, status, x, y in _MEMBER.findall(text)
    ]
