"""Whispered Pathfinding: random, oracle, and players that trust some channels alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.omniplay.pathfinding.maze import METRE
from polyathlon.envs.omniplay.pathfinding.moves import DIGITS, Move
from polyathlon.envs.omniplay.pathfinding.planning import first_move
from polyathlon.envs.omniplay.pathfinding.players import (
    full,
    guidance_listener,
    guidance_only,
    state_listener,
    state_only,
    view_listener,
    view_only,
)

__all__ = [
    "full",
    "guidance_listener",
    "guidance_only",
    "oracle",
    "random",
    "state_listener",
    "state_only",
    "view_listener",
    "view_only",
]


def random(observation: Observation, rng: Stream) -> Move:
    """Uniform over both ranges, in steps of 0.01 m and 0.1 degrees."""
    move: Move = observation.actions.sample(rng)
    return move


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Move:
    """The first of the least straight moves to the beacon."""
    here = round(state["x"] * METRE), round(state["y"] * METRE)
    stop, _ = first_move(tuple(state["maze"]), here)
    dx, dy = stop[0] - here[0], stop[1] - here[1]
    turn = math.degrees(math.atan2(dy, dx)) - state["heading"]
    return Move(
        round(math.hypot(dx, dy) / METRE, DIGITS), round((turn + 180.0) % 360.0 - 180.0, DIGITS)
    )
