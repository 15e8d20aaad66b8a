"""Trace files: their lines and events, read under bounds, whoever wrote them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.pieces import Pieces

MOST_BYTES = 128 << 20
"""Of one trace, unpacked."""
MOST_LINE_BYTES = 32 << 20
MOST_EVENTS = 500_000
_WHOLE_BYTES = 4 << 20
"""A packed trace of this size is unpacked at once, so that its checksum is known beforehand."""
_CHUNK_BYTES = 1 << 20
_WINDOW_BYTES = 8 << 20
_HEADER_BYTES = 18
"""The longest header of a Zstandard frame (RFC 8878, section 3.1.1.1)."""


class DamagedTrace(UserError):
    """A trace that cannot be read; the text names the file and says what to do."""


def lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a trace; a torn last line of an open one is left out.

    Raises DamagedTrace for a file that is damaged, or larger than a trace may be.
    """
    try:
        yield from _sealed(path) if path.suffix == ".zst" else _open(path)
    except (OSError, ValueError, MemoryError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DamagedTrace(
            f"{path} is damaged ({reason}): restore it, or delete it to play it again"
        ) from None


def events(path: Path, pieces: Pieces) -> Iterator[trace.Event]:
    """The events of a trace, their texts put together. Raises DamagedTrace."""
    decode, restored = trace.decode, pieces.restored
    for number, line in enumerate(lines(path), 1):
        try:
            found = restored(decode(line))
        except _NO_EVENT as error:
            raise _unreadable(f"line {number} of {path}", error) from None
        yield found


def event(line: bytes, what: str) -> trace.Event:
    """The event of a line; `what` names it in the DamagedTrace that is raised where it is none."""
    try:
        found: trace.Event = trace.decode(line)
    except _NO_EVENT as error:
        raise _unreadable(what, error) from None
    return found


def readable(events: Iterable[trace.Event]) -> Iterator[trace.Event]:
    """The events of a trace as far as it can be read."""
    with suppress(DamagedTrace):
        yield from events


_NO_EVENT = (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError)


def _unreadable(what: str, error: Exception) -> DamagedTrace:
    return DamagedTrace(
        f"{what} cannot be read ({error}): restore the file, or delete it to play the episode again"
    )


def check_size(path: Path) -> None:
    """Raises DamagedTrace for an open trace that is larger than one may be; raises OSError."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise DamagedTrace(f"{path} holds {size} bytes, more than a trace may: delete it")


def _open(path: Path) -> Iterator[bytes]:
    if not path.exists():
        return
    check_size(path)
    with path.open("rb") as file:
        yield from _split(file, MOST_BYTES)


def _sealed(path: Path) -> Iterator[bytes]:
    import zstandard

    try:
        with path.open("rb") as file:
            size = zstandard.frame_content_size(file.read(_HEADER_BYTES))
            if not 0 < size <= MOST_BYTES:
                raise ValueError("it does not say how large it is" if size < 0 else f"{size} bytes")
            file.seek(0)
            if size <= _WHOLE_BYTES:
                data = zstandard.ZstdDecompressor().decompress(file.read(2 * _WHOLE_BYTES))
                yield from _split(io.BytesIO(data), size)
                return
            decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
            with decompressor.stream_reader(file) as reader:
                yield from _split(reader, size, size)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def _split(file: BinaryIO, most_bytes: int, least_bytes: int = 0) -> Iterator[bytes]:
    """The lines of a file. Raises ValueError above any bound, and for a file that is cut off."""
    rest = b""
    count = size = 0
    while chunk := file.read(_CHUNK_BYTES):
        size += len(chunk)
        *whole, rest = (rest + chunk).split(b"\n") if rest else chunk.split(b"\n")
        count += len(whole)
        if size > most_bytes or len(rest) > MOST_LINE_BYTES or count > MOST_EVENTS:
            del chunk, whole, rest  # whoever keeps the error keeps this frame
            raise ValueError("more than a trace may hold")
        yield from whole
    if size < least_bytes:
        raise ValueError("it is cut off")
