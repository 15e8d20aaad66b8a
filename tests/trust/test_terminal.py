"""What comes from models and files cannot steer a terminal, whatever command shows it."""

from __future__ import annotations

import ast
import io
import json
import sys
from pathlib import Path

import pytest
import zstandard

import polyathlon
from polyathlon.cli import main
from polyathlon.core.console import note, say, show_uncaught, visible, visible_json
from polyathlon.experiments.rundir import open_run

ENV = "lmgame/twenty48-v0"
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\u2066\x7f\r\u2028\ufeff\U000e0041"
MAY_PRINT = {"testing/faults.py", "testing/playthrough.py", "bench/omniplay.py"}


def steers(text: str) -> str:
    """What in a text a terminal would obey."""
    return "".join(sign for sign in text if sign in EVIL and not sign.isprintable())


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain ÄÖ 漢字 ± ·", "plain ÄÖ 漢字 ± ·"),
        ("a\tb\nc\u00a0d\u2009e", "a\tb\nc\u00a0d\u2009e"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9bm\x7f\r\x00", "\\x9bm\\x7f\\r\\x00"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_is_visible(text, seen):
    assert visible(text) == seen


def test_json_stays_json():
    told = json.dumps({"a": EVIL, "b": "\U000e0041漢"}, ensure_ascii=False)
    assert json.loads(visible_json(told)) == json.loads(told)
    assert steers(visible_json(told)) == ""


def test_a_terminal_without_the_signs_gets_escapes(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    say("± 漢")
    assert stream.buffer.getvalue() == b"\\xb1 \\u6f22\n"


def test_uncaught_errors_are_visible_too(capsys, monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "tok-0123456789")
    try:
        raise ValueError(f"{EVIL} tok-0123456789")
    except ValueError as error:
        show_uncaught(type(error), error)
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert steers(said) == ""
    assert "tok-0123456789" not in said


def test_everything_is_said_in_one_place():
    source = Path(polyathlon.__file__).parent
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id == "print")
            or ast.unparse(node.func) in ("sys.stdout.write", "sys.stderr.write")
        )
    }
    assert found <= MAY_PRINT


@pytest.fixture
def hostile_run(tmp_path):
    """A run whose actions, thoughts, labels and metrics hold escapes."""
    out = tmp_path / "run"
    assert main(["run", ENV, "--agent", "random", "--turns", "2", "--out", str(out)]) == 0
    run = open_run(out)
    [id] = run.episode_ids()
    for kind in ("acts", "labels"):
        lines = [json.loads(line) for line in run.lines(id)]
        for line in lines:
            if line["event"] == "act":
                line |= {"action": EVIL, "thought": EVIL, "malformed": EVIL}
            if line["event"] == "header" and kind == "labels":
                line["episode"]["lineup"] = {"player": {"kind": "llm", "model": f"x/{EVIL}"}}
                line["episode"]["interventions"] = [EVIL]
            if line["event"] == "end":
                line["cause"] = EVIL
                line["metrics"] = {EVIL: 1.0, **line.get("metrics", {})}
        text = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n"
        target = run.episodes / f"{kind}.jsonl.zst"
        target.write_bytes(zstandard.compress(text.encode()))
    return out


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "RUN", "acts"],
        ["replay", "RUN", "labels"],
        ["replay", "RUN", "--verify"],
        ["replay", "RUN", EVIL],
        ["report", "RUN"],
        ["report", "RUN", "--json"],
        ["report", "RUN", "--md"],
        ["score", "RUN", "--scorer", "loops"],
        ["run", EVIL],
        ["show", EVIL],
        ["run", ENV, "--agent", EVIL],
    ],
)
def test_no_command_lets_escapes_through(hostile_run, words, capfd):
    main([str(hostile_run) if word == "RUN" else word for word in words])
    said = capfd.readouterr()
    assert said.out + said.err
    assert steers(said.out + said.err) == ""


def test_notes_are_one_place_too(capfd):
    note(EVIL)
    assert steers(capfd.readouterr().err) == ""
