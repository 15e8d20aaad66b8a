"""The Alchemist's Melody: the composite score and what the baselines reach."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.envs.omniplay.alchemist import SPEC, scoring
from polyathlon.envs.omniplay.alchemist.rules import ROLE, Taken

STEPS = st.lists(st.builds(Taken, st.sampled_from(["", "RED", "BLUE", "GREY"]), st.booleans()))


def composite(steps: list[Taken], completed: bool) -> float:
    return sum(scoring.parts(steps, completed).values())


def played(policy: str, seed: int, **options: object) -> Mapping[str, float]:
    env, act = registry.make(SPEC.id, None, options), registry.policy(SPEC.id, policy)
    assert act is not None
    env.reset(seed)
    rng = stream(seed, "players", policy)
    while env.pending():
        seen = env.observe(ROLE)
        env.act(ROLE, act(env.state(), ROLE, rng) if policy == "oracle" else act(seen, rng))
    return env.metrics()


def scores(policy: str, rounds: int, **options: object) -> tuple[float, float]:
    """Mean composite score and the half-width of its 95 % interval."""
    found = [played(policy, seed, **options)["composite"] for seed in range(rounds)]
    return statistics.mean(found), 1.96 * statistics.stdev(found) / math.sqrt(rounds)


def test_a_perfect_round_scores_100() -> None:
    steps = [Taken(colour, True) for colour in ("RED", "BLUE", "GREY", "GREEN", "ORANGE")]
    assert composite(steps, True) == 100.0


def test_the_parts_of_a_round_by_hand() -> None:
    steps = [
        Taken("RED", True),
        Taken("RED", False),
        Taken("", False),
        Taken("BLUE", False),
        Taken("RED", True),
        Taken("GREY", True),
    ]
    assert list(scoring.parts(steps, False).values()) == pytest.approx(
        [15.0, 0.0, 10 * 2 / 6, 10 - 10 * 3 / 6, 15 - 15 / 6, 5 * 2 / 5]
    )


@pytest.mark.parametrize(("steps", "points"), [(5, 30), (10, 30), (15, 15), (20, 0), (30, 0)])
def test_step_efficiency_falls_after_twice_the_melody(steps: int, points: float) -> None:
    log = [Taken("RED", True)] * steps
    assert scoring.parts(log, True)["efficiency_points"] == points
    assert scoring.parts(log, False)["efficiency_points"] == 0.0


@given(STEPS, st.booleans())
def test_parts_stay_within_their_maxima(steps: list[Taken], completed: bool) -> None:
    most = (30, 30, 10, 10, 15, 5)
    values = scoring.parts(steps, completed).values()
    assert all(-1e-9 <= value <= high for value, high in zip(values, most, strict=True))


def test_nothing_done_scores_nothing() -> None:
    assert composite([], False) == 0.0


def test_the_oracle_needs_five_steps() -> None:
    metrics = played("oracle", 3)
    assert (metrics["composite"], metrics["steps"], metrics["note_belief"]) == (100.0, 5.0, 1.0)


def test_replies_that_are_no_actions_score_the_two_parts_nobody_can_lose() -> None:
    metrics = played("invalid", 0)
    assert (metrics["composite"], metrics["invalid_actions"]) == (15.0, 50.0)


def test_a_belief_is_counted_when_it_is_stated() -> None:
    assert played("full", 0)["note_belief"] > 0.5
    assert played("invalid", 0)["note_belief"] == 0.0


def test_the_random_player_is_at_the_published_anchor() -> None:
    """OmniPlay, Table 23: random 25.51, completed 0 %."""
    mean, half = scores("random", 250)
    assert abs(mean - 25.51) < 3 * half


def test_the_ideal_player_reaches_the_human_anchor() -> None:
    """OmniPlay, Table 23: human 87.66."""
    mean, half = scores("full", 200)
    assert mean - half > 87.66
    hidden, _ = scores("full", 200, reveal_first=False)
    assert hidden == pytest.approx(84.6, abs=1.5)


def test_no_channel_alone_does_what_all_do_together() -> None:
    full, half = scores("full", 120)
    for name in ("board_only", "note_only", "state_only"):
        alone, width = scores(name, 120)
        assert alone + width < full - half - 5.0


@pytest.mark.slow
def test_anchors_over_two_thousand_rounds() -> None:
    rounds = [played("random", seed) for seed in range(2_000)]
    assert statistics.mean(r["composite"] for r in rounds) == pytest.approx(25.47, abs=0.35)
    assert 0.005 < statistics.mean(r["completed"] for r in rounds) < 0.02
