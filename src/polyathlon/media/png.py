"""PNG bytes of pictures: lossless, fast, equal on every machine with the same encoder version."""

from __future__ import annotations

import io

import fpng_py
from PIL import Image as Pil

from polyathlon.core.parts import Image
from polyathlon.media.lru import SizedLru

RECENT_BYTES = 8 << 20

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
    """A PNG, JPEG or WebP as a picture; raises ValueError when it is none."""
    try:
        with Pil.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as opened:
            rgb = opened.convert("RGB")
    except (OSError, SyntaxError, Pil.DecompressionBombError) as error:
        raise ValueError(f"not a readable picture: {error}") from error
    return Image(rgb.width, rgb.height, rgb.tobytes())
