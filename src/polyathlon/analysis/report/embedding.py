"""Media as data URIs for a page: small, and playable by a browser."""

from __future__ import annotations

import base64
import io
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.parts import Audio, Image, Video

Kind: TypeAlias = Literal["image", "audio", "video"]
Signal = Image | Audio | Video

MOST_PX = 480
COLOURS = 64
DRAWN_COLOURS = 2_048
WEBP_QUALITY = 82
SHEET_FRAMES, SHEET_COLUMNS, SHEET_PX = 16, 4, 240
MOST_BYTES = 1_500_000


class File(msgspec.Struct, frozen=True):
    """A medium of the page: what shows it, its data URI, and its size or length in words."""

    kind: Kind
    uri: str
    about: str = ""


def embedded(part: Signal) -> File | None:
    """The medium for a page, or None for a sound of more than MOST_BYTES.

    A video that makes no MP4 file of that size here becomes a sheet of its telling frames.
    """
    match part:
        case Image():
            return File("image", picture_uri(part))
        case Audio():
            return _sound(part)
        case Video():
            return _film(part) or _sheet(part)


def picture_uri(image: Image) -> str:
    """The picture as a data URI, at most MOST_PX wide and high.

    A drawn board becomes a PNG of COLOURS colours, which is smaller than WebP, as fast to make,
    and leaves edges sharp. A picture of more than DRAWN_COLOURS colours becomes a WebP.
    """
    from PIL import Image as Pil

    size = (image.width_px, image.height_px)
    picture = Pil.frombytes("RGB", size, image.rgb)
    drawn = picture.getcolors(DRAWN_COLOURS) is not None
    picture.thumbnail((MOST_PX, MOST_PX))
    buffer = io.BytesIO()
    if not drawn:
        picture.save(buffer, "WEBP", quality=WEBP_QUALITY)
        return _uri("image/webp", buffer.getvalue())
    few = picture.quantize(COLOURS, Pil.Quantize.FASTOCTREE, dither=Pil.Dither.NONE)
    few.save(buffer, "PNG")
    return _uri("image/png", buffer.getvalue())


def _sound(audio: Audio) -> File | None:
    """A FLAC file where PyAV is installed, else a WAV file of twice the size."""
    from polyathlon.media import flac, wav
    from polyathlon.media.video import has_codec

    kind, data = ("flac", flac.encode(audio)) if has_codec() else ("wav", wav.encode(audio))
    if len(data) > MOST_BYTES:
        return None
    return File("audio", _uri(f"audio/{kind}", data), f"{audio.duration_s:.1f} s")


def _film(video: Video) -> File | None:
    from polyathlon.media.video import has_codec, mp4

    if not has_codec() or not video.frames:
        return None
    data = mp4(video)
    about = f"{video.duration_s:.1f} s, {video.width_px}x{video.height_px}"
    return File("video", _uri("video/mp4", data), about) if len(data) <= MOST_BYTES else None


def _sheet(video: Video) -> File:
    from PIL import Image as Pil

    from polyathlon.media.video import frame, telling

    indices = telling(video, SHEET_FRAMES)
    width_px = min(SHEET_PX, video.width_px)
    height_px = max(1, round(video.height_px * width_px / video.width_px))
    rows = -(-len(indices) // SHEET_COLUMNS)
    columns = min(SHEET_COLUMNS, max(1, len(indices)))
    sheet = Pil.new("RGB", (columns * width_px, max(1, rows) * height_px))
    for place, index in enumerate(indices):
        shown = frame(video, index)
        picture = Pil.frombytes("RGB", (shown.width_px, shown.height_px), shown.rgb)
        corner = (place % SHEET_COLUMNS * width_px, place // SHEET_COLUMNS * height_px)
        sheet.paste(picture.resize((width_px, height_px)), corner)
    buffer = io.BytesIO()
    sheet.save(buffer, "WEBP", quality=WEBP_QUALITY)
    times = ", ".join(f"{index / video.fps:.1f}" for index in indices)
    about = f"frames of a video of {video.duration_s:.1f} s, at {times} s"
    return File("image", _uri("image/webp", buffer.getvalue()), about)


def _uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
