"""A wheel, installed without an index where the core's dependencies alone are."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.core_install import declared, environment, pip_install, wheel

from polyathlon import registry

pytestmark = pytest.mark.slow
PLAYER = Path(__file__).parent / "plays_every_env.py"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("env") / "env", built, declared())


def ran(programs: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    first, *rest = words
    return subprocess.run(
        [str(programs / first), *rest],
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        timeout=300,
    )


def after_install(words: Sequence[str]) -> list[str]:
    """The words of a command after `install`, up to the comma that ends it."""
    return list(words[words.index("install") + 1 :])


def test_every_env_is_played_and_told(programs: Path, tmp_path: Path) -> None:
    player = ran(programs, tmp_path, "python", str(PLAYER), "--agent", "random")
    assert player.returncode == 0, player.stderr
    assert [(one["env"], one["code"]) for one in json.loads(player.stdout)] == [
        (env, 0) for env in registry.built_in_env_specs()
    ]


def test_suites_are_in_it(programs: Path, tmp_path: Path) -> None:
    listed = ran(programs, tmp_path, "polyathlon", "list", "suites")
    assert "omniplay-conflict" in listed.stdout
    dry = ran(programs, tmp_path, "polyathlon", "run", "lmgame-random", "--dry-run", "--json")
    assert json.loads(dry.stdout)["episodes"] > 0


def test_what_is_missing_names_a_command_that_works_here(
    programs: Path, built: Path, tmp_path: Path
) -> None:
    game = ("run", "lmgame/twenty48-v0", "--agent", "random", "--episodes", "1", "--turns", "2")
    played = ran(programs, tmp_path, "polyathlon", *game)
    assert played.returncode == 0, played.stderr
    (command,) = re.findall("^reports need jinja2: (.*), or use --json$", played.stderr, re.M)
    (wanted,) = after_install(shlex.split(command))
    assert wanted == f"polyathlon[report] @ {built.as_uri()}"
    pip_install(programs, wanted)
    assert ran(programs, tmp_path, "polyathlon", "--version").returncode == 0
