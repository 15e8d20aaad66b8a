"""Scoring a run: files beside the traces, reuse, failures, and the command."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.scorers.scored import run_of

from polyathlon import cli, registry
from polyathlon.agents.models.scripted import register_script
from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.scoring import Scores
from polyathlon.experiments.rundir import open_run
from polyathlon.experiments.scoring import ScoreFile, score_run

JUDGE = "scripted/constant:reason: stuck\ncause: repetition"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run_of(tmp_path_factory.mktemp("scoring"))


@pytest.fixture
def run(finished, tmp_path):
    """A run without scores."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("episodes", "experiment.yaml", "media"):
        if (finished.path / name).exists():
            (copy / name).symlink_to(finished.path / name)
    return open_run(copy)


def stored(run, scorer: str) -> list[ScoreFile]:
    paths = sorted((run.path / "scores" / scorer).iterdir())
    assert [path.name for path in paths] == [f"{id}.json" for id in run.episode_ids()]
    return [msgspec.json.decode(path.read_bytes(), type=ScoreFile) for path in paths]


def test_files_hold_scores_and_every_call(run) -> None:
    traces = [list(run.lines(id)) for id in run.episode_ids()]
    scored = score_run(run, "judge", JUDGE)
    assert stored(run, "judge") == list(scored.files)
    for file in scored.files:
        assert file.scores.values["repetition"] == 1.0
        assert sum(file.scores.values.values()) == 1.0
        assert file.scores.notes == ("repetition: stuck",)
        assert [message.speaker for message in file.messages] == ["system", "user"]
        [call] = file.calls
        assert call.head == file.messages[-1].hash
        assert call.attempts[0].reply.usage.input > 100
    assert scored.cost_usd == 0.0
    assert [list(run.lines(id)) for id in run.episode_ids()] == traces


def test_scores_are_reused_until_something_changes(run, tmp_path) -> None:
    first = score_run(run, "loops")
    assert first.reused == 0
    again = score_run(run, "loops")
    assert (again.reused, again.files) == (2, first.files)
    assert score_run(run, "loops", again=True).reused == 0
    torn = run.path / "scores" / "loops" / f"{run.episode_ids()[0]}.json"
    torn.write_bytes(torn.read_bytes()[:-20])
    assert score_run(run, "loops").reused == 1
    score_run(run, "judge", JUDGE)
    assert score_run(run, "judge", JUDGE + "s").reused == 0


def test_a_changed_trace_is_scored_anew(tmp_path) -> None:
    run = run_of(tmp_path)
    before = score_run(run, "loops")
    id = run.episode_ids()[0]
    lines = [line + b"\n" for line in run.lines(id) if b'"ineffective"' not in line]
    run.sealed_path(id).unlink()
    run.trace_path(id).write_bytes(b"".join(lines))
    after = score_run(run, "loops")
    assert after.reused == 1
    assert before.files[0].scores.values["invalid_rate"] > 0
    assert after.files[0].scores.values["invalid_rate"] == 0


def test_running_episodes_wait(tmp_path) -> None:
    run = run_of(tmp_path)
    id = run.episode_ids()[0]
    lines = [line + b"\n" for line in run.lines(id)]
    run.sealed_path(id).unlink()
    run.trace_path(id).write_bytes(b"".join(lines[:-1]))
    assert [file.episode for file in score_run(run, "loops").files] == run.episode_ids()[1:]


def test_a_failing_model_leaves_a_cause_and_is_asked_again(run) -> None:
    def fail(request):
        raise ValueError("out of order")

    register_script("moody", fail)
    scored = score_run(run, "judge", "scripted/moody")
    assert [file.cause for file in stored(run, "judge")] == ["model:script"] * 2
    assert len(scored.failed) == 2
    assert scored.files[0].calls[0].attempts[0].detail == "out of order"
    register_script("moody", lambda request: "cause: none")
    mended = score_run(run, "judge", "scripted/moody")
    assert (len(mended.failed), mended.reused) == (0, 0)


class Broken:
    """A scorer that works on one episode of two."""

    name, version, asks, envs = "broken", 1, False, ()

    async def score(self, events, ctx) -> Scores:
        assert isinstance(events[0], trace.Header)
        if events[0].episode.seed:
            raise RuntimeError("cannot read this")
        return Scores({"fine": 1.0})


def test_a_failing_scorer_fails_its_episode_alone(run, capsys) -> None:
    registry.register("scorers", "broken", Broken)
    assert cli.main(["score", str(run.path), "--scorer", "broken", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["causes"] == {"RuntimeError: cannot read this": 1}
    assert said["cells"][0]["metrics"]["fine"]["n"] == 1


@pytest.mark.parametrize(
    ("scorer", "model", "message"),
    [
        ("loop", "", "did you mean loops"),
        ("judge", "", "--model"),
        ("loops", JUDGE, "leave --model out"),
        ("judge", "scripted/nobody", "scripted model"),
    ],
)
def test_wrong_requests_write_nothing(run, scorer: str, model: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        score_run(run, scorer, model)
    assert not (run.path / "scores").exists()


def test_the_command_prints_a_table_and_one_object(run, capsys) -> None:
    assert cli.main(["score", str(run.path), "--scorer", "reflections"]) == 0
    printed = capsys.readouterr().out
    assert "merge_precision" in printed
    assert "2 episodes, 0 reused, 0 failed" in printed
    assert cli.main(["score", str(run.path), "--scorer", "reflections", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["episodes"], said["reused"], said["failed"]) == (2, 2, 0)
    [cell] = said["cells"]
    assert cell["condition"].startswith("both")
    assert cell["metrics"]["merge_stated"]["mean"] == 1.0
    assert cell["metrics"]["merge_stated"]["n"] == 2
