"""Four instruments, synthesised: piano, trumpet, drum and flute.

Each is told apart by what makes it itself: struck strings that ring out and are slightly out of
tune with their own overtones, brass that brightens as it swells, a skin whose pitch falls under
a burst of noise, a breathy pipe with a slow beginning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from polyathlon.core.errors import unknown
from polyathlon.media import sound
from polyathlon.media.sound import RATE_HZ, Samples

PEAK = 0.8
RELEASE_S = 0.03

_DRUM_MODES = (1.0, 1.593, 2.136, 2.296, 2.653, 2.918)
"""Frequencies of a circular membrane over its lowest (zeros of Bessel functions)."""


class Instrument(NamedTuple):
    """How to play one instrument: samples of (pitch_hz, seconds), and the pitch it is given."""

    play: Callable[[float, float], Samples]
    pitch_hz: float


@lru_cache(maxsize=256)
def note(instrument: str, seconds: float = 0.7, pitch_hz: float | None = None) -> Samples:
    """One note with a peak of 0.8; it ends within `seconds`. Cached: do not write to it.

    `pitch_hz` defaults to where the instrument is at home and must lie in [20, 4000]. Raises
    UserError for an unknown instrument, ValueError for a wrong pitch or duration.
    """
    if instrument not in INSTRUMENTS:
        raise unknown("instrument", instrument, INSTRUMENTS)
    player = INSTRUMENTS[instrument]
    pitch = player.pitch_hz if pitch_hz is None else pitch_hz
    if not 20.0 <= pitch <= 4_000.0:
        raise ValueError(f"a note needs a pitch between 20 and 4000 Hz, not {pitch}")
    played = player.play(pitch, seconds) * sound.release(seconds, RELEASE_S)
    return sound.finished(played, PEAK)


def _piano(pitch_hz: float, seconds: float) -> Samples:
    """Stiff strings (f_k = k f sqrt(1 + B k^2)) struck at an eighth of their length."""
    moments_s = sound.times(seconds)
    total = np.zeros(len(moments_s))
    for number in range(1, 25):
        partial_hz = number * pitch_hz * math.sqrt(1.0 + 4e-4 * number**2)
        if partial_hz >= RATE_HZ / 2:
            break
        strength = abs(math.sin(math.pi * number / 8.0)) / number**1.3
        half_life_s = 0.35 * (261.6 / pitch_hz) ** 0.5 / (1.0 + 0.25 * number)
        fading = 0.8 * np.exp2(-moments_s / half_life_s)
        fading += 0.2 * np.exp2(-moments_s / (3.0 * half_life_s))
        strings = np.sin(2.0 * np.pi * partial_hz * moments_s)
        strings += np.sin(2.0 * np.pi * partial_hz * 1.0008 * moments_s + 0.5)
        total += strength * fading * strings
    hammer = sound.noise(seconds, 80.0, 1_500.0, seed=1) * sound.decay(seconds, 0.008)
    return total * sound.decay(seconds, math.inf, attack_s=0.003) + 0.6 * hammer


def _trumpet(pitch_hz: float, seconds: float) -> Samples:
    """Frequency modulation whose depth follows the loudness (Chowning 1973, brass tones)."""
    swell = sound.contour(
        seconds, [(0.0, 0.0), (0.08, 1.0), (0.16, 0.8), (0.85, 0.7), (0.97, 0.0), (1.0, 0.0)]
    )
    moments_s = sound.times(seconds)
    vibrato = 1.0 + 0.006 * np.sin(2.0 * np.pi * 5.5 * moments_s) * np.minimum(1.0, 3.0 * moments_s)
    phase = sound.phase(pitch_hz * vibrato)
    deepest = min(5.0, max(1.0, RATE_HZ / 2 / pitch_hz - 2.0))
    return swell * np.sin(phase + deepest * swell * np.sin(phase))


def _drum(pitch_hz: float, seconds: float) -> Samples:
    """A membrane's inharmonic modes that fall in pitch as it relaxes, and the stick's noise."""
    moments_s = sound.times(seconds)
    phase = sound.phase(pitch_hz * (1.0 + 0.7 * np.exp2(-moments_s / 0.02)))
    skin = np.zeros(len(moments_s))
    for order, mode in enumerate(_DRUM_MODES):
        fading = sound.decay(seconds, 0.09 / (1.0 + 0.8 * order), attack_s=0.001)
        skin += fading / (1.0 + order) * np.sin(mode * phase)
    stick = sound.noise(seconds, 300.0, 5_000.0, seed=2) * sound.decay(seconds, 0.018, 0.001)
    return skin + 1.2 * stick


def _flute(pitch_hz: float, seconds: float) -> Samples:
    """A nearly pure pipe, blown with a breath of noise and a vibrato of loudness."""
    moments_s = sound.times(seconds)
    swell = sound.contour(
        seconds, [(0.0, 0.0), (0.06, 0.3), (0.18, 1.0), (0.8, 0.9), (0.98, 0.0), (1.0, 0.0)]
    )
    waver = np.sin(2.0 * np.pi * 5.0 * moments_s)
    pipe = sound.voiced(pitch_hz * (1.0 + 0.003 * waver), (1.0, 0.28, 0.09, 0.03))
    breath = sound.noise(seconds, 0.8 * pitch_hz, min(4.0 * pitch_hz, 7_500.0), seed=3)
    return swell * (1.0 + 0.15 * waver) * (pipe + 0.18 * breath)


INSTRUMENTS: Mapping[str, Instrument] = {
    "piano": Instrument(_piano, 261.63),
    "trumpet": Instrument(_trumpet, 349.23),
    "drum": Instrument(_drum, 110.0),
    "flute": Instrument(_flute, 783.99),
}
