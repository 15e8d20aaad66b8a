"""The numbers of a game, and of one player in it (section 15 of the specification).

Numbers of turns are those of the player, or of all players together; the rest is the game's. A
turn falls into one of waits, messages, navigations and interactions; a turn that was lost to an
error counts as a wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import get_args

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.catalogue import PUBLISHED
from polyathlon.envs.gptnt.bomb.play.game import Count, Game


def metrics(rules: Game, role: Role | None) -> Mapping[str, float]:
    """The metrics of the whole game, or with the turns of one player."""
    counts = sum(rules.counts.values(), Counter()) if role is None else rules.counts[role]
    turns = {name: float(counts[name]) for name in get_args(Count)}
    return {**_result(rules), **turns}


def _result(rules: Game) -> dict[str, float]:
    outcome = rules.outcome()
    reason = outcome.reason if outcome else ""
    progress = rules.progress()
    limit_s = float(rules.mission.time_limit_s)
    return {
        "raw_score": progress.share,
        "solved": float(reason == "solved"),
        "modules_solved": float(progress.solved),
        "modules_solved_share": progress.share,
        "modules": float(progress.modules),
        "strikes": float(progress.strikes),
        "strikeout": float(reason == "strikeout"),
        "timeout": float(reason == "timeout"),
        "time_left_s": progress.left_s,
        "time_share": 1.0 - progress.left_s / limit_s,
        "time_limit_s": limit_s,
        "mission": float(rules.number if rules.level in PUBLISHED else 0),
    }
