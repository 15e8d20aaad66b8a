"""A wrong request is one line that says what to do, exit code 2, and nothing changed."""

from __future__ import annotations

import os

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.cli import main
from polyathlon.core.errors import UserError
from polyathlon.experiments.rundir import RunDir, create, open_run
from polyathlon.experiments.spec import parse, parse_seeds

ENV = "lmgame/twenty48-v0"


def _refused(capsys, *arguments: str) -> str:
    code = main(list(arguments))
    captured = capsys.readouterr()
    assert code == 2, captured
    assert captured.out == ""
    [line] = captured.err.strip().splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "name an env"),
        (["run", "lmgame/twenty84-v0", "--agent", "random"], "did you mean lmgame/twenty48-v0"),
        (["run", "lmgame/twenty48-v7", "--agent", "random"], "these versions exist"),
        (["run", "nothing/*", "--agent", "random"], "polyathlon list envs"),
        (["run", "lmgame-qick"], "did you mean lmgame-quick"),
        (["run", ENV], "--model"),
        (["run", ENV, "--agent", "randon"], "did you mean random"),
        (["run", ENV, "--agent", "nosuch.module:player", "--episodes", "1"], "nosuch"),
        (["run", ENV, "--agent", "boss=random"], "role"),
        (["run", ENV, "--model", "smollm2"], "PROVIDER/NAME"),
        (["run", ENV, "--model", "embeded/smollm2"], "did you mean embedded"),
        (["run", ENV, "--model", "embedded/smollm3"], "smollm2"),
        (["run", ENV, "--agent", "random", "--level", "hard"], "level"),
        (["run", ENV, "--agent", "random", "--set", "sise=5"], "did you mean size"),
        (["run", ENV, "--agent", "random", "--set", "size=99"], "3..8"),
        (["run", ENV, "--agent", "random", "--set", "size=four"], "takes a int"),
        (["run", ENV, "--agent", "random", "--set", "size"], "NAME=VALUE"),
        (["run", ENV, "--agent", "random", "--seeds", "5:2"], "0:50"),
        (["run", ENV, "--agent", "random", "--seeds", "-3"], "0:50"),
        (["run", ENV, "--agent", "random", "--seeds", "1", "--episodes", "2"], "not both"),
        (["run", ENV, "--agent", "random", "--intervene", "ablate:sound"], "sound"),
        (["run", ENV, "--agent", "random", "--intervene", "abblate:board"], "did you mean ablate"),
        (["run", ENV, "--agent", "random", "--scheduler", "later"], "turns"),
        (["run", ENV, "--agent", "random", "--scheduler", "stepped:soon"], "seconds"),
        (["run", ENV, "--agent", "random", "--concurrency", "0"], "count from 1"),
        (["run", ENV, "--agent", "random", "--limit", "token=3"], "did you mean tokens"),
        (["run", ENV, "--agent", "random", "--limit", "tokens=none"], "tokens"),
        (["run", ENV, "--agent", "random", "--limit", "wall_s=0"], "wall_s"),
        (["run", ENV, "--agent", "random", "--colour", "red"], "--colour"),
        (["run", ENV, "--model", "scripted/constant:x", "--harness", "persception=both"], "perc"),
        (["run", ENV, "--model", "scripted/constant:x", "--harness", "history=-1"], "history"),
        (["run", ENV, "--agent", "random", "--price", "x"], "MODEL=INPUT,OUTPUT"),
        (["run", ENV, "--agent", "random", "--rate", "x=many"], "GROUP=IN_FLIGHT"),
        (["report", "no/such/run"], "no run directory"),
        (["replay", "no/such/run", "ab"], "no run directory"),
        (["show", "lmgame/chess-v0"], "unknown env"),
        (["bench", "chess/text"], "unknown"),
    ],
)
def test_wrong_words(arguments, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert says in _refused(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_key_is_named_before_anything_is_played(capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    out = str(tmp_path / "run")
    assert "OPENAI_API_KEY" in _refused(capsys, "run", ENV, "--model", "openai/x", "--out", out)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("groups: [{targets: [lmgame/twenty48-v0], sceduler: {}}]", "did you mean scheduler"),
        ("groups: []", "groups"),
        ("groups: [{targets: [x]}]\nseeds: 3", "seeds"),
        ("just words", "top level"),
        *(
            (f"groups: [{{targets: [x], schedule: drawn, {key}: []}}]", f"groups.0.{key}")
            for key in ("lineups", "harnesses", "conditions", "seeds", "levels")
        ),
        ("groups: [", "no YAML"),
        ("groups: [{targets: [a], seeds: 9:1}]", "seeds"),
        ("groups: [{targets: [a], limits: {turns: 0}}]", "turns"),
        ("!!python/object/apply:os.system ['true']", "no YAML"),
    ],
)
def test_wrong_files(text, says, capsys, tmp_path):
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    assert says in _refused(capsys, "run", str(path))
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_that_is_no_run_is_left_alone(capsys, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    run = ["run", ENV, "--agent", "random", "--out", str(tmp_path)]
    assert "--out" in _refused(capsys, *run)
    assert "experiment.yaml" in _refused(capsys, *run, "--resume")
    assert "experiment.yaml" in _refused(capsys, "report", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_written(capsys, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    line = _refused(capsys, "run", ENV, "--agent", "random", "--out", str(blocked / "run"))
    assert "--out" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_without_permission(capsys, tmp_path):
    tmp_path.chmod(0o500)
    line = _refused(capsys, "run", ENV, "--agent", "random", "--out", str(tmp_path / "run"))
    assert "--out" in line


def test_runs_of_a_newer_schema(capsys, tmp_path):
    newer = create(tmp_path / "newer", {"experiment": {}})
    marker = newer.path / "experiment.yaml"
    marker.write_text(yaml.safe_dump({**newer.request(), "schema": 99}))
    assert "upgrade polyathlon" in _refused(capsys, "report", str(newer.path))

    odd = create(tmp_path / "odd", {"experiment": {}})
    header = b'{"event":"header","schema":99,"id":"a","episode":{"env":"e","level":"l",'
    odd.trace_path("a").write_bytes(header + b'"options":{},"seed":0,"lineup":{}}}\n')
    assert main(["report", str(odd.path)]) == 0
    assert "upgrade polyathlon" in capsys.readouterr().err


def _one_line_error(call) -> str | None:
    try:
        call()
    except UserError as error:
        text = str(error)
    else:
        return None
    assert "\n" not in text
    return text


@given(data=st.binary(max_size=400))
def test_any_bytes_in_a_trace_are_events_or_a_clear_error(tmp_path_factory, data):
    run = RunDir(tmp_path_factory.mktemp("run"))
    run.episodes.mkdir()
    run.trace_path("a").write_bytes(data)
    _one_line_error(lambda: list(run.events("a")))


@given(data=st.binary(max_size=200))
def test_any_marker_is_a_run_or_a_clear_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("run")
    (path / "experiment.yaml").write_bytes(data)
    assert _one_line_error(lambda: open_run(path))


_yaml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(value=_yaml_values)
def test_any_yaml_is_an_experiment_or_a_clear_error(value):
    text = _one_line_error(lambda: parse(value, "file.yaml"))
    assert text is None or "file.yaml" in text or "seeds" in text


@given(text=st.text(max_size=30))
def test_any_seed_text_is_seeds_or_a_clear_error(text):
    error = _one_line_error(lambda: parse_seeds(text))
    assert error is None or "seeds" in error
