"""Instruments and animals: each is heard as itself, whatever the take."""

from collections.abc import Callable

import numpy as np
import pytest

from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.media import sound
from polyathlon.media.animals import ANIMALS, call
from polyathlon.media.instruments import INSTRUMENTS, note
from polyathlon.media.sound import RATE_HZ, Samples

KINDS: dict[str, Callable[..., Samples]] = {
    **dict.fromkeys(INSTRUMENTS, note),
    **dict.fromkeys(ANIMALS, call),
}
FRAME, HOP, BANDS = 512, 160, 24


def features(samples: Samples) -> Samples:
    """Cepstral coefficients of mel bands, their spread, and how the loudness moves."""
    padded = np.pad(samples, FRAME)
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP] * np.hanning(FRAME)
    power = np.abs(np.fft.rfft(frames)) ** 2 @ _mel_bands()
    loudness = power.sum(axis=1)
    heard = power[loudness > 1e-2 * loudness.max()]
    cepstra = np.log(heard + 1e-4 * power.max()) @ _cosines()
    envelope = np.sqrt(loudness / loudness.max())
    motion = np.abs(np.fft.rfft(envelope - envelope.mean(), 128))[1:25]
    return np.concatenate(
        [cepstra.mean(axis=0), cepstra.std(axis=0), 2.0 * motion / np.linalg.norm(motion)]
    )


def _mel_bands() -> Samples:
    mels = np.linspace(0.0, 2595.0 * np.log10(1.0 + RATE_HZ / 2 / 700.0), BANDS + 2)
    edges_hz = 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    pitches_hz = np.fft.rfftfreq(FRAME, 1.0 / RATE_HZ)
    return np.stack(
        [np.interp(pitches_hz, edges_hz[b : b + 3], [0.0, 1.0, 0.0]) for b in range(BANDS)], axis=1
    )


def _cosines() -> Samples:
    orders, places = np.arange(1, 13), np.arange(BANDS) + 0.5
    return np.cos(np.pi * np.outer(places, orders) / BANDS) / np.sqrt(BANDS)


def varied(samples: Samples, seed: int) -> Samples:
    """Another take: louder or softer, sooner or later, a little faster or slower, some hiss."""
    rng = stream(seed, "take")
    pace = 0.95 + 0.1 * rng.uniform()
    places = np.arange(0.0, len(samples) - 1, pace)
    paced = np.interp(places, np.arange(len(samples)), samples) * (0.4 + 0.6 * rng.uniform())
    shifted = np.concatenate([np.zeros(rng.below(1_600)), paced])
    hiss = sound.noise(len(shifted) / RATE_HZ, level=0.01, seed=seed)
    return shifted + hiss[: len(shifted)]


@pytest.mark.parametrize("name", KINDS)
def test_the_nearest_kind_is_the_kind(name: str) -> None:
    known = {kind: features(varied(make(kind), 999)) for kind, make in KINDS.items()}
    for seed in range(6):
        taken = features(varied(KINDS[name](name), seed))
        nearest = min(known, key=lambda kind: float(np.linalg.norm(known[kind] - taken)))
        assert nearest == name, f"take {seed}"


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seconds", [0.1, 0.7, 1.5])
def test_length_peak_and_ends(name: str, seconds: float) -> None:
    made = KINDS[name](name, seconds)
    assert len(made) == round(seconds * RATE_HZ)
    assert np.abs(made).max() == pytest.approx(0.8)
    assert np.abs(made[:4]).max() < 0.3
    assert np.abs(made[-16:]).max() < 0.02
    assert not made.flags.writeable


@pytest.mark.parametrize("name", ["piano", "trumpet", "flute"])
@pytest.mark.parametrize("pitch_hz", [261.63, 440.0, 523.25])
def test_notes_have_their_pitch(name: str, pitch_hz: float) -> None:
    made = note(name, 0.7, pitch_hz)
    spectrum = np.abs(np.fft.rfft(made * np.hanning(len(made)), 1 << 16))
    pitches_hz = np.fft.rfftfreq(1 << 16, 1 / RATE_HZ)
    comb = {
        cents: sum(
            np.interp(number * pitch_hz * 2 ** (cents / 1200), pitches_hz, spectrum)
            for number in range(1, 5)
        )
        for cents in range(-300, 301, 10)
    }
    assert abs(max(comb, key=lambda cents: comb[cents])) <= 20


def test_wrong_names_and_pitches_say_what_to_write() -> None:
    with pytest.raises(UserError, match="did you mean piano"):
        note("paino")
    with pytest.raises(UserError, match="unknown animal 'wolf'"):
        call("wolf")
    with pytest.raises(ValueError, match="pitch"):
        note("piano", 0.7, 5.0)
