"""Packs of media: what is stored comes back bit by bit, or its damage is named."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments.disks import Recording, left
from tests.experiments.test_broken_disk import _picture_specs

from polyathlon import registry
from polyathlon.cli.replay import replay
from polyathlon.core.chance import stream
from polyathlon.core.errors import RunStopped, UserError
from polyathlon.core.parts import Audio, Image, Part, Video
from polyathlon.core.trace import Ref, ref
from polyathlon.experiments import packs
from polyathlon.experiments.media import MediaStore
from polyathlon.experiments.rundir import RunDir, create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.media import png
from polyathlon.media.packing import pack, unpack


def board(seed: int, side: int = 96) -> Image:
    """A flat drawing: squares of a few colours."""
    cells = np.random.default_rng(seed).integers(0, 4, (4, 4, 3), np.uint8) * 60
    pixels = np.repeat(np.repeat(cells, side // 4, 0), side // 4, 1)
    return Image(side, side, pixels.tobytes())


def grain(seed: int, side: int = 96) -> Image:
    """A picture of noise, which nothing compresses."""
    return Image(side, side, np.random.default_rng(seed).bytes(side * side * 3))


MEDIA: list[Part] = [
    board(0),
    grain(0),
    Image(1, 1, b"\x01\x02\x03"),
    Audio(16_000, bytes(range(256)) * 4, 2),
    Audio(8_000, b""),
    Video(2, 2, 12.5, bytes(range(12)) * 3, (0, 2)),
]


@st.composite
def pictures(draw: st.DrawFn) -> Image:
    width_px, height_px = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    row = draw(st.binary(min_size=width_px * 3, max_size=width_px * 3))
    other = draw(st.binary(min_size=width_px * 3, max_size=width_px * 3))
    order = draw(st.lists(st.booleans(), min_size=height_px, max_size=height_px))
    return Image(width_px, height_px, b"".join(row if first else other for first in order))


@given(pictures())
def test_pictures_keep_every_bit(picture: Image) -> None:
    assert unpack(pack(picture)) == picture


@pytest.mark.parametrize("part", MEDIA, ids=lambda part: f"{type(part).__name__}")
def test_media_come_back_from_this_and_other_processes(part: Part, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    assert store.load(ref(part)) is None
    store.store(part)
    assert store.load(ref(part)) == MediaStore(store.root).load(ref(part)) == part
    store.close()
    assert MediaStore(store.root).load(ref(part)) == part


def test_flat_drawings_are_smaller_than_png_and_noise_is_png(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for picture, codec in ((board(0), "rows"), (grain(0), "png")):
        store.store(picture)
        assert pack(picture).codec == codec
        assert len(pack(picture).data) <= len(png.encode(picture))
        assert store.encoded(picture.digest) == png.encode(picture)


def test_a_medium_is_kept_once(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    store.store(board(0))
    size = _size(store.root)
    threads = [threading.Thread(target=store.store, args=(board(0),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _size(store.root) == size
    store.close()
    again = MediaStore(store.root)
    again.store(board(0))
    assert len(list(store.root.iterdir())) == 1


def test_threads_store_at_once_while_others_sync(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    media = [board(seed) for seed in range(64)]

    def work(first: int) -> None:
        for part in media[first::4]:
            store.store(part)
            store.sync()

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [MediaStore(store.root).load(ref(part)) for part in media] == media


def test_a_reader_sees_what_another_process_stores_meanwhile(tmp_path: Path) -> None:
    writer, reader = MediaStore(tmp_path / "media"), MediaStore(tmp_path / "media")
    for seed in range(3):
        assert not reader.holds(board(seed).digest)
        writer.store(board(seed))
        assert reader.load(ref(board(seed))) == board(seed)


def test_what_a_killed_process_left_is_forced_to_the_disk_before_it_is_relied_on(
    tmp_path: Path,
) -> None:
    recording = Recording(tmp_path / "run")
    with recording.recorded():
        killed = MediaStore(recording.root / "media")
        killed.store(board(0))
        store = MediaStore(killed.root)
        store.store(board(0))
        store.sync()
    assert_never_lost(recording, tmp_path, [board(0)])


def test_what_was_stored_before_a_sync_is_forced_though_its_pack_is_full_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording(tmp_path / "run")
    with recording.recorded():
        store = MediaStore(recording.root / "media")
        store.store(board(0))
        monkeypatch.setattr("polyathlon.experiments.media.PACK_BYTES", 1)
        store._full = FilledOnceEmpty(lambda: store.store(board(1)))
        store.sync()
    assert len(store._full) == 1
    assert_never_lost(recording, tmp_path, [board(0)])


class FilledOnceEmpty(list[packs.PackWriter]):
    """Another thread's turn comes right after this was found empty."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then: list[Callable[[], None]] = [then]

    def __bool__(self) -> bool:
        filled = len(self) > 0
        if not filled and self._then:
            self._then.pop()()
        return filled


def assert_never_lost(recording: Recording, place: Path, media: list[Part]) -> None:
    """No loss of power takes these media away."""
    for number in range(20):
        target = place / f"lost-{number}"
        left(recording, len(recording.ops), stream(number), "cut", target)
        kept = MediaStore(target / "media")
        assert [kept.load(ref(part)) for part in media] == media


