"""Footage: videos kept losslessly and small, and what was kept before it."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.errors import UserError
from polyathlon.core.parts import Part, Video
from polyathlon.core.schema1 import part_digest
from polyathlon.core.trace import Ref, ref
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.media.footage import Footage, pack, unpack
from polyathlon.media.video import clip


@st.composite
def videos(draw: st.DrawFn) -> Video:
    """Small videos whose frames often repeat and seldom change much."""
    width_px, height_px = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    size = width_px * height_px * 3
    pictures = draw(st.lists(st.binary(min_size=size, max_size=size), min_size=1, max_size=4))
    order = draw(st.lists(st.integers(0, len(pictures) - 1), max_size=12))
    keys = draw(st.lists(st.integers(0, len(order) - 1), max_size=3)) if order else []
    fps = draw(st.floats(0.01, 240, allow_nan=False))
    rgb = b"".join(pictures[number] for number in order)
    return Video(width_px, height_px, fps, rgb, tuple(keys))


@given(videos())
def test_footage_keeps_every_bit(video: Video) -> None:
    stored = msgspec.msgpack.encode(pack(video))
    assert unpack(msgspec.msgpack.decode(stored, type=Footage)) == video


def test_frames_that_stay_cost_nothing() -> None:
    rng = np.random.default_rng(0)
    one, other = (rng.integers(0, 256, (48, 64, 3), dtype=np.uint8) for _ in range(2))
    short = pack(clip([one, other], 10))
    long = pack(clip([one] * 50 + [other] * 70, 10))
    assert long.lasts == (50, 70)
    assert long.data == short.data


def test_a_lit_cell_on_a_still_board_is_small() -> None:
    rng = np.random.default_rng(0)
    board = np.repeat(np.repeat(rng.integers(0, 256, (24, 32, 3), dtype=np.uint8), 10, 0), 10, 1)

    def picture(number: int) -> np.ndarray:
        lit = board.copy()
        if number % 10 < 6:
            left = 40 * (number // 10 % 8)
            lit[40:80, left : left + 40] = 255
        return lit

    video = clip(map(picture, range(100)), 10)
    assert len(pack(video).data) < len(video.rgb) / 1_000


@given(st.data())
def test_damaged_footage_is_refused_or_harmless(data: st.DataObject) -> None:
    raw = bytearray(msgspec.msgpack.encode(pack(data.draw(videos()))))
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        footage = msgspec.msgpack.decode(raw, type=Footage)
        if sum(footage.lasts) * footage.width_px * footage.height_px < 1 << 20:
            unpack(footage)
    except ValueError:  # msgspec's errors are ValueErrors too
        return


def test_a_run_keeps_a_video_without_a_codec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    run = create(tmp_path / "run", {"experiment": {}})
    video = Video(2, 2, 10.0, bytes(range(12)) * 40, (0, 3))
    run.store(video)
    stored = run.media(video.digest)
    assert stored is not None
    assert len(stored) < 200 < len(video.rgb)
    assert run.load(ref(video)) == video


@pytest.mark.parametrize("fps", [10, 10.0, 12.5])
def test_videos_of_runs_of_schema_1_load_whatever_their_rate_was(
    fps: float, tmp_path: Path
) -> None:
    run = create(tmp_path / "run", {"experiment": {}})
    video = Video(2, 1, fps, bytes(range(12)))
    path = _old_path(run, video)
    path.parent.mkdir(parents=True)
    path.write_bytes(msgspec.msgpack.encode(pack(video)))
    assert run.load(_old_ref(video)) == video
    run.store(video)
    assert run.load(ref(video)) == video


def test_a_video_kept_as_raw_pictures_still_loads(tmp_path: Path) -> None:
    run = create(tmp_path / "run", {"experiment": {}})
    video = Video(2, 1, 5.0, bytes(range(12)))
    path = _old_path(run, video)
    path.parent.mkdir(parents=True)
    fields = {"type": "video", "width_px": 2, "height_px": 1, "fps": 5.0, "rgb": video.rgb}
    path.write_bytes(msgspec.msgpack.encode(fields))
    assert run.load(_old_ref(video)) == video


def test_a_damaged_video_is_named(tmp_path: Path) -> None:
    run = create(tmp_path / "run", {"experiment": {}})
    video, other = (Video(1, 1, 5.0, bytes([n]) * 9) for n in range(2))
    path = _old_path(run, video)
    path.parent.mkdir(parents=True)
    path.write_bytes(msgspec.msgpack.encode(pack(other)))
    with pytest.raises(UserError, match=r"damaged in .*another medium"):
        run.load(_old_ref(video))
    path.write_bytes(b"")
    with pytest.raises(UserError, match="damaged in"):
        run.load(_old_ref(video))


def _old_path(run: RunDir, part: Part) -> Path:
    """Where runs of schema 1 kept a medium."""
    digest = part_digest(part)
    return run.path / "media" / digest[:2] / digest


def _old_ref(video: Video) -> Ref:
    shape = f"{video.width_px}x{video.height_px}@{video.fps}"
    return msgspec.structs.replace(ref(video), digest=part_digest(video), shape=shape)
