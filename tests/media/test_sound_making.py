"""Sounds: levels, lengths, pitches, places, and equal bytes."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.media import sound
from polyathlon.media.animals import ANIMALS, call
from polyathlon.media.fingerprint import sound_fingerprint
from polyathlon.media.instruments import INSTRUMENTS, note
from polyathlon.media.sound import RATE_HZ, Samples

SECONDS = st.floats(0.0, 0.5)


def loudest_hz(samples: Samples) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum)) * RATE_HZ / len(samples)


@pytest.mark.parametrize("pitch_hz", [110.0, 440.0, 1_760.0])
def test_a_tone_has_its_pitch(pitch_hz: float) -> None:
    assert loudest_hz(sound.tone(pitch_hz, 1.0, (1.0, 0.3))) == pytest.approx(pitch_hz, abs=1.5)


def test_a_sweep_glides() -> None:
    glide = sound.sweep(200.0, 3_200.0, 1.0)
    heard = [loudest_hz(part) for part in np.array_split(glide, 8)]
    assert heard == sorted(heard)
    assert heard[0] < 300.0
    assert heard[-1] > 2_200.0


@settings(max_examples=50, deadline=None)
@given(SECONDS, st.floats(20.0, 9_000.0), st.lists(st.floats(-1.0, 1.0), max_size=5))
def test_tones_keep_their_length_and_level(
    seconds: float, pitch_hz: float, partials: list[float]
) -> None:
    made = sound.tone(pitch_hz, seconds, partials, level=0.5)
    assert len(made) == round(seconds * RATE_HZ)
    assert np.abs(made).max(initial=0.0) <= 0.5 + 1e-9


def test_noise_stays_in_its_band_and_repeats() -> None:
    hiss = sound.noise(0.5, 1_000.0, 2_000.0, seed=7)
    spectrum = np.abs(np.fft.rfft(hiss)) ** 2
    pitches_hz = np.fft.rfftfreq(len(hiss), 1 / RATE_HZ)
    inside = (pitches_hz >= 1_000.0) & (pitches_hz <= 2_000.0)
    assert spectrum[inside].sum() > 0.999 * spectrum.sum()
    assert np.array_equal(hiss, sound.noise(0.5, 1_000.0, 2_000.0, seed=7))
    assert not np.array_equal(hiss, sound.noise(0.5, 1_000.0, 2_000.0, seed=8))


def test_noise_without_a_band_is_refused() -> None:
    with pytest.raises(ValueError, match="band"):
        sound.noise(0.1, 3_000.0, 2_000.0)


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=4))
def test_mixing_adds_and_lasts_to_the_end(places: list[tuple[float, float]]) -> None:
    layers = [(start_s, np.ones(sound.count(seconds))) for start_s, seconds in places]
    total = sound.mixed(layers)
    ends = [sound.count(start_s) + len(samples) for start_s, samples in layers]
    assert len(total) == max(ends, default=0)
    assert total.sum() == sum(len(samples) for _, samples in layers)


def test_a_loud_mix_is_lowered_not_cut() -> None:
    loud = sound.mixed([(0.0, sound.tone(300.0, 0.2, level=0.9))] * 3)
    pcm = np.frombuffer(sound.audio(loud).pcm, "<i2")
    assert np.abs(pcm).max() == sound.FULL_SCALE
    assert np.allclose(pcm / sound.FULL_SCALE, loud / np.abs(loud).max(), atol=1e-4)
    quiet = sound.audio(sound.tone(300.0, 0.2, level=0.1))
    assert np.abs(np.frombuffer(quiet.pcm, "<i2")).max() <= 0.1 * sound.FULL_SCALE + 1


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        sound.audio(np.array([0.0, np.nan]))
    with pytest.raises(ValueError, match="duration"):
        sound.silence(-1.0)


@pytest.mark.parametrize(("pan", "louder"), [(-1.0, 0), (-0.4, 0), (0.4, 1), (1.0, 1)])
def test_a_side_is_louder_and_earlier(pan: float, louder: int) -> None:
    click = np.zeros(400)
    click[50] = 1.0
    stereo = sound.panned(click, pan)
    near, far = stereo[:, louder], stereo[:, 1 - louder]
    assert stereo.shape == (400, 2)
    assert near.argmax() == 50
    assert near.max() > far.max()
    if far.max() > 0.01:
        assert far.argmax() > 50
    assert sound.audio(stereo).channels == 2


def test_the_middle_is_even() -> None:
    left, right = sound.panned(sound.tone(200.0, 0.1), 0.0).T
    assert np.array_equal(left, right)
    with pytest.raises(ValueError, match="pan"):
        sound.panned(left, 1.5)


def test_samples_survive_pcm() -> None:
    stereo = sound.panned(sound.noise(0.05), 0.3)
    made = sound.audio(stereo)
    assert sound.audio(sound.samples(made)) == made


def all_sounds() -> str:
    """A digest of every instrument, animal and primitive as int16."""
    made = [note(name) for name in INSTRUMENTS] + [call(name) for name in ANIMALS]
    made += [
        sound.tone(441.7, 0.3, (1.0, 0.5)),
        sound.noise(0.3, 90.0),
        sound.sweep(90, 4_000, 0.3),
    ]
    hasher = hashlib.sha256()
    for samples in made:
        hasher.update(sound.audio(sound.panned(samples, 0.25)).pcm)
    return hasher.hexdigest()


@pytest.mark.slow
def test_equal_bytes_without_the_processors_vector_units() -> None:
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "from test_sound_making import all_sounds; print(all_sounds())"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, os.path.dirname(__file__)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == all_sounds()


def test_the_sound_fingerprint_is_stable() -> None:
    assert sound_fingerprint() == sound_fingerprint()
    assert sound_fingerprint().startswith("sound-")
