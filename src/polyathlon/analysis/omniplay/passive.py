"""Passive wins: who outlives the others without fighting them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from polyathlon.analysis.rows import EpisodeRow, RoleRow
from polyathlon.analysis.standings import player
from polyathlon.core.world import Role

MOST_BOMBS = 1
CAUSES = ("direct", "chain", "self", "crossfire")


class PassiveWin(msgspec.Struct, frozen=True):
    """A game won without a kill and with at most one bomb (section 11).

    `fates` says how each other player fell, "alive" for those who did not.
    """

    episode: str
    seed: int
    player: str
    role: Role
    bombs: float
    evasions: float
    moves: float
    nearest_opponent: float
    fates: Mapping[Role, str]


def passive_wins(rows: Iterable[EpisodeRow]) -> Iterator[PassiveWin]:
    """The passive wins among counted games."""
    for row in rows:
        for role in row.winners if row.counted else ():
            won = row.roles[role].metrics
            if won.get("kills", 1.0) == 0 and won.get("bombs", MOST_BOMBS + 1) <= MOST_BOMBS:
                yield _passive(row, row.roles[role])


def _passive(row: EpisodeRow, seat: RoleRow) -> PassiveWin:
    won = seat.metrics
    others = {role: fate(other) for role, other in row.roles.items() if role != seat.role}
    return PassiveWin(
        row.id,
        row.seed,
        player(seat),
        seat.role,
        won["bombs"],
        won.get("evasions", 0.0),
        won.get("moves", 0.0),
        won.get("nearest_opponent", 0.0),
        others,
    )


def fate(seat: RoleRow) -> str:
    """How a player was eliminated, or "alive"."""
    return next((cause for cause in CAUSES if seat.metrics.get(f"death_{cause}")), "alive")
