"""Suites: published protocols as YAML files that come with the package."""

from __future__ import annotations

from pathlib import Path

from polyathlon.core.errors import unknown
from polyathlon.experiments.spec import Experiment, load

_PACKAGED = Path(__file__).parents[1] / "suites"
_CHECKOUT = Path(__file__).parents[3] / "suites"


def folder() -> Path:
    """Where the suites are: in the package, or beside `src` in a checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def names() -> tuple[str, ...]:
    """The suites' names, sorted."""
    return tuple(sorted(path.stem for path in folder().glob("*.yaml")))


def suite(name: str) -> Experiment:
    """A suite by its name. Raises UserError with the nearest names."""
    if name not in names():
        raise unknown("suite", name, names())
    return load(folder() / f"{name}.yaml")