def test_a_pack_whose_index_names_other_media_is_damaged(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    one, other = grain(1, 16), grain(2, 16)
    store.store(one)
    store.store(other)
    assert store._writer is not None
    first, second = store._writer._entries
    store._writer._entries = [first[:32] + second[32:], second[:32] + first[32:]]
    store.close()
    reader = MediaStore(store.root)
    assert reader.holds(one.digest)
    with pytest.raises(packs.Damaged, match=r"0001\.pack .*another medium"):
        reader.load(ref(one))
    with pytest.raises(packs.Damaged, match=r"0001\.pack .*another medium"):
        reader.encoded(one.digest)


def test_writers_have_packs_of_their_own_and_full_ones_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyathlon.experiments.media.PACK_BYTES", 500)
    one, two = MediaStore(tmp_path / "media"), MediaStore(tmp_path / "media")
    for seed in range(12):
        (one if seed % 2 else two).store(board(seed))
    one.close()
    two.close()
    found = sorted(one.root.glob("*.pack"))
    assert len(found) > 2
    assert all(packs.scan(pack).whole for pack in found)
    assert all(MediaStore(one.root).load(ref(board(seed))) for seed in range(12))


@given(data=st.data())
def test_any_damage_to_a_pack_is_named_or_harmless(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("packs") / "media"
    store = MediaStore(root)
    for part in MEDIA:
        store.store(part)
    if data.draw(st.booleans(), "ended"):
        store.close()
    [pack_file] = root.iterdir()
    whole = pack_file.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1), "at")
    torn = whole[:at]
    if data.draw(st.booleans(), "flipped"):
        torn = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    pack_file.write_bytes(torn)
    damaged, problems = MediaStore(root), []
    for part in MEDIA:
        try:
            assert damaged.load(ref(part)) in (part, None)
        except packs.Damaged as problem:
            problems.append(str(problem))
    assert all(pack_file.name in problem for problem in problems)
    shutil.rmtree(root)


def test_a_torn_pack_keeps_what_is_before_and_the_rest_is_stored_again(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for seed in range(4):
        store.store(board(seed))
    store.close()
    [pack_file] = store.root.iterdir()
    third = packs.scan(pack_file).found[2][1]
    os.truncate(pack_file, third.offset + 70)
    again = MediaStore(store.root)
    assert [again.holds(board(seed).digest) for seed in range(4)] == [True, True, False, False]
    for seed in range(4):
        again.store(board(seed))
    assert all(MediaStore(store.root).load(ref(board(seed))) for seed in range(4))


def test_a_full_disk_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MediaStore(tmp_path / "media")
    store.store(board(0))
    write = os.write

    def half(handle: int, data: bytes) -> int:
        write(handle, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(RunStopped, match=r"0001\.pack .No space.*--resume"):
            store.store(board(1))
    assert not store.holds(board(1).digest)
    store.store(board(2))
    assert MediaStore(store.root).load(ref(board(2))) == board(2)


def test_a_digest_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no media hash"):
        MediaStore(tmp_path / "media").load(Ref("image", digest="../../etc/passwd"))


@pytest.fixture
def played(tmp_path: Path) -> RunDir:
    run = create(tmp_path / "run", {"experiment": {}})
    run_plan(run, _picture_specs(), Settings())
    return run


def test_verify_says_what_is_missing_and_resume_draws_it_again(
    played: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(played.path, verify=True) == 0
    [pack_file] = played.path.glob("media/*.pack")
    for harm in (lambda: pack_file.unlink(), lambda: pack_file.write_bytes(b"")):
        harm()
        capsys.readouterr()
        assert replay(played.path, verify=True) == 1
        assert "media are missing: image 400x400 " in capsys.readouterr().out
        progress = run_plan(open_run(played.path), _picture_specs(), Settings())
        assert (progress.done, progress.problems) == (1, [])
        assert replay(played.path, verify=True) == 0


def test_verify_names_the_pack_that_is_damaged(
    played: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    [pack_file] = played.path.glob("media/*.pack")
    raw = bytearray(pack_file.read_bytes())
    raw[200] ^= 255
    pack_file.write_bytes(raw)
    assert replay(played.path, verify=True) == 1
    assert "0001.pack" in capsys.readouterr().out
    pack_file.unlink()
    run_plan(open_run(played.path), _picture_specs(), Settings())
    assert replay(played.path, verify=True) == 0


def test_what_cannot_be_drawn_again_is_a_problem_and_not_a_lost_result(
    played: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(registry.make("lmgame/twenty48-v0", "standard", {}))
    monkeypatch.setattr(kind, "state", lambda env: {"another": "rule"})
    for pack_file in played.path.glob("media/*.pack"):
        pack_file.unlink()
    progress = run_plan(open_run(played.path), _picture_specs(), Settings())
    assert progress.done == 1
    [problem] = progress.problems
    assert "media are missing" in problem
    assert "replay differs" in problem


def test_runs_that_keep_no_media_miss_none(tmp_path: Path) -> None:
    run = create(tmp_path / "run", {"experiment": {}})
    run_plan(run, _picture_specs(), Settings(media="hash"))
    assert not run.kept.root.exists()
    assert replay(run.path, verify=True) == 0


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.iterdir())
