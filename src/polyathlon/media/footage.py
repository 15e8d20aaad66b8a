"""Footage: the lossless form in which a run directory keeps a video, without a video codec.

A frame that equals the one before it costs nothing. Any other is kept as its bitwise difference
from the one before, which is zero wherever nothing moved, and all of it is compressed by
Zstandard.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import zstandard

from polyathlon.core.parts import Part, Video
from polyathlon.media.limits import check_raw, unzstd
from polyathlon.media.video import arrays

LEVEL = 3


class Footage(msgspec.Struct, frozen=True, tag="footage"):
    """A packed video. `lasts` says for how many frames each different picture stays.

    `data` is a Zstandard frame of len(lasts) pictures, uint8, `height_px` x `width_px` x 3 bytes
    each: the first as it is, any other XOR the one before.
    """

    width_px: int
    height_px: int
    fps: float
    lasts: tuple[int, ...]
    data: bytes
    key_frames: tuple[int, ...] = ()


def pack(video: Video) -> Footage:
    """The video as footage."""
    frames = arrays(video).reshape(video.frames, video.width_px * video.height_px * 3)
    before = np.zeros(frames.shape[1], np.uint8)
    difference = np.empty_like(before)
    lasts: list[int] = []
    packed: list[bytes] = []
    compressor = zstandard.ZstdCompressor(LEVEL, write_checksum=True).compressobj()
    for frame in frames:
        if lasts and np.array_equal(frame, before):
            lasts[-1] += 1
            continue
        np.bitwise_xor(frame, before, out=difference)
        packed.append(compressor.compress(difference.data))
        lasts.append(1)
        before = frame
    packed.append(compressor.flush())
    return Footage(
        video.width_px, video.height_px, video.fps, tuple(lasts), b"".join(packed), video.key_frames
    )


def packed(draw: Callable[[Any], Part], scene: Any) -> Part | Footage:
    """What `draw` makes of a scene, videos as footage: for other processes to send home."""
    signal = draw(scene)
    return pack(signal) if isinstance(signal, Video) else signal


def unpack(footage: Footage) -> Video:
    """The video of footage, bit by bit. Raises ValueError when the footage is damaged."""
    size = footage.width_px * footage.height_px * 3
    if size < 1 or any(count < 1 for count in footage.lasts):
        raise ValueError("damaged footage: it has no pictures")
    check_raw(size * sum(footage.lasts))
    data = unzstd(footage.data, size * len(footage.lasts))
    if len(data) != size * len(footage.lasts):
        raise ValueError("damaged footage: pictures are missing")
    differences = np.frombuffer(data, np.uint8).reshape(len(footage.lasts), size)
    pictures = itertools.accumulate(differences, np.bitwise_xor)
    raw = [
        kept
        for picture, count in zip(pictures, footage.lasts, strict=True)
        for kept in itertools.repeat(picture.tobytes(), count)
    ]
    rgb = b"".join(raw)  # of bytes alone, it leaves other threads running
    return Video(footage.width_px, footage.height_px, footage.fps, rgb, footage.key_frames)
