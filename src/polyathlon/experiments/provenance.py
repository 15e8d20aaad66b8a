"""Provenance: the versions, commit and machine that made a run."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from polyathlon import __version__
from polyathlon.core.addresses import redacted

_PACKAGES = ("msgspec", "pillow", "fpng-py", "aiohttp", "genai-prices", "xllamacpp", "gymnasium")


def provenance() -> dict[str, object]:
    """What `experiment.yaml` says about how a run was made."""
    return {
        "polyathlon": __version__,
        "commit": _commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": redacted(" ".join(["polyathlon", *sys.argv[1:]])),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The git commit of the source tree, with `+` when it has changes; None outside a checkout.

    Git takes no lock for it: a run that is killed meanwhile must leave no lock behind.
    """
    here = Path(__file__).parent
    try:
        head = subprocess.run(
            ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"],
            cwd=here,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return head.stdout.strip() or None
