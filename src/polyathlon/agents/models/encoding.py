"""Media as base64 text, encoded once per signal."""

from __future__ import annotations

import base64
import io

from polyathlon.core.parts import Audio, Image, Video
from polyathlon.media import png, wav
from polyathlon.media.lru import SizedLru

CACHE_BYTES = 64 << 20
VIDEO_FRAMES = 32
IMAGE_FRAMES = 8

_encoded: SizedLru[str] = SizedLru(CACHE_BYTES)


def png_base64(image: Image) -> str:
    """The picture as base64 of a PNG."""
    return _encoded.get_or_make(f"png:{image.digest}", lambda: _base64(png.shared(image)))


def wav_base64(audio: Audio) -> str:
    """The sound as base64 of a WAV file."""
    return _encoded.get_or_make(f"wav:{audio.digest}", lambda: _base64(wav.encode(audio)))


def jpegs_base64(video: Video) -> str:
    """At most `VIDEO_FRAMES` frames as base64 JPEGs (quality 95) joined by commas.

    This is the form of a video that vLLM takes in `data:video/jpeg;base64,` without a codec.
    """
    return _encoded.get_or_make(
        f"jpegs:{video.digest}",
        lambda: ",".join(_base64(_jpeg(frame)) for frame in frames(video, VIDEO_FRAMES)),
    )


def frames(video: Video, most: int) -> list[Image]:
    """At most `most` frames, evenly spread from the first to the last."""
    count = min(most, video.frames)
    last = video.frames - 1
    size = video.width_px * video.height_px * 3
    chosen = [round(i * last / max(1, count - 1)) for i in range(count)]
    return [
        Image(video.width_px, video.height_px, video.rgb[i * size : (i + 1) * size]) for i in chosen
    ]


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _jpeg(image: Image) -> bytes:
    from PIL import Image as Pil

    target = io.BytesIO()
    Pil.frombytes("RGB", (image.width_px, image.height_px), image.rgb).save(
        target, "JPEG", quality=95
    )
    return target.getvalue()
