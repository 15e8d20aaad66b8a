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
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def declared() -> list[str]:
    """The dependencies that every install brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return list(project["dependencies"])


def link(requirements: Iterable[str], site: Path) -> None:
    """What these requirements bring, as links in the folder `site`."""
    site.mkdir()
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
    found: dict[str, Distribution] = {}
    wanted = [Requirement(text) for text in requirements]
    while wanted:
        one = wanted.pop()
        applies = one.marker is None or any(
            one.marker.evaluate({"extra": extra}) for extra in one.extras or {""}
        )
        if applies and one.name.lower() not in found:
            package = found[one.name.lower()] = distribution(one.name)
            wanted += map(Requirement, package.requires or ())
    return found.values()
