"""Without any extra: every env is played and told, or the extra that is missing is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.core_install import declared, link, python

from polyathlon import registry
from polyathlon.core import extras

PLAYER = Path(__file__).parent / "plays_every_env.py"
RANDOM = ("--agent", "random")
SCRIPTED = ("--model", "scripted/constant:move: up")
SPOKEN = ("omniplay/pathfinding-v0", "omniplay/phantom-v0")
"""Where a model hears a voice, so that the core alone cannot ask it."""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("core") / "site"
    link(declared(), site)
    return site


def played(site: Path, cwd: Path, *player: str) -> Iterator[tuple[str, int, str, list[str]]]:
    """Every env: its id, the exit code, what stdout said, the lines of stderr."""
    ran = python(site, str(PLAYER), *player, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    found: list[dict[str, Any]] = json.loads(ran.stdout)
    assert [one["env"] for one in found] == list(registry.built_in_env_specs())
    for one in found:
        yield one["env"], one["code"], one["said"], one["told"].splitlines()


def test_the_core_alone_brings_no_extra(core: Path, tmp_path: Path) -> None:
    absent = ("aiohttp", "jinja2", "openskill", "scipy", "vl_convert", "av", "numba", "pytest")
    script = "import sys; from importlib.util import find_spec as f; print(*map(f, sys.argv[1:]))"
    found = python(core, "-c", script, *absent, cwd=tmp_path).stdout.split()
    assert found == ["None"] * len(absent)


def test_every_env_is_played_at_random_and_told(
    core: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"reports need jinja2: {extras.install('report')}, or use --json"
    for env, code, said, told in played(core, tmp_path, *RANDOM):
        assert code == 0, (env, code)
        assert registry.env_spec(env).title in said, env
        assert page in told, (env, told)


@pytest.mark.slow
def test_every_env_is_played_by_a_model_or_names_its_voice(
    core: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    voice = f"1 episode stopped: speech needs espeak-ng: {extras.install('speech')}"
    for env, code, said, told in played(core, tmp_path, *SCRIPTED):
        assert code == (1 if env in SPOKEN else 0), (env, code, told)
        assert (voice in told) == (env in SPOKEN), (env, told)
        assert registry.env_spec(env).title in said, env


@pytest.mark.slow
def test_the_extra_that_was_named_is_enough(tmp_path: Path) -> None:
    site = tmp_path / "site"
    link([*declared(), "espeakng-loader"], site)
    for env in SPOKEN:
        short = ("--seeds", "0", "--level", "easy", "--turns", "2", "--out", env.partition("/")[2])
        ran = python(site, "-m", "polyathlon", "run", env, *SCRIPTED, *short, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr


def test_tables_need_no_extra(core: Path, tmp_path: Path) -> None:
    game = ("omniplay/showdown-v0", *RANDOM, "--episodes", "1", "--turns", "2")
    ran = python(core, "-m", "polyathlon", "run", *game, "--out", "run", "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["standings"]["omniplay/showdown-v0"][0]["mu"] is None
    told = python(core, "-m", "polyathlon", "report", "run", "--md", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "Ratings need openskill" in told.stdout
