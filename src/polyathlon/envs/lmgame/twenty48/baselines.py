"""2048: the random player and the expectimax oracle."""

from __future__ import annotations

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.lmgame.twenty48.rules import DIRECTIONS


def random(observation: Observation, rng: Stream) -> str:
    """Uniform over the four directions, ineffective ones included."""
    return rng.choice(DIRECTIONS)
