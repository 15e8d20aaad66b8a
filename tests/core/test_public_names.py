"""Public names exist and are documented; importing the package pulls in nothing heavy."""

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import polyathlon

LIGHT = ("polyathlon.core", "polyathlon.registry", "polyathlon.testing", "polyathlon.compat")
HEAVY = "openai anthropic numba duckdb pydantic_ai numpy PIL gymnasium scipy altair xllamacpp"
MODULES = [
    module.name
    for module in pkgutil.walk_packages(polyathlon.__path__, "polyathlon.")
    if module.name.startswith(LIGHT)
]


def _own(module: ModuleType) -> dict[str, object]:
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    }


@pytest.mark.parametrize("name", MODULES)
def test_public_names_exist_and_are_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, "a module says what it is for"
    for exported in getattr(module, "__all__", ()):
        assert hasattr(module, exported), f"__all__ names {exported}, which does not exist"
    bare = [own for own, value in _own(module).items() if not value.__doc__]
    assert not bare, f"without a docstring: {bare}"


def test_importing_is_light() -> None:
    code = (
        "import sys, polyathlon, polyathlon.registry as registry\n"
        "registry.env_specs()\n"
        f"print(*[name for name in '{HEAVY}'.split() if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
