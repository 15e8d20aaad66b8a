"""Schedules: who sits where when several players meet in games of several roles.

`product` is none of these: it plays every lineup as written, so `*` is self-play.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from polyathlon.core.agents import AgentSpec
from polyathlon.core.chance import stream
from polyathlon.core.world import Role

Lineup = dict[Role, AgentSpec]


def crossplay(pool: Sequence[AgentSpec], roles: Sequence[Role]) -> Iterator[Lineup]:
    """Every way to seat players of the pool, the same one in several seats included."""
    for players in itertools.product(pool, repeat=len(roles)):
        yield dict(zip(roles, players, strict=True))


def drawn(pool: Sequence[AgentSpec], roles: Sequence[Role], seed: int) -> Iterator[Lineup]:
    """One game: distinct players drawn uniformly for a seed and seated at random.

    A pool smaller than the game is drawn through again, so that nobody sits in two seats more
    than another. The draw depends on the seed alone: other seeds never shift it.
    """
    yield dict(zip(roles, _draw(pool, len(roles), seed), strict=True))


def rotated(pool: Sequence[AgentSpec], roles: Sequence[Role], seed: int) -> Iterator[Lineup]:
    """The drawn players of a seed in as many games as there are seats, each in every seat once."""
    players = _draw(pool, len(roles), seed)
    for shift in range(len(roles)):
        yield dict(zip(roles, players[shift:] + players[:shift], strict=True))


def _draw(pool: Sequence[AgentSpec], seats: int, seed: int) -> list[AgentSpec]:
    rng = stream(seed, "tournament")
    players: list[AgentSpec] = []
    while len(players) < seats:
        round_ = list(pool)
        rng.shuffle(round_)
        players += round_
    players = players[:seats]
    rng.shuffle(players)
    return players
