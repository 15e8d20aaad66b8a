"""Sokoban: the state machine and what it stands on."""

from polyathlon.envs.lmgame.sokoban.rules.game import Rules, started_on_docks

__all__ = ["Rules", "started_on_docks"]
