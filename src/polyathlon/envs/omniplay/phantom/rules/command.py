"""The command of a round."""

from __future__ import annotations

import msgspec

ACTIONS = ("move", "attack", "defend", "recon", "status")
MAP_SIZE = 100.0


class Command(msgspec.Struct, frozen=True):
    """An action for some members, in ascending order, or for the whole team: ().

    `x` counts from the western, `y` from the southern edge, both in [0, 100]; `status` has none.
    """

    members: tuple[int, ...]
    action: str
    x: float = 0.0
    y: float = 0.0


STATUS = Command((), "status")
