"""Blasting Showdown: what a player sees, hears and reads, and how it answers."""

from __future__ import annotations

from polyathlon.core.parts import Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.omniplay.showdown.rules.game import Rules
from polyathlon.envs.omniplay.showdown.view import hearing, scene, telling
from polyathlon.envs.omniplay.showdown.view.orders import Orders


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    """The arena, what was heard unless it was silent, and the state."""
    player = rules.by_role[role]
    seen = scene.captured(rules, player)
    sounds = hearing.captured(rules, player)
    report = telling.captured(rules, player)
    arena = Percept("arena", "image", seen, scene.draw, scene.tell)
    state = Percept("state", "text", report, written, telling.tell)
    if not sounds:
        return arena, state
    return arena, Percept("sounds", "audio", sounds, hearing.draw, hearing.tell), state


def actions(rules: Rules, role: Role) -> Orders:
    """The answers of this moment."""
    player = rules.by_role[role]
    return Orders(player.cell, tuple(rules.way(player)), rules.armed(player), rules.view_radius)


def written(report: telling.Report) -> Text:
    """The state as a part."""
    return Text(telling.tell(report))
