"""Candy: the random player and the greedy oracle."""

from __future__ import annotations

from itertools import count
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.lmgame.candy.rules import (
    Exchange,
    Grid,
    Swap,
    effective,
    exchanged,
    grid,
    settle,
)

_UNSEEN = 0xE000


def random(observation: Observation, rng: Stream) -> Swap:
    """Uniform over all swaps of two neighbours, ineffective ones included."""
    swap: Swap = observation.actions.sample(rng)
    return swap


def oracle(state: Any, role: Role, rng: Stream) -> Swap:
    """The swap that removes most, cascades of the visible candies included; then the lowest.

    New candies are taken to match nothing, since nobody can know them.
    """
    cells = "".join(state["board"])
    board = grid(len(state["board"]), len(state["board"][0]))
    hits = [item for item in board.swaps.items() if effective(cells, item[1])]
    return max(hits, key=lambda item: (_visible_gain(cells, board, item[1]), item[1].second))[0]


def _visible_gain(cells: str, board: Grid, exchange: Exchange) -> int:
    unseen = map(chr, count(_UNSEEN))
    return settle(exchanged(cells, exchange), board, lambda: next(unseen))
