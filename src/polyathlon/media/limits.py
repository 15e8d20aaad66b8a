"""How large a single medium may be. Whatever comes from a file is refused above this, by what its
header says where it says so, before it is unpacked.
"""

from __future__ import annotations

import zstandard

MOST_PIXELS = 25_000_000
"""A picture of 5,000 x 5,000 pixels: 75 MB of RGB."""
MOST_RAW_BYTES = 96 << 20
"""Pixels of all frames of a video, or samples of a sound."""
_WINDOW_BYTES = 8 << 20
_CHUNK_BYTES = 1 << 20


def check_picture(width_px: int, height_px: int) -> None:
    """Raises ValueError for a picture that is too large to read."""
    if width_px * height_px > MOST_PIXELS:
        raise ValueError(f"a picture of {width_px}x{height_px} is too large to read")


def check_raw(size: int) -> None:
    """Raises ValueError for a sound or video of so many bytes that it is too large to read."""
    if size > MOST_RAW_BYTES:
        raise ValueError(f"{size} bytes of pixels or samples are too many to read")


def unzstd(data: bytes, most_bytes: int) -> bytes:
    """The content of a Zstandard frame, at most `most_bytes` of it.

    Raises ValueError where it is damaged or holds more.
    """
    try:
        size = zstandard.frame_content_size(data)
        if size > most_bytes:
            raise ValueError(f"{size} bytes where at most {most_bytes} belong")
        if size >= 0:
            content: bytes = zstandard.ZstdDecompressor().decompress(data)
            return content
        return _streamed(data, most_bytes)
    except zstandard.ZstdError as error:
        raise ValueError(f"damaged: {error}") from error


def _streamed(data: bytes, most_bytes: int) -> bytes:
    """The content of a frame that does not say how long it is."""
    found: list[bytes] = []
    left = most_bytes
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
    with decompressor.stream_reader(data) as reader:
        while chunk := reader.read(_CHUNK_BYTES):
            left -= len(chunk)
            if left < 0:
                raise ValueError(f"more than the {most_bytes} bytes that belong there")
            found.append(chunk)
    return b"".join(found)
