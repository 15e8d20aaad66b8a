"""One damaged episode is named, left out and counted; what is written is written whole or not."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys

import pytest
from tests.experiments.servers import ENV as ENVIRON
from tests.trust.hostile import Victim, many

from polyathlon.analysis.table import episodes
from polyathlon.cli import main
from polyathlon.core.errors import UserError
from polyathlon.core.pieces import Pieces
from polyathlon.experiments import traces
from polyathlon.experiments.rundir import open_run
from polyathlon.experiments.spending import spent_usd

ENV = "lmgame/twenty48-v0"
HARMS = {
    "cut": lambda v: v.sealed.write_bytes(v.sealed.read_bytes()[:-7]),
    "empty": lambda v: v.sealed.write_bytes(b""),
    "no text": lambda v: v.pack(b"\xff\xfe\n"),
    "no event": lambda v: v.among({"event": "surprise"}),
    "no header": lambda v: v.write(v.events[1:]),
    "nobody's": lambda v: v.among({"event": "deadline", "role": "nobody", "turn": 0}),
    "a number": lambda v: v.change("act", score=1e300),
    "too many": lambda v: many(v, 600_000),
}
WHOLE = ("nobody's", "a number", "no event", "no header")
"""Files that can be scored or played over: they are read to their end, or only their end is."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "run"
    words = ["--agent", "random", "--turns", "2", "--seeds", "0:3", "--out", str(out)]
    assert main(["run", ENV, *words]) == 0
    return out


@pytest.fixture
def victim(whole, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    return Victim(run, tmp_path)


@pytest.mark.parametrize("harm", HARMS)
def test_a_report_leaves_out_one_episode(victim, harm, capsys):
    HARMS[harm](victim)
    assert main(["report", str(victim.run), "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert [cell["episodes"] for cell in found["cells"]] == [2]
    [line] = found["damaged"]
    assert victim.id in line
    assert "1 damaged episode left out" in told.err
    assert main(["report", str(victim.run)]) == 0
    assert "1 damaged" in (victim.run / "report.html").read_text()


@pytest.mark.parametrize("harm", HARMS)
def test_verifying_goes_on_after_it(victim, harm, capsys):
    HARMS[harm](victim)
    assert main(["replay", str(victim.run), "--verify"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert sum(": " in line and " same: " in line for line in lines) == 2


@pytest.mark.parametrize("harm", [harm for harm in HARMS if harm not in WHOLE])
def test_scoring_and_resuming_go_on_without_it(victim, harm, capsys):
    HARMS[harm](victim)
    assert main(["score", str(victim.run), "--scorer", "loops", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["episodes"], len(told["damaged"])) == (2, 1)
    assert main(["run", "--out", str(victim.run), "--resume", "--json"]) == 1
    said = capsys.readouterr()
    assert f"{victim.id}.jsonl.zst" in said.err
    assert json.loads(said.out)["cells"][0]["episodes"] == 2


def test_what_a_damaged_trace_cost_counts_as_far_as_it_can_be_read(victim):
    used = {"event": "tool", "role": "player", "turn": 0, "ordinal": 0, "name": "x"}
    victim.among({**used, "cost_usd": 2.0}, {**used, "cost_usd": -9.0}, {"event": "surprise"})
    assert spent_usd(open_run(victim.run)) == 2.0


def test_an_episode_whose_values_cannot_be_told_costs_no_other(victim, monkeypatch, capsys):
    from polyathlon.cli import report

    right = report.cells

    def failing(rows):
        if any(row.id == victim.id for row in rows):
            raise ZeroDivisionError("none of it")
        return right(rows)

    monkeypatch.setattr(report, "cells", failing)
    assert main(["report", str(victim.run), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["damaged"] == [f"{victim.run} {victim.id}: ZeroDivisionError: none of it"]
    assert told["cells"][0]["episodes"] == 2


def test_what_is_damaged_is_told_of_every_run(victim, whole):
    HARMS["cut"](victim)
    found = episodes(victim.run, whole)
    assert (len(found.episodes), len(found.damaged)) == (5, 1)


def test_pieces_are_bounded():
    from polyathlon.core import trace

    pieces = Pieces()
    first = trace.Said("h", "", "user", (trace.Ref("text", pieces=("x" * 1_000_000,)),))
    pieces.restored(first)
    with pytest.raises(ValueError, match="more text"):
        pieces.restored(trace.Said("h", "", "user", (trace.Ref("text", pieces=(0,) * 17),)))
    again = trace.Said("h", "", "user", (trace.Ref("text", pieces=(0,) * 16),))
    for _ in range(7):
        pieces.restored(again)
    with pytest.raises(ValueError, match="more text"):
        pieces.restored(again)


def test_a_large_trace_is_read_line_by_line(victim, monkeypatch):
    monkeypatch.setattr(traces, "_WHOLE_BYTES", 64)
    monkeypatch.setattr(traces, "_CHUNK_BYTES", 16)
    run = open_run(victim.run)
    assert len(list(run.events(victim.id))) == len(victim.events)
    victim.sealed.write_bytes(victim.sealed.read_bytes()[:-5])
    with pytest.raises(UserError, match="damaged"):
        list(run.lines(victim.id))


def test_a_full_disk_leaves_the_old_page(victim):
    assert main(["report", str(victim.run)]) == 0
    page = victim.run / "report.html"
    page.write_text("the old page")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))

    done = subprocess.run(
        [sys.executable, "-m", "polyathlon", "report", str(victim.run)],
        env=ENVIRON, preexec_fn=small_files, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert page.read_text() == "the old page"
    assert not list(victim.run.glob("*.tmp"))


def test_a_pipe_gets_the_page(victim):
    assert main(["report", str(victim.run), "--html", "/dev/null"]) == 0


def test_a_link_out_of_a_run_is_not_written_through(victim, tmp_path, capsys):
    victim.link("scores", folder=True)
    assert main(["score", str(victim.run), "--scorer", "loops"]) == 2
    assert main(["run", "--out", str(victim.run), "--resume"]) == 2
    assert capsys.readouterr().err.count("leads out of the run directory") == 2
    assert list((tmp_path / "scores").iterdir()) == []
