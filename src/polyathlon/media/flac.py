"""FLAC bytes of sounds: lossless, about half of WAV, by PyAV."""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from polyathlon.core.parts import Audio
from polyathlon.media import pyav
from polyathlon.media.limits import check_raw

BLOCK = 4_096
_LEAN = {"fflags": "+bitexact", "metadata_header_padding": "0"}
_STRICT = {"err_detect": "crccheck+explode"}
_LAYOUTS = {1: "mono", 2: "stereo"}


def encode(audio: Audio) -> bytes:
    """The sound as FLAC; equal sounds give equal bytes with the same encoder version.

    Raises ValueError for more than two channels, UserError without the extra `video`.
    """
    layout = _LAYOUTS.get(audio.channels)
    if layout is None:
        raise ValueError(f"FLAC is written for 1 or 2 channels, not {audio.channels}")
    av = pyav.library("FLAC files")
    target = io.BytesIO()
    with av.open(target, "w", format="flac", options=_LEAN) as container:
        stream = container.add_stream("flac", rate=audio.rate_hz, layout=layout)
        stream.format = "s16"
        stream.codec_context.options = {"flags": "+bitexact", "threads": "1"}
        samples = np.frombuffer(audio.pcm, "<i2").reshape(1, -1)
        step = BLOCK * audio.channels
        for start in range(0, samples.shape[1], step):
            frame = av.AudioFrame.from_ndarray(samples[:, start : start + step], "s16", layout)
            frame.sample_rate, frame.time_base = audio.rate_hz, Fraction(1, audio.rate_hz)
            frame.pts = start // audio.channels
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return target.getvalue()


def decode(data: bytes) -> Audio:
    """A FLAC file of 16-bit samples as a sound; raises ValueError when it is none or damaged."""
    av = pyav.library("FLAC files")
    try:
        with pyav.opened(av, data, "flac") as container:
            stream = container.streams.audio[0]
            stream.codec_context.options = _STRICT
            promised = stream.duration
            context = stream.codec_context
            rate_hz, channels = context.sample_rate, context.layout.nb_channels
            if not (rate_hz and channels):
                raise ValueError("not a readable FLAC file: it names no rate or no channels")
            check_raw(2 * channels * (promised or 0))
            pcm = _bounded(_pcm(frame) for frame in container.decode(stream))
    except (av.FFmpegError, IndexError) as error:
        raise ValueError(f"not a readable FLAC file: {error}") from error
    if promised and len(pcm) != 2 * channels * promised:
        raise ValueError("not a readable FLAC file: it ends too early")
    return Audio(rate_hz, pcm, channels)


def _bounded(pieces: Iterable[bytes]) -> bytes:
    """The pieces joined. Raises ValueError once they are too many."""
    found: list[bytes] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        check_raw(size)
        found.append(piece)
    return b"".join(found)


def _pcm(frame: Any) -> bytes:
    if frame.format.name != "s16":
        raise ValueError(f"FLAC of 16-bit samples is read, not {frame.format.name}")
    pcm: bytes = frame.to_ndarray().astype("<i2").tobytes()
    return pcm
