"""What a file names runs, or gets a key, only where the person at the machine named it too."""

from __future__ import annotations

import pytest
import yaml

from polyathlon.cli import main
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.trust import Trust, again, check, origin, trusted_by

ENV = "lmgame/twenty48-v0"
CODE = "tests.trust.canary:act"
HOST = "vllm/x@http://elsewhere:8000/v1"


@pytest.fixture(autouse=True)
def canary(tmp_path, monkeypatch):
    """A file that is there when the code of a file has run."""
    path = tmp_path / "canary"
    monkeypatch.setenv("POLYATHLON_TEST_CANARY", str(path))
    monkeypatch.delenv("VLLM_API_KEY", raising=False)
    return path


def spec(kind: str = "random", model: str = "", **harness: str) -> EpisodeSpec:
    return EpisodeSpec(ENV, "standard", {}, 0, {"player": AgentSpec(kind, model, harness)})


def experiment(folder, **player: str) -> str:
    path = folder / "shared.yaml"
    group = {"targets": [ENV], "lineups": [{"*": player}], "limits": {"turns": 1}}
    path.write_text(yaml.safe_dump({"groups": [group]}))
    return str(path)


def refusal(capsys, *words: str) -> str:
    capsys.readouterr()
    assert main(list(words)) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    return line


def test_code_of_an_experiment_file_is_refused_by_name(tmp_path, canary, capsys):
    said = refusal(capsys, "run", experiment(tmp_path, kind=CODE), "--out", str(tmp_path / "run"))
    assert f"--agent {CODE}" in said
    assert "--trust" in said
    assert not canary.exists()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("words", [["--trust"], ["--agent", CODE], ["--agent", f"player={CODE}"]])
def test_code_that_is_named_again_or_trusted_runs(tmp_path, canary, words):
    out = str(tmp_path / "run")
    assert main(["run", experiment(tmp_path, kind=CODE), *words, "--out", out]) == 0
    assert canary.exists()


def test_a_trace_runs_no_code_when_it_is_verified(tmp_path, canary, capsys):
    out = str(tmp_path / "run")
    words = ["--agent", CODE, "--turns", "1", "--out", out]
    assert main(["run", ENV, *words]) == 0
    canary.unlink()
    capsys.readouterr()
    assert main(["replay", out, "--verify"]) == 1
    assert f"--agent {CODE}" in capsys.readouterr().out
    assert not canary.exists()
    assert main(["replay", out, "--verify", "--agent", CODE]) == 0
    assert canary.exists()


def test_a_run_directory_runs_no_code_when_it_is_played_on(tmp_path, canary, capsys):
    out = str(tmp_path / "run")
    assert main(["run", ENV, "--agent", CODE, "--turns", "1", "--out", out]) == 0
    for trace in RunDir(tmp_path / "run").episodes.iterdir():
        trace.unlink()
    canary.unlink()
    capsys.readouterr()
    assert f"--agent {CODE}" in refusal(capsys, "run", "--out", out, "--resume")
    assert not canary.exists()
    assert main(["run", "--out", out, "--resume", "--agent", CODE]) == 0
    assert canary.exists()


def test_a_trace_under_another_name_runs_no_code_for_its_lost_media(tmp_path, canary):
    from polyathlon.experiments.rundir import open_run

    out = tmp_path / "run"
    assert main(["run", ENV, "--agent", CODE, "--turns", "1", "--out", str(out)]) == 0
    run = open_run(out)
    [id] = run.episode_ids()
    canary.unlink()
    lines = list(run.lines(id))
    lost = b'{"event":"message","hash":"","parent":"","speaker":"user","parts":[{"type":"image",'
    lost += b'"digest":"' + b"ab" * 32 + b'","shape":"1x1"}]}'
    run.sealed_path(id).unlink()
    run.trace_path(id).write_bytes(b"\n".join([lines[0], lost, *lines[1:], b""]))
    [known] = [header.episode for header in [run.header(id)]]
    progress = run_plan(run, [known], Settings())
    assert any(CODE in problem for problem in progress.problems)
    assert not canary.exists()


def test_a_key_goes_to_no_host_of_a_file(tmp_path, monkeypatch, capsys):
    file = experiment(tmp_path, model=HOST)
    out = ["--out", str(tmp_path / "run")]
    assert main(["run", file, "--dry-run"]) == 0
    monkeypatch.setenv("VLLM_API_KEY", "tok-0123456789")
    said = refusal(capsys, "run", file, *out)
    assert "would get VLLM_API_KEY" in said
    assert f"--model {HOST}" in said
    assert main(["run", file, "--dry-run", "--model", HOST]) == 0
    assert main(["run", file, "--dry-run", "--trust"]) == 0
    monkeypatch.setenv("VLLM_BASE_URL", "http://elsewhere:8000/v1")
    assert main(["run", file, "--dry-run"]) == 0


def test_a_host_in_the_harness_is_a_host_of_the_file(monkeypatch):
    monkeypatch.setenv("LLAMA_API_KEY", "tok-0123456789")
    captions = spec("llm", "scripted/first", perception="caption:llamacpp/c@http://elsewhere/v1")
    with pytest.raises(UserError, match="elsewhere"):
        check([captions], Trust(), "the file")
    check([captions], trusted_by(models=["llamacpp/other@http://Elsewhere:80/x"]), "the file")


def test_a_provider_of_another_package_is_taken_to_send_a_key():
    with pytest.raises(UserError, match="acme"):
        check([spec("llm", "acme/x@https://elsewhere/v1")], Trust(), "the file")


def test_several_at_once_are_counted():
    with pytest.raises(UserError, match="and 1 more like it"):
        check([spec("a:b"), spec("c:d")], Trust(), "the file")


def test_what_must_be_said_again_is_told(monkeypatch):
    monkeypatch.setenv("VLLM_API_KEY", "tok-0123456789")
    specs = [spec("a:b"), spec("a:b"), spec("llm", HOST), spec("random")]
    assert again(specs) == f" --agent a:b --model {HOST}"
    assert again([spec("random")]) == ""


def test_what_is_built_in_needs_no_trust():
    check([spec("oracle"), spec("llm", "openai/gpt-5.2")], Trust(), "the file")


@pytest.mark.parametrize(
    ("url", "of"),
    [
        ("http://h/v1", "http://h:80"),
        ("https://User:pw@H:443/x", "https://h:443"),
        ("http://[::1]:8000", "http://::1:8000"),
        ("http://h:port", ""),
        ("nonsense", ""),
    ],
)
def test_origins(url, of):
    assert origin(url) == of


def test_a_branched_trace_runs_no_code(tmp_path, canary, capsys):
    out = str(tmp_path / "run")
    assert main(["run", ENV, "--agent", CODE, "--turns", "3", "--out", out]) == 0
    [id] = RunDir(tmp_path / "run").episode_ids()
    canary.unlink()
    words = ["branch", out, id, "--turn", "1", "--out", str(tmp_path / "branch")]
    assert f"--agent {CODE}" in refusal(capsys, *words)
    assert not canary.exists()
    assert main([*words, "--agent", CODE]) == 0
    on = ["run", "--out", str(tmp_path / "branch"), "--resume"]
    assert f"--agent {CODE}" in refusal(capsys, *on)
    assert main([*on, "--agent", CODE]) == 0
