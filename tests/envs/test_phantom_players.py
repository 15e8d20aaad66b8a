"""Phantom Soldiers in the Fog: how well its players do."""

from __future__ import annotations

import math
import statistics

import pytest
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.core.compose import ComposedEnv
from polyathlon.envs.omniplay.phantom import SPEC
from polyathlon.envs.omniplay.phantom.rules import ROLE


def mean_raw(level: str, policy: str, episodes: int) -> float:
    env = registry.make(SPEC.id, level)
    assert isinstance(env, ComposedEnv)
    choose = registry.policy(SPEC.id, policy)
    assert choose is not None
    scores = []
    for seed in range(episodes):
        env.reset(seed)
        rng = stream(seed, "policy", policy)
        while env.pending():
            if policy == "oracle":
                action = choose(env.state(), ROLE, rng)
            else:
                action = choose(env.observe(ROLE), rng)
            env.act(ROLE, action)
        scores.append(env.metrics()["raw_score"])
    return statistics.fmean(scores)


@pytest.mark.parametrize(("level", "human"), [("easy", 100.0), ("medium", 98.8), ("hard", 96.75)])
def test_the_oracle_is_as_good_as_people(level: str, human: float) -> None:
    """Table 19 has 100.00, 98.80 and 96.75 for people."""
    assert mean_raw(level, "oracle", 5) >= human


@pytest.mark.parametrize("level", first_fast(SPEC.levels))
def test_no_channel_alone_does_what_all_do(level: str) -> None:
    together = mean_raw(level, "full", 6)
    alone = {name: mean_raw(level, name, 6) for name in ("map_only", "guidance_only", "state_only")}
    assert max(alone.values()) < together


def test_who_orders_nothing_gets_nothing() -> None:
    assert mean_raw("easy", "passive", 2) == 0
    assert mean_raw("easy", "invalid", 2) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "published", "sd"),
    [("easy", 27.6, 24.2), ("medium", 40.43, 12.3), ("hard", 31.9, 13.2)],
)
def test_random_play_lands_near_the_published_anchor(
    level: str, published: float, sd: float
) -> None:
    """Within two standard errors of the 30 published episodes (Table 24), given our spread."""
    two_errors = 2 * sd / math.sqrt(30)
    assert mean_raw(level, "random", 300) == pytest.approx(published, abs=two_errors)
