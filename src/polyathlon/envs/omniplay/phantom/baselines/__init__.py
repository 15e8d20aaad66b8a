"""Phantom Soldiers in the Fog: players without a model."""

from polyathlon.envs.omniplay.phantom.baselines.listeners import (
    full,
    guidance_only,
    map_only,
    state_only,
)
from polyathlon.envs.omniplay.phantom.baselines.oracle import oracle
from polyathlon.envs.omniplay.phantom.baselines.simple import invalid, passive, random

__all__ = [
    "full",
    "guidance_only",
    "invalid",
    "map_only",
    "oracle",
    "passive",
    "random",
    "state_only",
]
