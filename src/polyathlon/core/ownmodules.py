"""A user's own modules: each found in the current folder because it was named, after everything
that is installed. Nothing else comes from there.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from polyathlon.core.errors import UserError

_NO_FOLDER_FIRST, _OURS = "PYTHONSAFEPATH", "polyathlon"

_folders: dict[str, str] = {}


class _OwnFinder(MetaPathFinder):
    """Finds the modules that were named, in the folder where they were."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        folder = _folders.get(fullname) if path is None else None
        return None if folder is None else PathFinder.find_spec(fullname, [folder])


_finder = _OwnFinder()


def load(name: str) -> ModuleType:
    """Import the module that a person named.

    Raises UserError where it cannot be imported, and where the current folder and what is
    installed both have one of that name.
    """
    _grant(name.partition(".")[0])
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing and missing not in _folders and _in_folder(missing, os.getcwd()):
            raise UserError(
                f"{name} imports {missing}, which the current folder has, but nothing comes from "
                f"there that is not named: add --import {missing}"
            ) from error
        raise UserError(f"{name} cannot be imported: {error}") from error


def import_all(names: Sequence[str]) -> None:
    """Import modules that a person named, which may import one another. Raises as `load` does."""
    for name in names:
        _grant(name.partition(".")[0])
    for name in names:
        load(name)


def named() -> Mapping[str, str]:
    """The folders of the modules that were named, for other processes."""
    return dict(_folders)


def adopt(folders: Mapping[str, str]) -> None:
    """Let a process that was started under `apart` find what its parent was named."""
    if os.environ.get(_NO_FOLDER_FIRST) == _OURS:
        del os.environ[_NO_FOLDER_FIRST]
    for name, folder in folders.items():
        _add(name, folder)


def leave_folder() -> None:
    """Take out the current folder, which `python -m` puts before everything that is installed.

    A package that runs from there stays.
    """
    first = sys.path[0] if sys.path and not sys.flags.safe_path else None
    here = os.getcwd()
    if first in ("", here) and here != str(Path(__file__).parents[2]):
        del sys.path[0]


@contextmanager
def apart() -> Iterator[None]:
    """Python processes started inside do not look for modules in the current folder."""
    if _NO_FOLDER_FIRST in os.environ:
        yield
        return
    os.environ[_NO_FOLDER_FIRST] = _OURS
    try:
        yield
    finally:
        os.environ.pop(_NO_FOLDER_FIRST, None)


def _grant(root: str) -> None:
    folder = os.getcwd()
    own = _in_folder(root, folder)
    if own is None or root in _folders:
        return
    installed = _installed(root, folder)
    if installed and own.origin is not None:
        raise UserError(
            f"the current folder has a module {root}, and so has {installed}: rename yours"
        )
    if not installed:
        _add(root, folder)


def _add(name: str, folder: str) -> None:
    _folders.setdefault(name, folder)
    if _finder not in sys.meta_path:
        sys.meta_path.append(_finder)
    importlib.invalidate_caches()


def _in_folder(root: str, folder: str) -> ModuleSpec | None:
    return PathFinder.find_spec(root, [folder]) if root.isidentifier() else None


def _installed(root: str, folder: str) -> str:
    """Where a module of that name comes from that is not the folder's, or nothing."""
    try:
        spec = find_spec(root)
    except ValueError:  # such as __main__
        return "the running program"
    if spec is None or spec.origin is None:
        return ""
    if spec.origin in ("built-in", "frozen"):
        return "Python itself"
    return "" if Path(folder).resolve() in Path(spec.origin).resolve().parents else spec.origin
