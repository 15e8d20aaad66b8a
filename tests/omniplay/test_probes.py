"""Recorded decisions asked again while a channel lies: who trusts it is moved, nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.marking import first_fast

from polyathlon.cli import main

MAZE, MAP = "omniplay/pathfinding-v0", "omniplay/phantom-v0"
CHANNELS = ("view", "guidance", "state")
DECISIONS = 8


def played(out: Path, env: str, agent: str, *words: str) -> str:
    run = ["run", env, "--agent", agent, "--level", "easy", "--seeds", "0:3", "--out", str(out)]
    assert main([*run, *words]) == 0
    return str(out)


def told(capsys: pytest.CaptureFixture[str], run: str, lie: str, *words: str) -> list[dict]:
    """The rows of `--json` for one channel."""
    capsys.readouterr()
    out = str(Path(run).with_name(f"{Path(run).name}-{lie}"))
    asked = ["probe", run, "--lie", lie, "--moments", str(DECISIONS), "--out", out, "--json"]
    assert main([*asked, *words]) == 0
    return json.loads(capsys.readouterr().out)["trust"]


@pytest.mark.parametrize("trusted", first_fast(CHANNELS))
def test_only_the_trusted_channel_moves_a_listener(trusted, tmp_path, capsys):
    run = played(tmp_path / "run", MAZE, f"{trusted}_listener")
    for channel in CHANNELS:
        [row] = told(capsys, run, channel)
        assert (row["moments"], row["episodes"]) == (DECISIONS, 3)
        assert row["noise"] == 0.0
        assert row["trust"] == row["moved"]
        assert row["moved"] > 0.5 if channel == trusted else row["moved"] == 0.0
        low, high = row["moved_interval"]
        assert low <= row["moved"] <= high
    assert row["who"] == f"{trusted}_listener (informed)"


@pytest.mark.parametrize(
    ("agent", "moves"), first_fast([("map_only", True), ("guidance_only", False)])
)
def test_a_false_map_moves_who_reads_maps(agent, moves, tmp_path, capsys):
    [row] = told(capsys, played(tmp_path / "run", MAP, agent), "map")
    assert (row["trust"] > 0.2) == moves


def test_nothing_moves_who_plays_at_random(tmp_path, capsys):
    run = played(tmp_path / "run", MAZE, "random", "--turns", "10")
    [row] = told(capsys, run, "guidance=opposite")
    assert row["moved"] == row["noise"] == 0.0


def test_probes_verify_and_are_no_games(tmp_path, capsys):
    run = played(tmp_path / "run", MAZE, "guidance_listener")
    told(capsys, run, "guidance")
    out = f"{run}-guidance"
    assert main(["replay", out, "--verify"]) == 0
    assert capsys.readouterr().out.count("  same: ") == 3 * DECISIONS
    assert main(["report", out]) == 0
    shown = capsys.readouterr().out
    assert "Trust: whose lies move whom" in shown
    assert "scores" not in shown


def test_what_cannot_be_probed_is_said(tmp_path, capsys):
    run = played(tmp_path / "run", MAZE, "guidance_listener", "--turns", "3")
    lying = played(
        tmp_path / "lying", MAZE, "full", "--turns", "3", "--intervene", "conflict:guidance"
    )
    out = ["--out", str(tmp_path / "out")]
    for words, why in {
        (run, "--lie", "smell"): "channel or modality",
        (run, "--lie", "guidance=sideways"): "could lie at no decision",
        (lying, "--lie", "guidance"): "lies in this run already",
        (run, "--lie", "guidance", "--moments", "0"): "counts from 1",
    }.items():
        assert main(["probe", *words, *out]) == 2
        assert why in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
