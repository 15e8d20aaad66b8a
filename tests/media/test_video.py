"""Clips out of frames, frames out of clips, and MP4 files from anywhere."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyathlon.core import extras
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Video
from polyathlon.media.video import arrays, clip, frame, has_codec, mp4, read_mp4, sampled, telling

needs_codec = pytest.mark.skipif(not has_codec(), reason="PyAV is not installed")


def moving(frames: int, width_px: int, height_px: int, fps: float = 10.0) -> Video:
    """A bright square that moves over a dark ground."""

    def picture(number: int) -> NDArray[np.uint8]:
        paper = np.full((height_px, width_px, 3), 40, np.uint8)
        left = number * 2 % max(1, width_px - 8)
        paper[4:12, left : left + 8] = (230, 180, 60)
        return paper

    return clip(map(picture, range(frames)), fps)


def test_a_clip_holds_its_frames() -> None:
    made = moving(5, 32, 24)
    assert (made.width_px, made.height_px, made.frames, made.duration_s) == (32, 24, 5, 0.5)
    assert frame(made, 3).rgb == arrays(made)[3].tobytes()
    for beyond in (-1, 5):
        with pytest.raises(IndexError):
            frame(made, beyond)


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [np.zeros((2, 2), np.uint8)],
        [np.zeros((2, 2, 3), np.float64)],
        [np.zeros((2, 2, 3), np.uint8), np.zeros((2, 3, 3), np.uint8)],
    ],
)
def test_a_clip_needs_frames_of_one_shape(frames: list[NDArray[np.uint8]]) -> None:
    with pytest.raises(ValueError, match="frame"):
        clip(frames, 10)


def test_a_frame_that_is_drawn_over_keeps_what_it_was() -> None:
    paper = np.zeros((1, 1, 3), np.uint8)

    def frames():
        for value in (1, 2, 3):
            paper[:] = value
            yield paper

    assert clip(frames(), 1).rgb == bytes([1, 1, 1, 2, 2, 2, 3, 3, 3])


def test_samples_are_spread_from_first_to_last() -> None:
    video = Video(1, 1, 10.0, bytes(n for n in range(100) for _ in range(3)))
    assert [image.rgb[0] for image in sampled(video, 4)] == [0, 33, 66, 99]
    assert telling(video, 1) == [0]
    assert telling(video, 200) == list(range(100))


@given(
    st.integers(1, 60),
    st.integers(1, 40),
    st.lists(st.integers(0, 59), max_size=30),
)
def test_telling_frames_are_bounded_and_in_order(frames: int, most: int, keys: list[int]) -> None:
    keys = [key for key in keys if key < frames]
    chosen = telling(Video(1, 1, 5.0, bytes(3 * frames), tuple(keys)), most)
    assert chosen == sorted(set(chosen))
    among = set(keys) or set(range(frames))
    assert set(chosen) <= among
    assert len(chosen) == min(most, len(among))
    assert chosen[0] == min(among)


@needs_codec
@pytest.mark.parametrize(
    ("size", "fps"), [((64, 48), 10.0), ((63, 47), 29.97), ((1, 1), 0.5), ((2, 3), 60.0)]
)
def test_mp4_comes_back_with_its_frames_rate_and_even_size(
    size: tuple[int, int], fps: float
) -> None:
    width_px, height_px = size
    made = moving(12, width_px, height_px, fps) if width_px > 8 else Video(*size, fps, bytes(
        width_px * height_px * 3 * 12
    ))  # fmt: skip
    read = read_mp4(mp4(made))
    assert (read.width_px, read.height_px) == (width_px + width_px % 2, height_px + height_px % 2)
    assert read.frames == 12
    assert read.fps == pytest.approx(fps, abs=1e-3)
    shown = arrays(read)[:, :height_px, :width_px].astype(int)
    assert np.abs(shown - arrays(made)).mean() < 8


@needs_codec
def test_a_video_without_frames_makes_no_file() -> None:
    with pytest.raises(ValueError, match="without frames"):
        mp4(Video(2, 2, 10.0, b""))


@needs_codec
def test_equal_clips_make_equal_bytes() -> None:
    assert mp4(moving(30, 128, 96)) == mp4(moving(30, 128, 96))
    assert mp4(moving(30, 128, 96)) != mp4(moving(31, 128, 96))


@needs_codec
def test_a_video_that_is_too_long_or_too_large_is_refused() -> None:
    data = mp4(moving(20, 64, 48))
    with pytest.raises(ValueError, match="more than 19 frames"):
        read_mp4(data, most_frames=19)
    with pytest.raises(ValueError, match="more than 4 frames"):
        read_mp4(data, most_bytes=5 * 64 * 48 * 3 - 1)
    with pytest.raises(ValueError, match="64x48 are too large"):
        read_mp4(data, most_bytes=64 * 48 * 3 - 1)


SAMPLE = mp4(moving(8, 64, 48)) if has_codec() else b""


@needs_codec
@settings(max_examples=60)
@given(st.data())
def test_whatever_the_bytes_are_they_are_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(SAMPLE[: data.draw(st.integers(0, len(SAMPLE)))])
    for _ in range(data.draw(st.integers(0, 6))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = read_mp4(bytes(raw), most_frames=20, most_bytes=1 << 20)
    except ValueError:
        return
    assert 1 <= read.frames <= 20


@needs_codec
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_no_mp4(raw: bytes) -> None:
    with pytest.raises(ValueError, match="MP4"):
        read_mp4(raw)


def test_without_the_codec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(UserError, match=re.escape(extras.install("video"))):
        mp4(moving(1, 16, 16))
