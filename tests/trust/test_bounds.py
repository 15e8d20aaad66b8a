"""What promises to be large is refused by what it says, and what does not say is cut off."""

from __future__ import annotations

import io
import struct
import zlib

import msgspec
import numpy as np
import pytest
import zstandard
from PIL import Image as Pil

from polyathlon.core.errors import UserError
from polyathlon.core.parts import Audio, Image, Video
from polyathlon.experiments import plan, spec, yamls
from polyathlon.experiments.plan import episodes
from polyathlon.experiments.spec import load, parse
from polyathlon.experiments.yamls import MOST_BYTES, written_by_people, written_by_us
from polyathlon.media import flac, footage, png, wav
from polyathlon.media.limits import MOST_RAW_BYTES, unzstd
from polyathlon.media.packing import Packed, pack, unpack
from polyathlon.media.video import mp4, read_mp4

BOMB = zstandard.ZstdCompressor(3).compress(bytes(200 << 20))


def silent(size: int) -> bytes:
    """A Zstandard frame of `size` zeros that does not say how long it is."""
    compressor = zstandard.ZstdCompressor(3).compressobj()
    return b"".join([compressor.compress(bytes(1 << 20)) for _ in range(size >> 20)]) + (
        compressor.flush()
    )


@pytest.mark.parametrize("bomb", [BOMB, silent(200 << 20)], ids=["says", "does not say"])
def test_a_small_frame_does_not_expand_without_bounds(bomb):
    assert len(bomb) < 30_000
    with pytest.raises(ValueError, match="belong"):
        unzstd(bomb, MOST_RAW_BYTES)


def test_a_frame_is_read_to_its_end_or_refused():
    data = bytes(range(256)) * 9_000
    assert unzstd(zstandard.compress(data), len(data)) == data
    with pytest.raises(ValueError, match="belong"):
        unzstd(zstandard.compress(data), len(data) - 1)
    with pytest.raises(ValueError, match="damaged"):
        unzstd(zstandard.compress(data)[:-9], len(data))


@pytest.mark.parametrize(
    "packed",
    [
        Packed("audio", "pcm", (16_000, 1), BOMB),
        Packed("image", "rows", (60_000, 60_000), BOMB),
        Packed("image", "rows", (2**32 - 1, 2**32 - 1), b""),
        Packed("image", "rows", (10, 10), BOMB),
    ],
)
def test_packed_media_are_bounded(packed):
    with pytest.raises(ValueError, match=r"belong|too large"):
        unpack(packed)


@pytest.mark.parametrize(
    ("lasts", "size"), [((1,) * 9, 20_000), ((10**9,), 10), ((2**60, 2**60), 1), ((1,), 0)]
)
def test_footage_is_bounded(lasts, size):
    kept = footage.Footage(size, size, 1.0, lasts, BOMB)
    data = msgspec.msgpack.encode(kept)
    with pytest.raises(ValueError, match=r"too many|no pictures"):
        unpack(Packed("video", "footage", (size, size), data))


def test_what_could_not_be_read_again_is_not_kept():
    with pytest.raises(ValueError, match="too many"):
        pack(Audio(16_000, bytes(MOST_RAW_BYTES + 2)))
    with pytest.raises(ValueError, match="too large"):
        pack(Image(5_001, 5_000, bytes(5_001 * 5_000 * 3)))
    with pytest.raises(ValueError, match="too many"):
        pack(Video(1_000, 1_000, 1.0, bytes(34 * 3_000_000)))


def chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)


