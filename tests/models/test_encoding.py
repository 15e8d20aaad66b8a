"""Media as text, and the caches that hold it."""

from __future__ import annotations

import base64
import io
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.models.encoding import as_pictures, jpegs_url, png_base64, wav_base64
from polyathlon.agents.models.prices import known_price
from polyathlon.core.models import Usage
from polyathlon.core.parts import Audio, Image, Video
from polyathlon.experiments.rundir import create
from polyathlon.media import png
from polyathlon.media.lru import SizedLru


@pytest.mark.parametrize("channels", [1, 2])
def test_wav_is_read_back_by_the_standard_library(channels: int) -> None:
    sound = Audio(16_000, bytes(range(160)), channels)
    with wave.open(io.BytesIO(base64.b64decode(wav_base64(sound)))) as opened:
        assert opened.getframerate() == 16_000
        assert (opened.getnchannels(), opened.getsampwidth()) == (channels, 2)
        assert opened.readframes(1_000) == sound.pcm


def test_png_is_lossless() -> None:
    picture = Image(5, 4, bytes(range(60)))
    assert png.decode(base64.b64decode(png_base64(picture))) == picture


def test_a_video_as_pictures_says_when_each_was_shown() -> None:
    clip = Video(1, 1, 10.0, bytes(n for n in range(50) for _ in range(3)), key_frames=(3, 25))
    pictures = as_pictures(clip)
    assert [image.rgb[0] for image in pictures.images] == [3, 25]
    assert pictures.caption.text == "(2 frames of a video of 5.00 s, at 0.30, 2.50 s)"
    assert pictures.conversion == "video of 50 frames to 2 images"


def test_a_long_video_becomes_at_most_16_pictures() -> None:
    clip = Video(1, 1, 10.0, bytes(3 * 100), key_frames=tuple(range(20, 60)))
    assert len(as_pictures(clip).images) == 16


def test_a_long_clip_becomes_at_most_32_jpegs() -> None:
    clip = Video(8, 8, 10.0, bytes(8 * 8 * 3 * 50))
    assert len(jpegs_url(clip).removeprefix("data:video/jpeg;base64,").split(",")) == 32


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 12)), max_size=60))
def test_the_cache_never_holds_more_than_its_bound(puts: list[tuple[str, int]]) -> None:
    cache: SizedLru[bytes] = SizedLru(20)
    newest: dict[str, bytes] = {}
    for key, size in puts:
        cache.put(key, bytes(size))
        newest[key] = bytes(size)
        held = {k: v for k in "abcdef" if (v := cache.get(k)) is not None}
        assert sum(map(len, held.values())) <= 20
        assert held.get(key) == bytes(size)
        assert all(newest[k] == v for k, v in held.items())


def test_prices_are_known_or_none() -> None:
    pytest.importorskip("genai_prices")
    assert known_price("openai", "no-such-model") is None
    price = known_price("openai", "gpt-4o")
    assert price is not None
    assert price.cost(Usage(input=1_000_000, output=1_000_000)) == pytest.approx(12.5)
    assert price.cost(Usage(input=1_000_000, cached=1_000_000)) == pytest.approx(1.25)


def test_a_picture_that_is_stored_and_sent_is_encoded_once(tmp_path, monkeypatch) -> None:
    encoded: list[str] = []

    def counting(image: Image) -> bytes:
        encoded.append(image.digest)
        return b"png"

    monkeypatch.setattr(png, "encode", counting)
    picture = Image(2, 1, b"stored")
    create(tmp_path / "run", {"experiment": {}}).store(picture)
    png_base64(picture)
    png_base64(Image(2, 1, b"stored"))
    assert encoded == [picture.digest]
