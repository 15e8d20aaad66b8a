"""Media as base64 text, encoded once per signal, and videos for who takes none."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable

import msgspec

from polyathlon.core.models import Thread
from polyathlon.core.parts import Audio, Image, Text, Video
from polyathlon.media import png, wav
from polyathlon.media.lru import SizedLru
from polyathlon.media.video import frame, has_codec, mp4, sampled, telling

CACHE_BYTES = 64 << 20
VIDEO_FRAMES = 32
IMAGE_FRAMES = 16

_encoded: SizedLru[str] = SizedLru(CACHE_BYTES)
_files: SizedLru[bytes] = SizedLru(CACHE_BYTES)


class Pictures(msgspec.Struct, frozen=True):
    """A video as pictures: what tells the model so, the pictures, and the conversion's name."""

    caption: Text
    images: tuple[Image, ...]
    conversion: str


def png_base64(image: Image) -> str:
    """The picture as base64 of a PNG."""
    return _encoded.get_or_make(f"png:{image.digest}", lambda: _base64(png.shared(image)))


def wav_base64(audio: Audio) -> str:
    """The sound as base64 of a WAV file."""
    return _encoded.get_or_make(f"wav:{audio.digest}", lambda: _base64(wav.encode(audio)))


def mp4_file(video: Video) -> bytes:
    """The video as an MP4 file. Raises UserError where PyAV is not installed."""
    return _files.get_or_make(video.digest, lambda: mp4(video))


def mp4_url(video: Video) -> str:
    """The video as the data URL of an MP4 file."""
    data = _encoded.get_or_make(f"mp4:{video.digest}", lambda: _base64(mp4_file(video)))
    return f"data:video/mp4;base64,{data}"


def jpegs_url(video: Video) -> str:
    """At most `VIDEO_FRAMES` telling frames as a data URL of base64 JPEGs joined by commas.

    vLLM takes a video in this form, which needs no codec, but does not learn its frame rate.
    """
    key = f"jpegs:{video.digest}:{video.key_frames}"
    data = _encoded.get_or_make(
        key, lambda: ",".join(_base64(_jpeg(shown)) for shown in sampled(video, VIDEO_FRAMES))
    )
    return f"data:video/jpeg;base64,{data}"


def vllm_url(video: Video) -> tuple[str, str]:
    """The video in the better form that can be made here, and the conversion's name."""
    if has_codec():
        return mp4_url(video), mp4_conversion(video)
    shown = len(telling(video, VIDEO_FRAMES))
    return jpegs_url(video), f"video of {video.frames} frames to {shown} JPEGs"


def mp4_conversion(video: Video) -> str:
    """What a reader of a reply is told of `mp4_url` and `mp4_file`."""
    return f"video of {video.frames} frames to MP4"


def as_pictures(video: Video) -> Pictures:
    """The video as at most `IMAGE_FRAMES` telling frames."""
    indices = telling(video, IMAGE_FRAMES)
    times = ", ".join(f"{index / video.fps:.2f}" for index in indices)
    return Pictures(
        Text(f"({len(indices)} frames of a video of {video.duration_s:.2f} s, at {times} s)"),
        tuple(frame(video, index) for index in indices),
        f"video of {video.frames} frames to {len(indices)} images",
    )


def takes_long(fresh: Iterable[Thread]) -> bool:
    """Whether the messages that these threads end in hold a video, which takes long to encode."""
    return any(isinstance(part, Video) for node in fresh for part in node.message.parts)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _jpeg(image: Image) -> bytes:
    from PIL import Image as Pil

    target = io.BytesIO()
    Pil.frombytes("RGB", (image.width_px, image.height_px), image.rgb).save(
        target, "JPEG", quality=95
    )
    return target.getvalue()
