"""The suites of OmniPlay: they plan what was published, on a fixed manifest of seeds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from polyathlon.cli import main
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.experiments import suites
from polyathlon.experiments.plan import episodes
from polyathlon.experiments.request import Overrides, override

Task = tuple[str, str]

MANIFEST: dict[Task, range] = {
    ("pathfinding", "easy"): range(1000, 1050),
    ("pathfinding", "medium"): range(2000, 2050),
    ("pathfinding", "hard"): range(3000, 3050),
    ("echoes", "easy"): range(4000, 4050),
    ("echoes", "medium"): range(5000, 5050),
    ("echoes", "hard"): range(6000, 6050),
    ("alchemist", "medium"): range(7000, 7050),
    ("phantom", "easy"): range(8000, 8030),
    ("phantom", "medium"): range(9000, 9030),
    ("phantom", "hard"): range(10_000, 10_030),
    ("showdown", "standard"): range(11_000, 11_050),
}
CONDITIONS = {
    "omniplay-ablation": {
        "pathfinding": ["", "ablate:audio", "ablate:image", "ablate:text"],
        "echoes": ["", "ablate:audio", "ablate:video ablate:image", "ablate:text"],
    },
    "omniplay-aid": {"echoes": ["", "aid:step"], "alchemist": ["", "aid:mapping"]},
    "omniplay-conflict": {
        "pathfinding": ["", "conflict:guidance=opposite", "conflict:state=inverted"]
    },
    "omniplay-noise": {"phantom": ["", "words:noise=0.4@guidance", "noise:camera=1@map"]},
    "omniplay-substitution": {"phantom": ["", "substitute:audio"]},
    "omniplay-simplified": {"echoes": [""]},
}
"""The paper's conditions by suite and game, in its order (Tables 8 to 17)."""
SUITES = [n for n in suites.names() if n.startswith("omniplay") and n != "omniplay-quick"]
"""All but the first look, which plays other seeds than any published figure."""
FOUR = ("scripted/first", "scripted/random", "scripted/echo", "scripted/constant:no")


def _planned(suite: str, *models: str) -> list[EpisodeSpec]:
    """The episodes of a suite, by random players where no model is named."""
    changes = Overrides(models=models) if models else Overrides(agents=("random",))
    return episodes(override(suites.suite(suite), changes))


def _task(spec: EpisodeSpec) -> Task:
    return spec.env.removeprefix("omniplay/").removesuffix("-v0"), spec.level


def test_every_diagnostic_has_its_suite() -> None:
    others = {"omniplay", "omniplay-showdown", "omniplay-human"}
    assert set(SUITES) == others | set(CONDITIONS)


def test_the_main_table_has_ten_tasks_of_the_published_size() -> None:
    published = {task: len(seeds) for task, seeds in MANIFEST.items() if task[0] != "showdown"}
    assert len(published) == 10
    assert Counter(map(_task, _planned("omniplay"))) == published


@pytest.mark.parametrize("suite", SUITES)
def test_seeds_are_those_of_the_manifest(suite: str) -> None:
    for spec in _planned(suite):
        seeds = MANIFEST[_task(spec)]
        assert spec.seed in (seeds[:10] if suite == "omniplay-human" else seeds)


def test_no_two_tasks_share_a_seed() -> None:
    seeds = [seed for task in MANIFEST.values() for seed in task]
    assert len(seeds) == len(set(seeds)) == 490


@pytest.mark.parametrize("suite", CONDITIONS)
def test_every_condition_meets_the_seeds_of_its_baseline(suite: str) -> None:
    planned = _planned(suite)
    for game, conditions in CONDITIONS[suite].items():
        of_game = [spec for spec in planned if _task(spec)[0] == game]
        assert list(dict.fromkeys(" ".join(spec.interventions) for spec in of_game)) == conditions
        groups: dict[tuple[str, str, str], list[int]] = {}
        for spec in of_game:
            key = spec.level, " ".join(spec.interventions), repr(spec.options)
            groups.setdefault(key, []).append(spec.seed)
        for (level, *_), seeds in groups.items():
            assert seeds == list(MANIFEST[game, level])
    assert {_task(spec)[0] for spec in planned} == set(CONDITIONS[suite])


def test_the_simplified_task_is_an_option() -> None:
    planned = _planned("omniplay-simplified")
    phases = Counter((spec.level, spec.options["phases"]) for spec in planned)
    assert phases == {(level, n): 50 for level in ("easy", "medium", "hard") for n in (1, 2)}


def test_a_person_plays_ten_of_each_and_does_not_see_the_sequence_again() -> None:
    planned = episodes(suites.suite("omniplay-human"))
    assert set(Counter(map(_task, planned)).values()) == {10}
    assert {agent.kind for spec in planned for agent in spec.lineup.values()} == {"human"}
    for spec in planned:
        assert spec.interventions == (("ablate:sequence",) if "echoes" in spec.env else ())


def test_fifty_games_seat_four_different_players() -> None:
    games = _planned("omniplay-showdown", *FOUR, "scripted/constant:yes", "scripted/constant:so")
    assert [game.seed for game in games] == list(MANIFEST["showdown", "standard"])
    tables = [{agent.model for agent in game.lineup.values()} for game in games]
    assert all(len(seated) == 4 for seated in tables)
    counts = Counter(model for seated in tables for model in seated)
    assert len(counts) == 6
    assert all(20 <= count <= 45 for count in counts.values())  # 33 expected, sd 3.3


def test_four_players_meet_in_every_game() -> None:
    for game in _planned("omniplay-showdown", *FOUR):
        assert {agent.model for agent in game.lineup.values()} == set(FOUR)


def test_the_first_seed_of_every_task_plays_through_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", "omniplay", "--agent", "random", "--seeds", "0:1", "--json"]
    command += ["--out", str(tmp_path / "run")]
    assert main(command) == 0
    scores = _scores(capsys.readouterr().out)
    assert len(scores) == 10
    traces = {path: path.read_bytes() for path in (tmp_path / "run" / "episodes").iterdir()}
    lost = sorted(traces)[3]
    lost.unlink()
    assert main([*command, "--resume"]) == 0
    assert _scores(capsys.readouterr().out) == scores
    assert set((tmp_path / "run" / "episodes").iterdir()) == set(traces)
    assert all(path.read_bytes() == traces[path] for path in traces if path != lost)


def _scores(out: str) -> dict[str, float]:
    cells = json.loads(out)["cells"]
    assert all((cell["episodes"], cell["failed"]) == (1, 0) for cell in cells)
    return {cell["env"] + cell["level"]: cell["metrics"]["raw_score"]["mean"] for cell in cells}
