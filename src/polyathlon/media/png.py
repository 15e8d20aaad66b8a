"""PNG bytes of pictures: lossless, fast, equal on every machine with the same encoder version."""

from __future__ import annotations

import io
import struct
import zlib

import fpng_py
from PIL import Image as Pil

from polyathlon.core.parts import Image
from polyathlon.media.limits import check_picture
from polyathlon.media.lru import SizedLru

RECENT_BYTES = 8 << 20
_FAILURES = (
    OSError, SyntaxError, ValueError, EOFError, MemoryError, struct.error, zlib.error,
    Pil.DecompressionBombError,
)  # fmt: skip

_recent: SizedLru[bytes] = SizedLru(RECENT_BYTES)


def encode(image: Image) -> bytes:
    """The picture as PNG."""
    encoded: bytes = fpng_py.fpng_encode_image_to_memory(
        image.rgb, image.width_px, image.height_px, 3
    )
    return encoded


def shared(image: Image) -> bytes:
    """The picture as PNG, encoded once for all who store or send it."""
    return _recent.get_or_make(image.digest, lambda: encode(image))


def decode(data: bytes) -> Image:
    """A PNG, JPEG or WebP as a picture; raises ValueError when it is none or too large."""
    try:
        with Pil.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as opened:
            check_picture(*opened.size)
            rgb = opened.convert("RGB")
    except _FAILURES as error:
        raise ValueError(f"not a readable picture: {error}") from error
    return Image(rgb.width, rgb.height, rgb.tobytes())
