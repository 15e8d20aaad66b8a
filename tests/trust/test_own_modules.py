"""A user's own module is found because it was named; nothing else comes from the current folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENV = "lmgame/twenty48-v0"
SHADOWS = (
    "jinja2", "msgspec", "yaml", "scipy", "numpy", "openskill", "multiprocessing", "struct",
    "sitecustomize", "pickle", "rich", "cyclopts", "av", "zstandard", "pandas", "numba",
)  # fmt: skip
TRAP = "from pathlib import Path\nPath({mark!r}).touch()\n"
AGENT = """
from helping import choose, leave_mark

async def act(obs, last, ctx):
    await ctx.compute(leave_mark, obs.turn)
    return choose(obs)

act.replayable = True
"""
HELPER = """
from multiprocessing import current_process

def choose(obs):
    return "left" if obs.turn % 2 else "up"

def leave_mark(turn):
    with open("computed", "a") as file:
        file.write(current_process().name)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with modules that leave a mark when they are executed."""
    here = tmp_path / "here"
    here.mkdir()
    for name in SHADOWS:
        (here / f"{name}.py").write_text(TRAP.format(mark=str(tmp_path / f"executed-{name}")))
    (here / "my_agent.py").write_text(AGENT)
    (here / "helping.py").write_text(HELPER)
    return here


def polyathlon(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command as its script runs it."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    script = folder.parent / "bin" / "polyathlon"
    script.parent.mkdir(exist_ok=True)
    script.write_text(
        "import sys\nfrom polyathlon.cli import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    command = [sys.executable, str(script), *words]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)


def executed(folder: Path) -> list[str]:
    return [path.name for path in folder.parent.glob("executed-*")]


@pytest.mark.slow
def test_no_command_executes_what_lies_in_the_current_folder(folder):
    commands = [
        ["list", "envs"],
        ["run", ENV, "--agent", "random", "--turns", "2", "--seeds", "0:4", "--workers", "2",
         "--out", "run"],
        ["report", "run"],
        ["replay", "run", "--verify"],
        ["score", "run", "--scorer", "loops"],
        ["run", "--out", "run", "--resume"],
    ]  # fmt: skip
    for words in commands:
        done = polyathlon(folder, *words)
        assert done.returncode == 0, done.stderr
    assert executed(folder) == []


@pytest.mark.slow
def test_own_modules_play_in_workers_and_their_processes(folder):
    words = ["--agent", "my_agent:act", "--import", "helping", "--turns", "2", "--seeds", "0:2"]
    done = polyathlon(folder, "run", ENV, *words, "--workers", "2", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "SpawnProcess" in (folder / "computed").read_text()
    again = ["--verify", "--agent", "my_agent:act", "--import", "helping"]
    verified = polyathlon(folder, "replay", "run", *again)
    assert verified.returncode == 0, verified.stdout
    assert executed(folder) == []


def test_what_an_own_module_imports_is_named_too(folder):
    done = polyathlon(folder, "run", ENV, "--agent", "my_agent:act", "--out", "run")
    assert done.returncode == 2
    assert "--import helping" in done.stderr


@pytest.mark.parametrize("option", [["--agent", "jinja2:act"], ["--import", "jinja2"]])
def test_a_name_that_is_also_installed_is_refused_with_the_reason(folder, option):
    done = polyathlon(folder, "run", ENV, *option, "--out", "run")
    assert done.returncode == 2
    assert "jinja2/__init__.py" in done.stderr
    assert "rename yours" in done.stderr
    assert executed(folder) == []


def test_a_name_of_python_itself_is_refused(folder):
    done = polyathlon(folder, "run", ENV, "--agent", "struct:act")
    assert (done.returncode, executed(folder)) == (2, [])
    assert "rename yours" in done.stderr


def test_an_installed_module_needs_no_file_here(folder):
    (folder / "jinja2.py").unlink()
    done = polyathlon(folder, "run", ENV, "--agent", "jinja2:Template", "--out", "run")
    assert "rename" not in done.stderr
    assert "jinja2" not in str(executed(folder))


def test_a_package_is_found_as_a_module_is(folder):
    (folder / "mine" / "deep").mkdir(parents=True)
    (folder / "mine" / "deep" / "players.py").write_text("def act(obs): return 'up'\n")
    words = ["--agent", "mine.deep.players:act", "--turns", "1", "--out", "run"]
    done = polyathlon(folder, "run", ENV, *words)
    assert done.returncode == 0, done.stderr


def test_the_module_switch_of_python_does_not_let_the_folder_in(folder):
    for name in ("struct", "pickle", "multiprocessing", "sitecustomize"):
        (folder / f"{name}.py").unlink()  # Python itself looks for these before we are there
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = ["run", ENV, "--agent", "random", "--turns", "1", "--out", "run"]
    command = [sys.executable, "-m", "polyathlon", *words]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert executed(folder) == []
