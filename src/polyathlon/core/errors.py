"""Errors that a user can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

NAME_CHARACTERS = 100
"""Of a name that does not exist, as errors tell it."""


class UserError(Exception):
    """A wrong request. Its one-line text says what to write instead; the CLI exits with 2."""


class RunStopped(UserError):
    """A run cannot go on, through no fault of what it plays; it can be resumed. The CLI exits 1."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Around what writes `path`: turns a full or broken disk into RunStopped."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> RunStopped:
    """What stops a run when the disk refuses a write."""
    reason = error.strerror or type(error).__name__
    return RunStopped(f"cannot write {path} ({reason}): mend that, then go on with --resume")


def unknown(kind: str, name: str, known: Iterable[str], more: str = "") -> UserError:
    """An error for a name that does not exist, with the nearest names that do."""
    names = sorted(known)
    name = name if len(name) <= NAME_CHARACTERS else f"{name[:NAME_CHARACTERS]}…"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif names:
        hint = f"known: {', '.join(names[:12])}{', …' if len(names) > 12 else ''}"
    else:
        hint = "none is registered"
    return UserError(f"unknown {kind} {name!r}: {hint}{' ' + more if more else ''}")
