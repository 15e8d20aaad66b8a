"""Sokoban: the state machine and what it stands on."""

from polyathlon.envs.lmgame.sokoban.rules.game import Rules

__all__ = ["Rules"]
