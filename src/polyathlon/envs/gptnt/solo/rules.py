"""One player and a bomb, with the manual or without."""

from __future__ import annotations

from typing import Any, ClassVar

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.game import Game


class Rules(Game):
    """The game of one. Without the `manual` the player has to know the rules."""

    roles: ClassVar[tuple[Role, ...]] = ("player",)

    def __init__(self, level: str, *, manual: bool, **options: Any) -> None:
        super().__init__(level, **options)
        self.manual = manual

    def reader(self) -> Role | None:
        return super().reader() if self.manual else None
