"""Defusal alone: players without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.actions import Command
from polyathlon.envs.gptnt.bomb.players import handle, random, stochastic

__all__ = ["oracle", "random", "stochastic"]


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Command:
    """Reads the state and makes no mistake."""
    return handle(state)
