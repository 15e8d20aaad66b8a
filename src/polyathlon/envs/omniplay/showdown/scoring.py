"""Blasting Showdown: the numbers of a game, of one player or of all."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.omniplay.showdown.rules.bombs import CAUSES
from polyathlon.envs.omniplay.showdown.rules.game import Rules
from polyathlon.envs.omniplay.showdown.rules.pieces import Player


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    """Of one role; without one, counts summed and `win` told of anybody."""
    players = rules.players if role is None else [rules.by_role[role]]
    outcome = rules.outcome()
    won = float(any(player.role in outcome.winners for player in players) if outcome else False)
    turns = _sum(players, "turns")
    bombs = _sum(players, "bombs")
    return {
        "raw_score": won,
        "win": won,
        "kills": _sum(players, "kills"),
        "deaths": float(sum(not player.alive for player in players)),
        "flame_hits": _sum(players, "flame_hits"),
        "bombs": bombs,
        "bombs_per_round": bombs / turns if turns else 0.0,
        "evasions": _sum(players, "evasions"),
        "nearest_opponent": _sum(players, "apart") / turns if turns else 0.0,
        "power_ups": _sum(players, "power_ups"),
        "invalid_actions": _sum(players, "invalid"),
        "moves": _sum(players, "moves"),
        "turns": turns,
        **{
            f"death_{cause}": float(sum(player.cause == cause for player in players))
            for cause in CAUSES
        },
    }


def _sum(players: list[Player], name: str) -> float:
    return float(sum(getattr(player, name) for player in players))
