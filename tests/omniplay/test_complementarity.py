"""No single sense is enough: the best player with one sense stays clearly below one with all.

Run with `-s` for the table. Showdown is a match of the four players over all seats.
"""

from __future__ import annotations

import msgspec
import pytest
from tests.omniplay.arms import arm, table
from tests.runtime.support import episode, played

from polyathlon.analysis.stats import Summary, summary
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.experiments.schedules import rotated

SINGLE = {
    "pathfinding": ("view_only", "guidance_only", "state_only"),
    "echoes": ("clip_only", "sounds_only", "layout_only", "screen_only"),
    "alchemist": ("board_only", "note_only", "state_only"),
    "phantom": ("map_only", "guidance_only", "state_only"),
    "showdown": ("arena_only", "sounds_only", "state_only"),
}
LEVELS = {"pathfinding": "hard", "echoes": "hard", "alchemist": "medium", "phantom": "hard"}
SEEDS, MATCH_SEEDS = range(40), range(20)
LOWER_IS_BETTER = ("pathfinding",)


@pytest.mark.slow
@pytest.mark.parametrize("game", SINGLE)
def test_one_sense_is_not_enough(game: str) -> None:
    players = ("full", *SINGLE[game])
    scores = _match(players) if game == "showdown" else _alone(game, players)
    table(f"{game}, {LEVELS.get(game, 'wins of a match')}", list(scores.items()))
    full = _interval(scores["full"])
    for player in SINGLE[game]:
        single = _interval(scores[player])
        apart = full[1] < single[0] if game in LOWER_IS_BETTER else single[1] < full[0]
        assert apart, player


def _alone(game: str, players: tuple[str, ...]) -> dict[str, Summary]:
    return {player: arm(game, LEVELS[game], player, seeds=SEEDS).summary() for player in players}


def _match(players: tuple[str, ...]) -> dict[str, Summary]:
    """The share of games that each wins; a seed gives four games, each player once in each seat."""
    spec = episode("omniplay/showdown-v0")
    wins: dict[str, list[float]] = {player: [] for player in players}
    seeds = [seed for seed in MATCH_SEEDS for _ in spec.lineup]
    for seed in MATCH_SEEDS:
        for lineup in rotated(list(map(AgentSpec, players)), tuple(spec.lineup), seed):
            ended = played(msgspec.structs.replace(spec, seed=seed, lineup=lineup))[-1]
            assert isinstance(ended, trace.Ended)
            for role, agent in lineup.items():
                wins[agent.kind].append(ended.roles[role]["win"])
    return {player: summary(won, seeds, event=True) for player, won in wins.items()}


def _interval(values: Summary) -> tuple[float, float]:
    assert values.interval is not None
    return values.interval
