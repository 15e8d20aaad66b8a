"""Whispered Pathfinding: what the player sees, hears and reads."""

from __future__ import annotations

from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.omniplay.pathfinding import figures, guidance
from polyathlon.envs.omniplay.pathfinding.moves import MOVES, Moves
from polyathlon.envs.omniplay.pathfinding.rules import Rules
from polyathlon.envs.omniplay.pathfinding.view import scene


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    told = guidance.hint(rules)
    return scene.percept(rules, told), guidance.percept(rules, told), figures.percept(rules)


def actions(rules: Rules, role: Role) -> Moves:
    return MOVES
