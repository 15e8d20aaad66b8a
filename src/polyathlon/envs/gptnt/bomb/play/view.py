"""What a player of a game with the bomb senses and may answer."""

from __future__ import annotations

from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play import handbook, seeing
from polyathlon.envs.gptnt.bomb.play.commands import Commands
from polyathlon.envs.gptnt.bomb.play.game import Game


def percepts(rules: Game, role: Role) -> tuple[Percept, ...]:
    """The manual on its reader's first turn; the bomb on every turn of who handles it."""
    return (*handbook.percepts(rules, role), *seeing.percepts(rules, role))


def actions(rules: Game, role: Role) -> Commands:
    """The answers of this moment."""
    return seeing.commands(rules, role)
