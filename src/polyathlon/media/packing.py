"""Packed media: the lossless form in which a run directory keeps pictures, sounds and videos.

Flat drawings, boards and the like, are raw pixels whose rows are XORed with the row above, then
compressed by Zstandard: half the size of a PNG in two thirds of its time. Shaded pictures
compress better as PNG. Sounds are compressed samples, and videos footage.
"""

from __future__ import annotations

import threading
from typing import Final, Literal, TypeAlias

import msgspec
import numpy as np
import zstandard

from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.media import footage, png
from polyathlon.media.limits import MOST_RAW_BYTES, check_picture, check_raw, unzstd

Kind: TypeAlias = Literal["image", "audio", "video"]
Codec: TypeAlias = Literal["png", "rows", "pcm", "footage"]

LEVEL: Final = 1
STRIP_ROWS: Final = 16
FLAT_RATIO: Final = 6
"""A picture is flat when Zstandard makes a strip from its middle smaller by this factor."""


class Packed(msgspec.Struct, frozen=True):
    """A medium as it is kept.

    `shape` is (width, height) in pixels for pictures and videos, (rate in Hz, channels) for
    sounds. `data` is a PNG for codec `png`; for `rows` and `pcm` a Zstandard frame, of the rows
    of uint8 pixels XOR the row above and of the samples; for `footage` MessagePack of a Footage.
    """

    kind: Kind
    codec: Codec
    shape: tuple[int, int]
    data: bytes


class _Compressor(threading.local):
    """Zstandard of one thread: a compressor serves one at a time and is dear to make."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(LEVEL).compress


_zstd = _Compressor()


def pack(part: Part) -> Packed:
    """A medium as it is kept.

    Raises ValueError for one that is too large to be read again, and TypeError for text, which
    traces hold themselves.
    """
    match part:
        case Image():
            check_picture(part.width_px, part.height_px)
            shape = (part.width_px, part.height_px)
            if _flat(part):
                return Packed("image", "rows", shape, _zstd.compress(_differences(part)))
            return Packed("image", "png", shape, png.shared(part))
        case Audio():
            check_raw(len(part.pcm))
            shape = (part.rate_hz, part.channels)
            return Packed("audio", "pcm", shape, _zstd.compress(part.pcm))
        case Video():
            check_raw(len(part.rgb))
            kept = msgspec.msgpack.encode(footage.pack(part))
            return Packed("video", "footage", (part.width_px, part.height_px), kept)
        case Text():
            raise TypeError("text is no medium")


def unpack(packed: Packed) -> Part:
    """The medium, bit by bit. Raises ValueError when its bytes are damaged."""
    match packed.codec:
        case "png":
            return png.decode(packed.data)
        case "rows":
            return _picture(packed)
        case "pcm":
            rate_hz, channels = packed.shape
            return Audio(rate_hz, unzstd(packed.data, MOST_RAW_BYTES), channels)
        case "footage":
            return footage.unpack(msgspec.msgpack.decode(packed.data, type=footage.Footage))


def _flat(image: Image) -> bool:
    row = image.width_px * 3
    first = max(0, image.height_px - STRIP_ROWS) // 2 * row
    strip = image.rgb[first : first + STRIP_ROWS * row]
    return len(_zstd.compress(strip)) * FLAT_RATIO < len(strip)


def _differences(image: Image) -> memoryview:
    rows = np.frombuffer(image.rgb, np.uint8).reshape(image.height_px, -1)
    differences = np.empty_like(rows)
    differences[0] = rows[0]
    np.bitwise_xor(rows[1:], rows[:-1], out=differences[1:])
    return differences.data


def _picture(packed: Packed) -> Image:
    width_px, height_px = packed.shape
    check_picture(width_px, height_px)
    data = np.frombuffer(unzstd(packed.data, width_px * height_px * 3), np.uint8)
    if data.size != width_px * height_px * 3:
        raise ValueError("damaged picture: rows are missing")
    rows = np.bitwise_xor.accumulate(data.reshape(height_px, -1), axis=0)
    return Image(width_px, height_px, rows.tobytes())
