"""WAV bytes of sounds: int16 PCM behind a 44-byte header."""

from __future__ import annotations

import struct

from polyathlon.core.parts import Audio

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")


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
