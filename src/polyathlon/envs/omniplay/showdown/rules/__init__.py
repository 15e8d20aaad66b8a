"""Blasting Showdown: the state machine."""

from polyathlon.envs.omniplay.showdown.rules.game import Rules

__all__ = ["Rules"]
