"""Where an exception came from, in lines that a trace may keep: short, and without secrets."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from traceback import FrameSummary, TracebackException

from polyathlon.core.addresses import redacted
from polyathlon.core.canonical import well_formed

MOST_FRAMES = 12
MOST_CHARACTERS = 4_000
MOST_CAUSES = 3

_PACKAGE = "polyathlon"


def traceback_of(error: BaseException) -> str:
    """The traceback of an exception and of what caused it, the innermost call last.

    The calls that led into a user's code are left out, and the middle of a deep one. A file is told
    by its path in the working directory, in its package, or by its name alone.
    """
    blocks = []
    for told in _causes(TracebackException.from_exception(error)):
        exception = "".join(told.format_exception_only()).strip()
        blocks.append("\n".join([*_frames(told.stack), exception]))
    text = redacted(well_formed("\nwhich led to\n".join(reversed(blocks))))
    rest = len(text) - MOST_CHARACTERS
    if rest <= 0:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]}\n… ({rest} more characters) …\n{text[-half:]}"


def _causes(told: TracebackException) -> Iterator[TracebackException]:
    """An exception, then what it came from, as Python would tell it."""
    found: TracebackException | None = told
    for _ in range(MOST_CAUSES):
        if found is None:
            return
        yield found
        hidden = found.__suppress_context__
        found = found.__cause__ or (None if hidden else found.__context__)


def _frames(stack: Sequence[FrameSummary]) -> list[str]:
    paths = [_path(frame.filename) for frame in stack]
    own = [place for place, path in enumerate(paths) if not _is_machinery(path)]
    lines = [
        f"{path}:{frame.lineno} in {frame.name}" + (f": {frame.line}" if frame.line else "")
        for path, frame in zip(paths, stack, strict=True)
    ][own[0] if own else 0 :]
    if len(lines) <= MOST_FRAMES:
        return lines
    half = MOST_FRAMES // 2
    return [*lines[:half], f"… {len(lines) - MOST_FRAMES} more calls …", *lines[-half:]]


def _is_machinery(path: str) -> bool:
    """Whether a file belongs to what calls users' code: this package, or Python's own library."""
    return path.startswith((f"{_PACKAGE}/", "python/"))


def _path(filename: str) -> str:
    path = Path(filename)
    bases = {
        Path(__file__).parents[2]: "",
        Path(sysconfig.get_path("purelib")): "",
        Path(sysconfig.get_path("platlib")): "",
        Path(sysconfig.get_path("stdlib")): "python/",
        Path.cwd(): "",
    }
    for base, name in bases.items():
        if path.is_relative_to(base):
            return name + path.relative_to(base).as_posix()
    return path.name if path.is_absolute() else path.as_posix()
