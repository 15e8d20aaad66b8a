"""An install of the core alone: its dependencies and theirs, linked into a folder of their own.

Nothing is hidden or replaced: a Python that looks there and not in `site-packages` (`-S`) has what
`pip install polyathlon` brings, metadata included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from venv import EnvBuilder

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def declared() -> list[str]:
    """The dependencies that every install brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return list(project["dependencies"])


def every_extra() -> list[str]:
    """What every extra that people install brings besides; none for developers alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    return [
        requirement
        for extra, wanted in extras.items()
        if extra not in ("dev", "docs")
        for requirement in wanted
        if not requirement.startswith("polyathlon")
    ]


def link(requirements: Iterable[str], site: Path) -> None:
    """What these requirements bring, as links in the folder `site`."""
    site.mkdir(exist_ok=True)
    for package in _closure(requirements):
        for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (site / name).exists():
                (site / name).symlink_to(str(package.locate_file(name)))


def python(site: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Python over this package's source and `site` alone, in the folder `cwd`."""
    here = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(site)])}
    return subprocess.run(
        [sys.executable, "-S", *words],
        cwd=cwd,
        env={**os.environ, **here},
        capture_output=True,
        text=True,
        timeout=300,
    )


def _closure(requirements: Iterable[str]) -> Iterable[Distribution]:
    """The packages and what they need, as far as it is here: some are used without all of it."""
    found: dict[tuple[str, str], Distribution] = {}
    wanted = [(text, "") for text in requirements]
    while wanted:
        text, extra = wanted.pop()
        one = Requirement(text)
        if one.marker is not None and not one.marker.evaluate({"extra": extra}):
            continue
        for asked in one.extras or {""}:
            key = (one.name.lower(), asked)
            if key not in found and (package := _installed(one.name)) is not None:
                found[key] = package
                wanted += [(need, asked) for need in package.requires or ()]
    return found.values()


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def wheel(folder: Path) -> Path:
    """This package as a wheel in `folder`, built with what is installed here."""
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


def environment(folder: Path, built: Path, requirements: Iterable[str]) -> Path:
    """An environment with the wheel and what the requirements bring; its folder of programs."""
    EnvBuilder(symlinks=True).create(folder)
    programs = folder / "bin"
    (site,) = folder.glob("lib/python*/site-packages")
    link(requirements, site)
    pip_install(programs, str(built))
    return programs


def pip_install(programs: Path, *wanted: str) -> None:
    """What `pip install` does in an environment, without an index and without dependencies."""
    _pip("--python", str(programs / "python"), "install", "--no-deps", *wanted)


def _pip(*words: str) -> None:
    quiet = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = {**os.environ, "PIP_NO_INDEX": "1"}
    subprocess.run([*quiet, *words], check=True, env=offline, timeout=300)
