"""How an action reads as a suggestion."""

from __future__ import annotations

from polyathlon.envs.omniplay.pathfinding.directions import quarter
from polyathlon.envs.omniplay.pathfinding.moves import MOVES, Move

PATHFINDING = "omniplay/pathfinding"


def heading(env: str, action: str) -> str:
    """What a percept's fact `suggests` says of the action; usually the action's own text."""
    if env.rsplit("-v", 1)[0] != PATHFINDING:
        return action
    move = MOVES.parse(action)
    return quarter(move.rotation_deg) if isinstance(move, Move) else ""
