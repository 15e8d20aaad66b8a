"""WAV bytes of sounds: int16 PCM behind a 44-byte header."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from polyathlon.core.parts import Audio
from polyathlon.media.limits import check_raw

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_CHUNK = struct.Struct("<4sI")
_FORMAT = struct.Struct("<HHIIHH")
_PCM, _EXTENSIBLE = 1, 0xFFFE


def encode(audio: Audio) -> bytes:
    """The sound as a canonical RIFF/WAVE file."""
    frame = 2 * audio.channels
    size = len(audio.pcm)
    header = _HEADER.pack(
        b"RIFF", 36 + size, b"WAVE",
        b"fmt ", 16, 1, audio.channels, audio.rate_hz, audio.rate_hz * frame, frame, 16,
        b"data", size,
    )  # fmt: skip
    return header + audio.pcm


def decode(data: bytes) -> Audio:
    """A RIFF/WAVE file of 16-bit PCM as a sound; chunks it does not know are skipped.

    Raises ValueError when it is damaged or holds another format.
    """
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("not a WAV file: it does not begin with a RIFF/WAVE header")
    chunks = dict(_chunks(data))
    if len(chunks.get(b"fmt ", b"")) < _FORMAT.size or b"data" not in chunks:
        raise ValueError("not a whole WAV file: its format or its data is missing")
    coding, channels, rate_hz, _, frame, bits = _FORMAT.unpack_from(chunks[b"fmt "])
    if coding not in (_PCM, _EXTENSIBLE) or bits != 16 or frame != 2 * channels:
        raise ValueError(f"WAV of 16-bit PCM is read, not coding {coding} with {bits} bits")
    check_raw(len(chunks[b"data"]))
    return Audio(rate_hz, chunks[b"data"], channels)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents; a chunk that is cut off raises ValueError."""
    start = 12
    while start + 8 <= len(data):
        name, size = _CHUNK.unpack_from(data, start)
        start += 8
        if start + size > len(data):
            raise ValueError(f"not a whole WAV file: its chunk {name!r} is cut off")
        yield name, data[start : start + size]
        start += size + size % 2
