"""Defusal: players without a model.

`talker` and `manual` solve bombs by words alone: `--agent defuser=talker --agent expert=manual`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.actions import Command, Wait
from polyathlon.envs.gptnt.bomb.players import (
    ReadingExpert,
    TalkingDefuser,
    handle,
    random,
    stochastic,
)

__all__ = ["manual", "oracle", "random", "stochastic", "talker"]

talker = TalkingDefuser
manual = ReadingExpert


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Command:
    """The Defuser needs nobody; the Expert waits."""
    return handle(state) if role == "defuser" else Wait()
