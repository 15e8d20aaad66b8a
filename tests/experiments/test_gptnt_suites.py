"""The suites of the bomb plan what the paper played."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polyathlon import registry
from polyathlon.cli import main
from polyathlon.core.episodes import EpisodeSpec, SchedulerSpec
from polyathlon.envs.gptnt.bomb.missions import MODULES, slug
from polyathlon.experiments import suites
from polyathlon.experiments.plan import episodes
from polyathlon.experiments.request import Overrides, override

MODEL = "scripted/first"
SINGLE = [slug(kind) for kind in MODULES]
PER_LEVEL = {
    "gptnt-multi-sync": {"multi": 10},
    "gptnt-single-sync": dict.fromkeys(SINGLE, 10),
    "gptnt-no-partner": dict.fromkeys(SINGLE, 10),
    "gptnt-no-manual": dict.fromkeys(SINGLE, 10),
    "gptnt-random": dict.fromkeys(SINGLE, 1_000),
    "gptnt-rule-seeds": dict.fromkeys(SINGLE, 30),
    "gptnt-oracle": {"multi": 10, **dict.fromkeys(SINGLE, 10), "random": 200},
    "gptnt-words": {"multi": 10, **dict.fromkeys(SINGLE, 10)},
}
"""Episodes by level."""
FOR_TWO = {"gptnt-multi-sync", "gptnt-single-sync", "gptnt-oracle", "gptnt-words"}


def planned(suite: str) -> list[EpisodeSpec]:
    return episodes(override(suites.suite(suite), Overrides(models=(MODEL,))))


@pytest.mark.parametrize("suite", PER_LEVEL)
def test_every_level_has_its_episodes_with_the_clock_frozen(suite: str) -> None:
    plan = planned(suite)
    assert Counter(spec.level for spec in plan) == PER_LEVEL[suite]
    assert {spec.scheduler for spec in plan} == {SchedulerSpec("stepped", 3.0)}
    assert {spec.options["pace"] for spec in plan} == {"stepped"}
    assert {spec.env for spec in plan} == {
        "gptnt/defusal-v0" if suite in FOR_TWO else "gptnt/solo-v0"
    }


@pytest.mark.parametrize("suite", ["gptnt-multi-sync", "gptnt-single-sync"])
def test_the_ten_seeds_are_the_ten_missions(suite: str) -> None:
    for level in PER_LEVEL[suite]:
        names = set()
        for spec in planned(suite):
            if spec.level == level:
                env = registry.make(spec.env, spec.level, spec.options)
                env.reset(spec.seed)
                state: Any = env.state()
                names.add(state["bomb"]["mission"]["name"])
        assert names == {f"{level}-{number}" for number in range(1, 11)}


def test_self_play_seats_one_model_twice_with_the_papers_sampling() -> None:
    for spec in planned("gptnt-single-sync"):
        assert [agent.model for agent in spec.lineup.values()] == [MODEL, MODEL]
        for agent in spec.lineup.values():
            assert (agent.harness["temperature"], agent.harness["max_tokens"]) == (0.6, 1_000)


def test_conditions_differ_in_what_they_take_away() -> None:
    assert all(spec.options["manual"] for spec in planned("gptnt-no-partner"))
    assert not any(spec.options["manual"] for spec in planned("gptnt-no-manual"))
    rules = Counter(spec.options["rule_seed"] for spec in planned("gptnt-rule-seeds"))
    assert rules == {0: 110, 1: 110, 2: 110}


def test_the_random_baseline_makes_a_hundred_attempts() -> None:
    plan = planned("gptnt-random")
    assert set(Counter((spec.level, spec.seed) for spec in plan).values()) == {100}
    assert {agent.kind for spec in plan for agent in spec.lineup.values()} == {"random"}


@pytest.mark.parametrize("suite", ["gptnt-oracle", "gptnt-words"])
def test_a_seed_of_a_suite_is_solved_and_replays(
    suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    levels = ["--level", "keypad", "--level", "simon-says"]
    assert main(["run", suite, *levels, "--seeds", "4", "--json", "--out", out]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert {cell["level"] for cell in cells} == {"keypad", "simon-says"}
    for cell in cells:
        assert cell["metrics"]["solved"]["mean"] == 1.0
        assert cell["metrics"]["strikes"]["mean"] == 0.0
    assert main(["replay", out, "--verify"]) == 0
