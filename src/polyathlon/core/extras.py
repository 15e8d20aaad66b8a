"""Extras: the command that adds what an install lacks, as it works for this very install.

A clone is added to where it lies, a wheel or a commit from where it came (`direct_url.json`,
PEP 610), and a package from an index by its name.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

from polyathlon.core.errors import UserError

NAME = "polyathlon"
_SOURCE = Path(__file__).resolve().parents[2]


def missing(needs: str, extra: str, otherwise: str = "") -> UserError:
    """An error for a library that is not installed: what needs it, and the command that adds it."""
    return UserError(f"{needs}: {install(extra)}{otherwise}")


def install(extra: str) -> str:
    """The command that adds an extra of this package."""
    clone = _clone(_SOURCE)
    wanted = f"{NAME}[{extra}]"
    if clone is not None:
        place = "." if clone == Path.cwd() else str(clone)
        return f"{pip()} install -e {shlex.quote(f'{place}[{extra}]')}"
    return f"{pip()} install {shlex.quote(wanted + _origin())}"


def pip() -> str:
    """How to call pip for this Python: by its name where the shell finds this one's."""
    python = Path(sys.executable)
    found = shutil.which("pip")
    if found and Path(found).parent == python.parent:
        return "pip"
    here = Path.cwd()
    shown = python.relative_to(here) if python.is_relative_to(here) else python
    return f"{shlex.quote(str(shown))} -m pip"


def _clone(source: Path) -> Path | None:
    """The checkout whose `src` this is, or None where the package was copied to be installed."""
    project = source.parent / "pyproject.toml"
    return source.parent if source.name == "src" and project.is_file() else None


def _origin() -> str:
    """What follows the name where no index was asked: the URL of a wheel, folder or commit."""
    try:
        text = Distribution.from_name(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    if text is None:
        return ""
    direct = json.loads(text)
    commit = direct.get("vcs_info")
    if commit is None:
        return f" @ {direct['url']}"
    return f" @ {commit['vcs']}+{direct['url']}@{commit['commit_id']}"
