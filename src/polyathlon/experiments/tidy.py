"""Run directories as they came, perhaps from somebody else: what is in them besides files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from polyathlon.core.errors import UserError

_DEEP = ("episodes", "abandoned", "media", "scores")
"""Folders whose entries are read or written by their names."""


def check_readable(path: Path) -> None:
    """Raises UserError for a run directory with pipes and devices, which may never answer."""
    for entry in _entries(path):
        if not _plain(entry):
            raise UserError(f"{entry.path} is neither a file nor a folder: remove it")


def check_writable(path: Path, below: str = "") -> None:
    """Raises UserError for a run directory with links out of it: what is written would go there.

    `below` is the only folder in it that will be written.
    """
    root = path.resolve()
    for entry in _entries(path):
        concerned = Path(entry.path).relative_to(path).parts[0] == below if below else True
        if concerned and entry.is_symlink() and not _inside(Path(entry.path), root):
            raise UserError(
                f"{entry.path} leads out of the run directory: put a copy in place of the link"
            )


def _entries(path: Path) -> Iterator[os.DirEntry[str]]:
    yield from os.scandir(path)
    for name in _DEEP:
        folder = path / name
        if folder.is_dir():
            for entry in os.scandir(folder):
                yield entry
                if name in ("media", "scores") and not entry.is_symlink() and entry.is_dir():
                    yield from os.scandir(entry.path)


def _plain(entry: os.DirEntry[str]) -> bool:
    """Whether it is a file or a folder, or a link that leads to one or to nothing."""
    try:
        return entry.is_file() or entry.is_dir() or not os.path.exists(entry.path)
    except OSError:  # a link to itself
        return False


def _inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve(strict=False).is_relative_to(root)
    except (OSError, RuntimeError):
        return False
