"""Schedules seat every player fairly and the same way each time."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.toys import quorum

from polyathlon import registry
from polyathlon.core.agents import AgentSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.plan import episodes
from polyathlon.experiments.schedules import crossplay, drawn, rotated
from polyathlon.experiments.spec import parse

POOL = [AgentSpec("llm", f"scripted/{name}") for name in "abcdef"]
SEATS = ("red", "blue", "green", "yellow")


def test_a_draw_depends_on_its_seed_alone_and_seats_distinct_players() -> None:
    games = [next(drawn(POOL, SEATS, seed)) for seed in range(300)]
    assert games == [next(drawn(POOL, SEATS, seed)) for seed in range(300)]
    assert all(len({agent.model for agent in game.values()}) == 4 for game in games)
    played = Counter(agent.model for game in games for agent in game.values())
    assert all(160 <= count <= 240 for count in played.values())  # 200 expected, sd 8
    seats = Counter((seat, agent.model) for game in games for seat, agent in game.items())
    assert all(25 <= count <= 80 for count in seats.values())  # 50 expected, sd 6.8


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_small_pool_is_shared_out_evenly(size: int) -> None:
    for seed in range(40):
        game = next(drawn(POOL[:size], SEATS, seed))
        counts = Counter(agent.model for agent in game.values())
        assert max(counts.values()) - min(counts.values()) <= 1


def test_rotation_gives_every_drawn_player_every_seat_once() -> None:
    games = list(rotated(POOL, SEATS, 7))
    assert len(games) == 4
    seats = {(seat, agent.model) for game in games for seat, agent in game.items()}
    assert len(seats) == 16


def test_crossplay_seats_every_ordered_pair() -> None:
    games = [tuple(agent.model for agent in g.values()) for g in crossplay(POOL[:3], ("x", "y"))]
    assert len(games) == 9
    assert len(set(games)) == 9


def _plan(**group) -> list:
    registry.register_env(quorum.SPEC)
    lineups = [{"*": {"kind": "random"}}, {"*": {"kind": "oracle"}}]
    wish = {"targets": [quorum.SPEC.id], "lineups": lineups, "seeds": "0:5", **group}
    return episodes(parse({"groups": [wish]}, "here"))


def test_a_tournament_is_planned_from_a_pool() -> None:
    assert len(_plan(schedule="drawn")) == 5
    played = _plan(schedule="rotated")
    assert len(played) > 5
    assert {agent.kind for spec in played for agent in spec.lineup.values()} == {"random", "oracle"}
    assert len(_plan(schedule="crossplay", seeds="0")) == 16


def test_a_pool_names_no_roles() -> None:
    seated = [{"north": {"kind": "random"}, "*": {"kind": "oracle"}}]
    with pytest.raises(UserError, match="name no roles"):
        _plan(schedule="drawn", lineups=seated)