def huge_png(width: int, height: int) -> bytes:
    """A one-bit PNG, as small as its size allows."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width // 8 + 2) * min(height, 20_000)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("side", [13_300, 5_001, 60_000])
def test_a_picture_of_too_many_pixels_is_refused(side):
    with pytest.raises(ValueError, match="not a readable picture"):
        png.decode(huge_png(side, side))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_damaged_pictures_are_refused(form):
    target = io.BytesIO()
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    Pil.fromarray(noise).save(target, form)
    data = target.getvalue()
    for cut in range(0, len(data) - 20, max(1, len(data) // 40)):
        with pytest.raises(ValueError, match="not a readable picture"):
            png.decode(data[:cut])


def test_a_sound_that_promises_hours_is_refused():
    sound = bytearray(flac.encode(Audio(16_000, bytes(32_000))))
    sound[21:26] = b"\xff" * 5  # the number of samples in its header, 36 bits
    with pytest.raises(ValueError, match="too many"):
        flac.decode(bytes(sound))
    with pytest.raises(ValueError, match="too many"):
        wav.decode(wav.encode(Audio(16_000, bytes(MOST_RAW_BYTES + 2))))


def test_a_film_is_cut_off():
    clip = Video(64, 48, 10.0, bytes(64 * 48 * 3 * 30))
    with pytest.raises(ValueError, match="too long"):
        read_mp4(mp4(clip), most_bytes=64 * 48 * 3 * 10)
    with pytest.raises(ValueError, match="too long"):
        read_mp4(mp4(clip), most_frames=29)


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LAUGHS, "alias"),
        ("a: &a [*a]", "alias"),
        ("[" * 5_000 + "]" * 5_000, "levels"),
        ("{a: " * 200 + "x" + "}" * 200, "levels"),
        ("[" + "1," * 600 + "1]", "values"),
        ("a: " + "9" * 100_000, "digits"),
        ("x" * (MOST_BYTES + 1), "larger than"),
        ("!!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("a: !!python/name:os.system", "could not determine a constructor"),
        ("\x00", "control characters"),
        ("a: b: c", "not allowed"),
    ],
)
@pytest.mark.parametrize("read", [written_by_people, written_by_us])
def test_yaml_is_bounded(tmp_path, monkeypatch, text, says, read):
    monkeypatch.setattr(yamls, "MOST_VALUES", 500)
    path = tmp_path / "shared.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=says) as refused:
        read(path)
    assert str(path) in str(refused.value)
    assert len(str(refused.value)) < 500


def test_what_a_yaml_file_asks_for_is_counted_before_it_is_made(monkeypatch):
    many = {"targets": ["lmgame/twenty48-v0"], "lineups": [{"*": {"kind": "random"}}]}
    groups = [{**many, "seeds": f"{start}:{start + 900_000}"} for start in range(50)]
    with pytest.raises(UserError, match="1000000 seeds"):
        parse({"groups": groups}, "shared.yaml")
    with pytest.raises(UserError, match="less than or equal"):
        parse({"groups": [{**many, "attempts": 10**12}]}, "shared.yaml")
    with pytest.raises(UserError, match="at most 1000"):
        parse({"groups": [many] * 1_001}, "shared.yaml")
    with pytest.raises(UserError, match="seeds") as refused:
        parse({"groups": [{**many, "seeds": "1," * 10_000}]}, "shared.yaml")
    assert len(str(refused.value)) < 200
    product = {**many, "seeds": "0:1000", "attempts": 1_000, "lineups": many["lineups"] * 1_000}
    with pytest.raises(UserError, match="more than 1000000 episodes"):
        episodes(parse({"groups": [product]}, "shared.yaml"))
    monkeypatch.setattr(plan, "MAX_EPISODES", 10_000)
    seats = [{"*": {"kind": "random", "weights": str(n)}} for n in range(1_000)]
    table = {"targets": ["omniplay/showdown-v0"], "schedule": "crossplay", "lineups": seats}
    with pytest.raises(UserError, match="more than 10000 episodes"):
        episodes(parse({"groups": [table]}, "shared.yaml"))


@pytest.mark.parametrize("seeds", [(5,), (3, 4, 5), (1, 4, 9), (9, 8, 7), tuple(range(100_000))])
def test_seeds_are_kept_short_and_come_back(seeds):
    group = spec.Group(targets=("x",), seeds=seeds)
    dumped = group.model_dump(mode="json")
    assert spec.Group.model_validate(dumped).seeds == seeds


def test_our_suites_are_read_under_the_bounds():
    from polyathlon.experiments import suites

    assert all(load(suites.folder() / f"{name}.yaml").groups for name in suites.names())
