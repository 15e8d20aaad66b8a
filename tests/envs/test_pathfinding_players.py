"""Whispered Pathfinding: baselines, complementarity, and what conflicts do to a listener."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import cache

import pytest
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.envs.omniplay.pathfinding import SPEC
from polyathlon.envs.omniplay.pathfinding.rules import ROLE
from polyathlon.interventions.build import build

PLAYERS = ("full", "view_only", "guidance_only", "state_only")
HUMAN = {"easy": 5.1, "medium": 8.0, "hard": 13.9}
RANDOM = {"easy": (100, 170), "medium": (240, 340), "hard": (345, 440)}


@cache
def steps(name: str, level: str, seeds: Sequence[int], *lies: str) -> list[float]:
    """How many steps a policy takes in each episode."""
    policy = registry.policy(SPEC.id, name)
    assert policy is not None
    changes = [build(text, SPEC) for text in lies]
    env = registry.make(SPEC.id, level)
    taken = []
    for seed in seeds:
        env.reset(seed)
        rng, noise = stream(seed, "test", "agent"), stream(seed, "test", "lies")
        while env.pending():
            seen = env.observe(ROLE)
            for change in changes:
                seen = change.apply(seen, noise)
            move = policy(env.state(), ROLE, rng) if name == "oracle" else policy(seen, rng)
            assert seen.actions.parse(seen.actions.write(move)) == move
            assert env.act(ROLE, move).status in ("ok", "ineffective")
        taken.append(env.metrics()["steps"])
    return taken


def half_width(values: Sequence[float]) -> float:
    """Half a 95 % interval of the mean."""
    return 1.96 * statistics.stdev(values) / math.sqrt(len(values))


def trimmed(values: Sequence[float]) -> float:
    return statistics.mean(sorted(values)[1:-1])


@pytest.mark.parametrize("name", SPEC.policies)
def test_every_policy_plays_within_the_rules(name: str) -> None:
    assert all(1 <= taken <= 500 for taken in steps(name, "easy", range(2)))


def test_the_oracle_is_no_slower_than_people() -> None:
    assert trimmed(steps("oracle", "easy", range(12))) <= HUMAN["easy"] + 0.5


def test_the_full_player_is_faster_than_each_channel_alone() -> None:
    means = {name: statistics.mean(steps(name, "hard", range(10))) for name in PLAYERS}
    assert means["full"] < 0.8 * min(means[name] for name in PLAYERS[1:])


@pytest.mark.parametrize("missing", ["view", "guidance", "state"])
def test_players_play_on_without_a_channel(missing: str) -> None:
    for name in (*PLAYERS, f"{missing}_listener"):
        assert all(taken <= 500 for taken in steps(name, "easy", range(2), f"ablate:{missing}"))


@pytest.mark.parametrize(
    ("trusted", "lie"),
    first_fast(
        [
            ("view", "conflict:view=opposite"),
            ("guidance", "conflict:guidance=opposite"),
            ("state", "conflict:state=inverted"),
        ]
    ),
)
def test_a_listener_is_led_astray_by_its_own_channel_alone(trusted: str, lie: str) -> None:
    others = [name for name in ("guidance", "view", "state") if name != trusted]
    honest = steps(f"{trusted}_listener", "easy", range(6))
    assert statistics.mean(steps(f"{trusted}_listener", "easy", range(6), lie)) > 1.5 * (
        statistics.mean(honest)
    )
    for other in others:
        assert steps(f"{other}_listener", "easy", range(3), lie) == steps(
            f"{other}_listener", "easy", range(3)
        )


@pytest.mark.slow
def test_lies_slow_the_players_that_understand_words_and_arrows() -> None:
    for name, lie in (
        ("guidance_only", "conflict:guidance=opposite"),
        ("full", "conflict:guidance=opposite"),
        ("view_only", "conflict:view=opposite"),
    ):
        honest, misled = steps(name, "medium", range(4)), steps(name, "medium", range(4), lie)
        assert statistics.mean(misled) > 3 * statistics.mean(honest)


def test_words_that_are_lost_slow_who_lives_on_words() -> None:
    honest = steps("guidance_only", "easy", range(6))
    noisy = steps("guidance_only", "easy", range(6), "words:delete=0.5@guidance")
    assert statistics.mean(noisy) > 1.3 * statistics.mean(honest)


@pytest.mark.slow
@pytest.mark.parametrize("level", SPEC.levels)
def test_the_oracle_is_no_slower_than_people_on_every_level(level: str) -> None:
    assert trimmed(steps("oracle", level, range(50))) <= HUMAN[level] + 0.5


@pytest.mark.slow
@pytest.mark.parametrize("level", SPEC.levels)
def test_random_play_lies_where_the_simulations_of_the_world_put_it(level: str) -> None:
    low, high = RANDOM[level]
    assert low <= statistics.mean(steps("random", level, range(60))) <= high


@pytest.mark.slow
@pytest.mark.parametrize("level", SPEC.levels)
def test_no_channel_alone_comes_near_the_full_player(level: str) -> None:
    taken = {name: steps(name, level, range(50)) for name in PLAYERS}
    bound = statistics.mean(taken["full"]) + half_width(taken["full"])
    for name in PLAYERS[1:]:
        assert statistics.mean(taken[name]) - half_width(taken[name]) > bound
