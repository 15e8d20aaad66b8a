"""Parts: single pieces of content as sent or stored, identified by their raw signal."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.canonical import digest_bytes

Modality: TypeAlias = Literal["text", "image", "audio", "video"]


class Text(msgspec.Struct, frozen=True, tag="text"):
    """A piece of text."""

    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(b"text:" + self.text.encode()).hexdigest()


class _Signal(msgspec.Struct, frozen=True, dict=True):
    pass


class Image(_Signal, frozen=True, tag="image"):
    """A picture: `rgb` is uint8, row-major, `height_px` x `width_px` x 3 bytes."""

    width_px: int
    height_px: int
    rgb: bytes

    def __post_init__(self) -> None:
        _check_length("Image", len(self.rgb), self.width_px * self.height_px * 3)

    @cached_property
    def digest(self) -> str:
        return digest_bytes("image", f"{self.width_px}x{self.height_px}", self.rgb)


class Audio(_Signal, frozen=True, tag="audio"):
    """A sound: `pcm` is little-endian int16, interleaved by channel, at `rate_hz`."""

    rate_hz: int
    pcm: bytes
    channels: int = 1

    def __post_init__(self) -> None:
        if self.channels < 1 or self.rate_hz < 1 or len(self.pcm) % (2 * self.channels):
            raise ValueError("Audio needs whole int16 frames, a positive rate and channel count")

    @property
    def duration_s(self) -> float:
        return len(self.pcm) / (2 * self.channels * self.rate_hz)

    @cached_property
    def digest(self) -> str:
        return digest_bytes("audio", f"{self.rate_hz}/{self.channels}", self.pcm)


class Video(_Signal, frozen=True, tag="video"):
    """Silent video: `rgb` is uint8, frames x `height_px` x `width_px` x 3 bytes, at `fps`.

    `key_frames` are the indices of the frames that tell the story to who takes pictures only,
    () where nobody said; they are no part of the video's identity.
    """

    width_px: int
    height_px: int
    fps: float
    rgb: bytes
    key_frames: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        frame = self.width_px * self.height_px * 3
        if frame <= 0 or len(self.rgb) % frame or self.fps <= 0:
            raise ValueError("Video needs whole RGB frames and a positive frame rate")
        if self.key_frames and not 0 <= min(self.key_frames) <= max(self.key_frames) < self.frames:
            raise ValueError(f"key frames must lie in 0..{self.frames - 1}")

    @property
    def frames(self) -> int:
        return len(self.rgb) // (self.width_px * self.height_px * 3)

    @property
    def duration_s(self) -> float:
        return self.frames / self.fps

    @cached_property
    def digest(self) -> str:
        shape = f"{self.width_px}x{self.height_px}@{float(self.fps)}"
        return digest_bytes("video", shape, self.rgb)


Part: TypeAlias = Text | Image | Audio | Video


def modality(part: Part) -> Modality:
    """The modality of a part."""
    match part:
        case Text():
            return "text"
        case Image():
            return "image"
        case Audio():
            return "audio"
        case Video():
            return "video"


def _check_length(name: str, got: int, want: int) -> None:
    if got != want:
        raise ValueError(f"{name} needs {want} bytes, got {got}")
