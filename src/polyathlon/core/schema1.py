"""What traces of schema 1 held otherwise: media were named by SHA-256 of their raw signal."""

from __future__ import annotations

import hashlib

from polyathlon.core.parts import Audio, Image, Part, Text, Video


def part_digest(part: Part) -> str:
    """The digest by which a trace of schema 1 names a part, in hex (64 characters).

    It tells a video of 10 frames a second from one of 10.0, which are the same now.
    """
    match part:
        case Text():
            return part.digest
        case Image():
            return _sha256("image", f"{part.width_px}x{part.height_px}", part.rgb)
        case Audio():
            return _sha256("audio", f"{part.rate_hz}/{part.channels}", part.pcm)
        case Video():
            return _sha256("video", f"{part.width_px}x{part.height_px}@{part.fps}", part.rgb)


def _sha256(kind: str, shape: str, raw: bytes) -> str:
    hasher = hashlib.sha256(f"{kind}:{shape}:".encode())
    hasher.update(raw)
    return hasher.hexdigest()
