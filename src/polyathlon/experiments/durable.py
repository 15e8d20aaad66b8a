"""Files that outlast a loss of power: what was written, then its name, is forced to the disk."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(target: Path, data: bytes) -> None:
    """Write a file that takes the place of `target` whole, and stays there once this returns.

    Raises OSError, leaving nothing behind, when the disk refuses.
    """
    partial = target.with_name(f"{target.name}.tmp")
    try:
        _write_new(partial, data)
        os.replace(partial, target)
        sync_folder(target.parent)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def move(source: Path, target: Path) -> None:
    """Move a file for good, into a folder that is made where it is missing; raises OSError."""
    make_folder(target.parent)
    sync_file(source)
    os.replace(source, target)
    sync_folder(target.parent)
    sync_folder(source.parent)


def make_folder(path: Path) -> None:
    """Make a folder and those above it for good; raises OSError."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Force the names in a folder to the disk; raises OSError. Blocks for milliseconds."""
    _force(path, os.O_DIRECTORY)


def sync_file(path: Path) -> None:
    """Force what anybody wrote to a file to the disk; raises OSError. Blocks for milliseconds."""
    _force(path, 0)


def _force(path: Path, flags: int) -> None:
    handle = os.open(path, os.O_RDONLY | flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write everything, however many writes the kernel makes of it."""
    written = os.write(handle, data)
    while written < len(data):
        written += os.write(handle, data[written:])


def _write_new(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    handle = os.open(path, flags, 0o644)
    try:
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
