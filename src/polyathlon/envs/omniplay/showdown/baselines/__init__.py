"""Blasting Showdown: players without a model.

`oracle` reads the state. `full`, `arena_only`, `state_only` and `sounds_only` know what the words
of those channels say, and nothing else; the first three play as the oracle does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.actions import Malformed
from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.omniplay.showdown.baselines import bot, reading
from polyathlon.envs.omniplay.showdown.rules.arena import SIZE, cell_at
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb
from polyathlon.envs.omniplay.showdown.rules.pieces import FIRE, STEPS, Action, Move


def random(observation: Observation, rng: Stream) -> Action:
    """Uniform over the cells within reach and, when it is possible, a bomb."""
    action: Action = observation.actions.sample(rng)
    return action


def invalid(observation: Observation, rng: Stream) -> Malformed:
    """Never an action."""
    return Malformed("always invalid")


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Action:
    """Attacks, and survives its own bombs."""
    bombs = tuple(Bomb(cell_at(x, y), *rest) for x, y, *rest in state["bombs"])
    players = {player["role"]: player for player in state["players"]}
    me = players.pop(role)
    cell = me["cell"]
    field = bot.Field(
        me=cell,
        ground="".join(state["ground"]).encode(),
        bombs=bombs,
        others=tuple(other["cell"] for other in players.values() if other.get("alive", True)),
        steps=STEPS + me.get("speed", 1) - 1,
        fire=me.get("fire", FIRE),
        armed=me.get("placed", 0) < me.get("capacity", 1) and all(b.cell != cell for b in bombs),
        fuse=state["fuse"],
    )
    return bot.attack(field)


def passive(observation: Observation, rng: Stream) -> Action:
    """Flees from blasts and players and never bombs."""
    return bot.flee(_both(observation))


def full(observation: Observation, rng: Stream) -> Action:
    """Knows picture and state."""
    return bot.attack(_both(observation))


def arena_only(observation: Observation, rng: Stream) -> Action:
    """Knows the picture: neither fire powers nor its own bomb count and speed."""
    return bot.attack(reading.from_arena(_words(observation, "arena")))


def state_only(observation: Observation, rng: Stream) -> Action:
    """Knows the state: no crates and power-ups."""
    return bot.attack(reading.from_state(_words(observation, "state")))


def sounds_only(observation: Observation, rng: Stream) -> Action:
    """Knows what it hears, so not even where it is: it runs somewhere."""
    return Move(rng.below(SIZE), rng.below(SIZE))


def _both(observation: Observation) -> bot.Field:
    return reading.from_both(_words(observation, "arena"), _words(observation, "state"))


def _words(observation: Observation, channel: str) -> str:
    meanings = (p.meaning for p in observation.percepts if p.channel == channel)
    return next(meanings, None) or ""
