"""FLAC: lossless, equal bytes, and damage is refused in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.parts import Audio

pytest.importorskip("av")
from polyathlon.media import flac, sound, wav

SOUNDS = st.builds(
    lambda samples, repeats, channels, rate_hz: Audio(
        rate_hz, samples * channels * repeats, channels
    ),
    st.lists(st.integers(-32_768, 32_767), max_size=20).map(
        lambda values: b"".join(value.to_bytes(2, "little", signed=True) for value in values)
    ),
    st.sampled_from([1, 300]),
    st.sampled_from([1, 2]),
    st.sampled_from([8_000, 16_000, 22_050, 44_100, 48_000]),
)


@settings(max_examples=40, deadline=None)
@given(SOUNDS)
def test_lossless_and_stable(given_sound: Audio) -> None:
    data = flac.encode(given_sound)
    assert flac.decode(data) == given_sound
    assert flac.encode(given_sound) == data


def test_smaller_than_wav() -> None:
    tone = sound.audio(sound.tone(440.0, 2.0, (1.0, 0.5, 0.25)))
    assert len(flac.encode(tone)) < 0.6 * len(wav.encode(tone))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 255))
def test_damage_is_refused_or_harmless(place: int, change: int) -> None:
    original = sound.audio(sound.tone(300.0, 0.4))
    data = bytearray(flac.encode(original))
    data[place % len(data)] ^= change
    try:
        read = flac.decode(bytes(data))
    except ValueError:
        return
    assert isinstance(read, Audio)


def test_cut_files_and_other_bytes_are_refused() -> None:
    data = flac.encode(sound.audio(sound.noise(1.0)))
    for broken in (b"", b"fLaC", data[: len(data) // 2], b"RIFF" + bytes(400)):
        with pytest.raises(ValueError, match="FLAC"):
            flac.decode(broken)


def test_many_channels_are_refused() -> None:
    with pytest.raises(ValueError, match="1 or 2 channels"):
        flac.encode(Audio(16_000, bytes(12), 3))
