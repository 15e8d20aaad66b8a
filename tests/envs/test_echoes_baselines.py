"""Myriad Echoes: random play, oracle, players of one modality, and what interventions change."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

import pytest
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.core.chance import Stream, stream
from polyathlon.core.interventions import Intervention, in_order
from polyathlon.envs.omniplay.echoes import SPEC
from polyathlon.envs.omniplay.echoes.rules import GRIDS
from polyathlon.interventions.build import build

SINGLE = ("clip_only", "sounds_only", "layout_only", "screen_only")
EPISODES = 2_000
PUBLISHED_RANDOM = {"easy": 0.30, "medium": 0.075, "hard": 0.075}
"""OmniPlay, Table 22 by the raw-score formula."""


def game(
    level: str,
    seed: int,
    name: str,
    interventions: tuple[Intervention, ...] = (),
    **options: Any,
) -> dict[str, float]:
    """The metrics of one episode of a named policy."""
    env = registry.make(SPEC.id, level, options)
    policy = registry.policy(SPEC.id, name)
    assert policy is not None
    rng = stream(seed, "test", name)
    env.reset(seed)
    while env.pending():
        seen = env.observe("player")
        for intervention in interventions:
            seen = intervention.apply(seen, rng)
        env.act("player", _decide(policy, name, env, seen, rng))
    return dict(env.metrics())


def _decide(policy: Callable[..., Any], name: str, env: Any, seen: Any, rng: Stream) -> Any:
    if name == "oracle":
        return policy(env.state(), "player", rng)
    return policy(seen, rng)


def mean(
    metric: str, level: str, name: str, episodes: int = 50, *words: str, **options: Any
) -> float:
    built = tuple(in_order([build(word, SPEC) for word in words]))
    return fmean(game(level, seed, name, built, **options)[metric] for seed in range(episodes))


def expected_raw(count: int) -> float:
    """Uniform play: a permutation, names out of ten, then independent clicks, all leading."""
    coordinates = sum(1.0 / math.perm(count, k) for k in range(1, count + 1))
    icons = sum(0.1**k for k in range(1, count + 1))
    clicks = sum((1.0 / count) ** k for k in range(1, count + 1))
    return 0.5 * clicks + 0.25 * coordinates + 0.25 * icons


@pytest.mark.parametrize("level", first_fast(GRIDS))
def test_random_play_meets_its_expectation(level: str) -> None:
    rows, columns = GRIDS[level]
    scores = [game(level, seed, "random")["raw_score"] for seed in range(EPISODES)]
    sem = stdev(scores) / math.sqrt(EPISODES)
    assert abs(fmean(scores) - expected_raw(rows * columns)) < 4.0 * sem


@pytest.mark.parametrize("level", GRIDS)
def test_random_play_of_fifty_seeds_lies_near_the_published_anchor(level: str) -> None:
    scores = [game(level, seed, "random")["raw_score"] for seed in range(50)]
    sem = stdev(scores) / math.sqrt(50)
    assert abs(fmean(scores) - PUBLISHED_RANDOM[level]) < 4.0 * sem


@pytest.mark.parametrize("options", [{}, {"phases": 1}, {"sequence_source": "truth"}])
@pytest.mark.parametrize("level", GRIDS)
@pytest.mark.parametrize("name", ["oracle", "full"])
def test_oracle_and_full_player_complete_every_game(
    name: str, level: str, options: dict[str, Any]
) -> None:
    rows, columns = GRIDS[level]
    for seed in range(10):
        found = game(level, seed, name, **options)
        assert found["success"] == 1.0
        assert found["raw_score"] == rows * columns


@pytest.mark.parametrize("level", GRIDS)
def test_no_single_modality_is_enough(level: str) -> None:
    rows, columns = GRIDS[level]
    whole = mean("raw_score", level, "full", 20)
    assert whole == rows * columns
    best = max(mean("raw_score", level, name) for name in SINGLE)
    assert best < 0.6 * whole
    assert all(mean("success", level, name) == 0.0 for name in SINGLE)


def test_each_modality_carries_its_part() -> None:
    assert mean("coordinate_accuracy", "hard", "clip_only") == 15.0
    assert mean("score", "hard", "clip_only") < 0.5
    assert mean("icon_accuracy", "hard", "sounds_only") == 15.0
    assert mean("coordinate_accuracy", "hard", "sounds_only") < 0.5
    assert mean("raw_score", "hard", "layout_only") < 0.5
    assert mean("score", "hard", "layout_only", sequence_source="truth") == 1.0


@pytest.mark.parametrize("level", GRIDS)
def test_the_shifted_player_loses_everything_but_reads_well(level: str) -> None:
    assert mean("parse_failure", level, "shifted") == 0.0
    assert mean("score", level, "shifted") == 0.0
    assert mean("coordinate_accuracy", level, "shifted") == 0.0
    assert mean("raw_score", level, "shifted") < 0.5  # equal kinds in a row on the hard level


def test_the_invalid_player_always_fails_to_parse() -> None:
    assert mean("parse_failure", "easy", "invalid") == 1.0
    assert mean("raw_score", "easy", "invalid") == 0.0


def test_the_human_like_player_remembers_seven() -> None:
    assert mean("success", "easy", "recall7") == 1.0
    for level in ("medium", "hard"):
        assert 7.0 <= mean("coordinate_accuracy", level, "recall7") < 8.0
        assert 7.0 <= mean("score", level, "recall7") < 8.0


def test_interventions_change_what_they_touch() -> None:
    level, whole = "hard", 15.0
    assert mean("icon_accuracy", level, "full", 20, "conflict:sounds") < 1.0
    assert mean("coordinate_accuracy", level, "full", 20, "conflict:sounds") == whole
    assert mean("coordinate_accuracy", level, "full", 20, "conflict:clip=shuffled") == 0.0
    assert mean("coordinate_accuracy", level, "full", 20, "ablate:video") < 1.0
    assert mean("icon_accuracy", level, "full", 20, "ablate:audio") == whole
    assert mean("score", level, "full", 20, "ablate:text") < 1.0
    assert mean("score", level, "full", 20, "ablate:screen") < 1.0
    assert mean("score", level, "full", 20, "ablate:screen", "aid:step") == whole
    assert mean("score", level, "full", 5, "aid:step") == whole
