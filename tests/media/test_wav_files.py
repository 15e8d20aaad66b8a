"""WAV: what was written is read; what is damaged is refused in words."""

import contextlib
import io
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.parts import Audio
from polyathlon.media import wav

SOUNDS = st.builds(
    lambda frames, channels, rate_hz: Audio(rate_hz, frames * 2 * channels, channels),
    st.binary(max_size=64),
    st.integers(1, 4),
    st.integers(1, 192_000),
)


@given(SOUNDS)
def test_what_is_written_is_read(sound: Audio) -> None:
    assert wav.decode(wav.encode(sound)) == sound


def test_the_standard_library_agrees() -> None:
    sound = Audio(16_000, bytes(range(200)), 2)
    with wave.open(io.BytesIO(wav.encode(sound))) as opened:
        read = Audio(opened.getframerate(), opened.readframes(10_000), opened.getnchannels())
    assert read == sound


def test_unknown_chunks_are_skipped() -> None:
    data = wav.encode(Audio(8_000, b"\1\2\3\4"))
    odd = data[:12] + b"LIST\3\0\0\0abc\0" + data[12:]
    assert wav.decode(odd).pcm == b"\1\2\3\4"


@given(st.binary(max_size=80), st.integers(0, 59), st.integers(0, 255))
def test_damage_is_refused_or_harmless(tail: bytes, place: int, value: int) -> None:
    data = bytearray(wav.encode(Audio(16_000, bytes(16))) + tail)
    data[place] = value
    for damaged in (bytes(data), bytes(data[:place]), tail):
        with contextlib.suppress(ValueError):
            assert isinstance(wav.decode(damaged), Audio)


@pytest.mark.parametrize("bits", [8, 24])
def test_other_sample_sizes_are_refused(bits: int) -> None:
    target = io.BytesIO()
    with wave.open(target, "wb") as opened:
        opened.setnchannels(1)
        opened.setsampwidth(bits // 8)
        opened.setframerate(16_000)
        opened.writeframes(bytes(bits))
    with pytest.raises(ValueError, match=f"{bits} bits"):
        wav.decode(target.getvalue())
