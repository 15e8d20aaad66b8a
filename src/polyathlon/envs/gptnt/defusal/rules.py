"""Two players and a bomb: the Defuser sees and handles it, the Expert has the manual."""

from __future__ import annotations

from typing import ClassVar

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.game import Game


class Rules(Game):
    """The game of two. Both may always act; each hears the other with its next observation."""

    roles: ClassVar[tuple[Role, ...]] = ("defuser", "expert")
