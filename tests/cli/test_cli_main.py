"""The command line as a whole: help, exit codes, one-line errors, a fast start."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from polyathlon import __version__, cli
from polyathlon.core.errors import UserError

HEAVY = (
    "PIL",
    "altair",
    "anyio",
    "cyclopts",
    "numpy",
    "openai",
    "pydantic",
    "rich",
    "scipy",
    "yaml",
)


def refused(capsys: pytest.CaptureFixture[str], *tokens: str) -> str:
    assert cli.main(tokens) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    printed = capsys.readouterr().out
    for name in [
        "list",
        "show",
        "run",
        "report",
        "replay",
        "branch",
        "score",
        "play",
        "bench",
        "doctor",
    ]:
        assert f"\n  {name} " in printed


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    alone = capsys.readouterr().out
    assert cli.main(["-h"]) == 0
    assert capsys.readouterr().out == alone


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"]) == 0
    assert f"Usage: polyathlon {command}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean bench or branch?" in refused(capsys, "benhc")


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    error = refused(capsys, "list", "envs", "--jsn")
    assert "--json" in error
    assert "polyathlon list --help" in error


def test_missing_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert "polyathlon show --help" in refused(capsys, "show")


def test_user_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean lmgame/twenty48-v0" in refused(capsys, "show", "lmgame/twenty49-v0")


def outcome(monkeypatch: pytest.MonkeyPatch, result: int | BaseException | None) -> int:
    def doctor() -> int | None:
        if isinstance(result, BaseException):
            raise result
        return result

    monkeypatch.setattr("polyathlon.cli.doctor.doctor", doctor)
    return cli.main(["doctor"])


def test_exit_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(monkeypatch, None) == 0
    assert outcome(monkeypatch, 1) == 1
    assert outcome(monkeypatch, UserError("write this instead")) == 2
    assert outcome(monkeypatch, KeyboardInterrupt()) == 130


def test_a_fault_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        outcome(monkeypatch, ZeroDivisionError())


def test_a_closed_pipe_ends_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "polyathlon.cli", "list", "agents"]
    done = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, text=True, env=environment()
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (130, "")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_starting_imports_nothing_heavy() -> None:
    code = f"import sys, polyathlon.cli; print([m for m in {HEAVY} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert run.stdout.strip() == "[]"


def test_help_is_fast() -> None:
    def spent_s() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def seconds() -> float:
        start = spent_s()
        subprocess.run(
            [sys.executable, "-m", "polyathlon.cli", "--help"],
            capture_output=True,
            check=True,
            env=environment(),
        )
        return spent_s() - start

    assert min(seconds() for _ in range(5)) < 0.3
