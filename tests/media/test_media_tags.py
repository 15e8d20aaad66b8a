"""Files whose tags hold bytes that are no text are read like any other."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.parts import Audio, Video
from polyathlon.media import flac
from polyathlon.media.video import clip, mp4, read_mp4

av = pytest.importorskip("av")

PLACEHOLDER = b"T" * 24
BYTES = st.integers(1, 255)
TAGS = st.lists(BYTES, min_size=len(PLACEHOLDER), max_size=len(PLACEHOLDER)).map(bytes)
NO_TEXT = b"\xff\xfe\x80\xc3(\xed\xa0\x80".ljust(len(PLACEHOLDER), b"\xe9")


def titled(data: bytes, form: str) -> bytes:
    """The file with a title of `PLACEHOLDER`, its streams copied."""
    original, target = io.BytesIO(data), io.BytesIO()
    with av.open(original, format=form) as source, av.open(target, "w", format=form) as copy:
        copy.metadata["title"] = PLACEHOLDER.decode()
        kept = source.streams[0]
        stream = copy.add_stream_from_template(kept)
        for packet in source.demux(kept):
            if packet.dts is not None:
                packet.stream = stream
                copy.mux(packet)
    assert target.getvalue().count(PLACEHOLDER) == 1
    return target.getvalue()


@cache
def film() -> tuple[Video, bytes]:
    data = mp4(clip((np.full((16, 16, 3), shade, np.uint8) for shade in (10, 200)), 10))
    return read_mp4(data), titled(data, "mp4")


@cache
def tune() -> tuple[Audio, bytes]:
    heard = Audio(16_000, bytes(range(200)) * 8, 1)
    return heard, titled(flac.encode(heard), "flac")


@given(TAGS)
def test_a_video_is_read_whatever_its_title(tag: bytes) -> None:
    video, data = film()
    assert read_mp4(data.replace(PLACEHOLDER, tag)) == video


@given(TAGS)
def test_a_sound_is_read_whatever_its_title(tag: bytes) -> None:
    heard, data = tune()
    assert flac.decode(data.replace(PLACEHOLDER, tag)) == heard


def test_a_title_that_is_no_text_changes_nothing() -> None:
    with pytest.raises(UnicodeDecodeError):
        NO_TEXT.decode()
    assert read_mp4(film()[1].replace(PLACEHOLDER, NO_TEXT)) == film()[0]
    assert flac.decode(tune()[1].replace(PLACEHOLDER, NO_TEXT)) == tune()[0]
