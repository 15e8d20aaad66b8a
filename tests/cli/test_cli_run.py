"""`polyathlon run` from end to end, in this process."""

from __future__ import annotations

import json
import sys

from polyathlon import cli
from polyathlon.core import extras
from polyathlon.experiments.rundir import open_run

RUN = ["run", "lmgame/twenty48-v0", "--agent", "random", "--episodes", "2"]


def test_a_run_prints_a_table_and_the_path_of_its_report(tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main([*RUN, "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out.strip().endswith(str(out / "report.html"))
    assert (out / "report.html").stat().st_size > 10_000
    assert "2/2 episodes" in captured.err


def test_json_is_one_object_with_the_cells(tmp_path, capsys):
    assert cli.main([*RUN, "--out", str(tmp_path / "run"), "--json"]) == 0
    [cell] = json.loads(capsys.readouterr().out)["cells"]
    assert (cell["env"], cell["episodes"], cell["failed"]) == ("lmgame/twenty48-v0", 2, 0)
    score = cell["metrics"]["raw_score"]
    assert score["min"] <= score["mean"] <= score["max"]


def test_without_the_report_extra_a_run_still_succeeds(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert cli.main([*RUN, "--out", str(tmp_path / "run")]) == 0
    captured = capsys.readouterr()
    assert "raw_score" in captured.out
    assert extras.install("report") in captured.err


def test_limits_end_episodes_with_their_own_cause(tmp_path, capsys):
    out = tmp_path / "run"
    model = ["--model", "scripted/constant:move: up", "--harness", "perception"]
    limited = ["run", "lmgame/twenty48-v0", *model, "--limit", "tokens=900", "--out", str(out)]
    assert cli.main([*limited, "--json"]) == 0
    run = open_run(out)
    ends = [run.ended(id) for id in run.episode_ids()]
    assert [(end.status, end.cause) for end in ends if end] == [("truncated", "limit:tokens")]


def test_a_dry_run_writes_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    wanted = ["run", "lmgame-grid", "--model", "openai/gpt-4o", "--dry-run", "--json"]
    assert cli.main(wanted) == 0
    forecast = json.loads(capsys.readouterr().out)
    assert forecast["episodes"] == 48
    assert forecast["calls"] > forecast["turns"]
    assert forecast["cost_usd"] is None or forecast["most_usd"] > forecast["cost_usd"] > 0
    assert list(tmp_path.iterdir()) == []


def test_a_run_can_be_extended_and_verified(tmp_path, capsys):
    out = ["--out", str(tmp_path / "run"), "--json"]
    assert cli.main([*RUN, *out]) == 0
    assert cli.main([*RUN[:-1], "3", *out, "--resume"]) == 2
    assert cli.main([*RUN[:-1], "3", *out, "--resume", "--amend"]) == 0
    assert len(open_run(tmp_path / "run").episode_ids()) == 3
    capsys.readouterr()
    assert cli.main(["replay", str(tmp_path / "run"), "--verify"]) == 0
    assert capsys.readouterr().out.count("same:") == 3


def test_roles_and_models_make_lineups(tmp_path):
    out = str(tmp_path / "run")
    words = ["--agent", "random", "--model", "scripted/constant:move: up", "--turns", "2"]
    assert cli.main(["run", "lmgame/twenty48-v0", *words, "--harness", "off", "--harness",
                     "memory", "--seeds", "7", "--out", out, "--json"]) == 0  # fmt: skip
    run = open_run(tmp_path / "run")
    kinds = [run.header(id).episode.lineup["player"] for id in run.episode_ids()]
    assert sorted(agent.label for agent in kinds) == [
        "random", "scripted/constant:move: up", "scripted/constant:move: up",
    ]  # fmt: skip
    assert {bool(agent.harness) for agent in kinds if agent.model} == {True, False}


def test_what_an_agent_was_given_is_kept_and_shown(tmp_path, capsys):
    out = str(tmp_path / "run")
    words = ["--agent", "full", "--agent", "random", "--turns", "2", "--seeds", "0"]
    assert cli.main(["run", "omniplay/alchemist-v0", *words, "--out", out]) == 0
    assert "full (informed)" in capsys.readouterr().out
    run = open_run(tmp_path / "run")
    found = map(run.header, run.episode_ids())
    headers = {header.episode.lineup["player"].kind: header for header in found}
    assert {kind: header.access for kind, header in headers.items()} == {
        "full": {"player": "informed"},
        "random": {"player": "plain"},
    }
    cli.main(["replay", out, headers["full"].id])
    assert "player=full (informed)" in capsys.readouterr().out


def test_a_run_says_what_it_may_cost_before_it_starts(tmp_path, capsys):
    nobody = "vllm/any@http://127.0.0.1:9/v1"
    plan = ["run", "lmgame/twenty48-v0", "--model", nobody, "--turns", "1", "--episodes", "2"]
    out = ["--out", str(tmp_path / "run")]
    assert cli.main([*plan, *out, "--budget-usd", "1"]) == 2
    refused = capsys.readouterr().err
    assert f"--price {nobody}=INPUT,OUTPUT" in refused
    assert "0,0" in refused
    assert not (tmp_path / "run").exists()
    assert cli.main([*plan, *out, "--budget-usd", "0.01", "--price", f"{nobody}=1000,1000"]) == 2
    first, *_ = capsys.readouterr().err.splitlines()
    assert first.startswith("2 episodes may cost: about ")
    assert first.endswith("the run stops at 0.01 USD")
    about, most = (float(word.replace(",", "")) for word in first.split() if word[0].isdecimal()
                   and "." in word and word != "0.01")  # fmt: skip
    assert most > about > 0.01
    dry = [*plan, "--dry-run"]
    assert cli.main(dry) == 0
    assert "no price for" in capsys.readouterr().out


def test_a_run_that_costs_nothing_says_nothing_of_costs(tmp_path, capsys):
    free = ["--model", "scripted/constant:move: up", "--turns", "2"]
    assert cli.main(["run", "lmgame/twenty48-v0", *free, "--out", str(tmp_path / "run")]) == 0
    assert "may cost" not in capsys.readouterr().err
