"""Phantom Soldiers in the Fog: the state machine."""

from polyathlon.envs.omniplay.phantom.rules.mission import ROLE, Rules

__all__ = ["ROLE", "Rules"]
