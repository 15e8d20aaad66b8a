"""Six animals, synthesised: dog, cat, bird, cow, sheep and chicken.

A call is a voice with a moving pitch, coloured by the resonances (formants) of a throat and
roughened by noise; a bird's is a whistle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from polyathlon.core.errors import unknown
from polyathlon.media import sound
from polyathlon.media.sound import RATE_HZ, Samples

Points: TypeAlias = Sequence[tuple[float, float]]
Formant: TypeAlias = tuple[Points, float]
"""A resonance: its frequency in Hz over the call, and its bandwidth in Hz."""

PEAK = 0.8
RELEASE_S = 0.02


@lru_cache(maxsize=256)
def call(animal: str, seconds: float = 0.7) -> Samples:
    """One call with a peak of 0.8, as long as `seconds`. Cached: do not write to it.

    Raises UserError for an unknown animal, ValueError for a wrong duration.
    """
    if animal not in ANIMALS:
        raise unknown("animal", animal, ANIMALS)
    called = ANIMALS[animal](seconds) * sound.release(seconds, RELEASE_S)
    return sound.finished(called, PEAK)


def throat(pitches_hz: Samples, formants: Sequence[Formant], tilt: float = 1.0) -> Samples:
    """A voice with a pitch for every sample, coloured by `formants`.

    A sum of harmonics: the k-th has strength k**-tilt times the resonances' gains at its
    frequency (each a second-order peak of height 1).
    """
    length = len(pitches_hz)
    phase = sound.phase(pitches_hz)
    centres = [(sound.lines(length, points), wide_hz) for points, wide_hz in formants]
    total = np.zeros(length)
    for number in range(1, 1 + int(RATE_HZ / 2 / max(pitches_hz.min(initial=RATE_HZ), 40.0))):
        heights_hz = number * pitches_hz
        gain = sum(
            1.0 / (1.0 + ((heights_hz - at_hz) / wide_hz) ** 2) for at_hz, wide_hz in centres
        )
        total += number**-tilt * gain * (heights_hz < RATE_HZ / 2) * np.sin(number * phase)
    return total


def _dog(seconds: float) -> Samples:
    """Two barks: abrupt, harsh, with a pitch that leaps up and drops."""
    bark = _bark(0.36 * seconds)
    return sound.mixed(
        [(0.02 * seconds, bark), (0.52 * seconds, 0.9 * bark), (0.0, sound.silence(seconds))]
    )


def _bark(seconds: float) -> Samples:
    pitches_hz = sound.contour(seconds, [(0.0, 170.0), (0.25, 330.0), (0.5, 270.0), (1.0, 130.0)])
    loud = sound.contour(seconds, [(0.0, 0.0), (0.05, 1.0), (0.4, 0.8), (0.75, 0.15), (1.0, 0.0)])
    jaw: Points = ((0.0, 350.0), (0.3, 620.0), (1.0, 380.0))
    voice = throat(pitches_hz, [(jaw, 130.0), (_steady(1_080.0), 160.0)], 0.7)
    rough = sound.noise(seconds, 250.0, 1_800.0, level=1.0, seed=11)
    return loud * (voice / max(float(np.abs(voice).max(initial=0.0)), 1e-9) + 0.5 * rough)


def _cat(seconds: float) -> Samples:
    """A meow: the pitch glides up and down while the mouth opens from m to ee to ow."""
    pitches_hz = sound.contour(
        seconds, [(0.0, 480.0), (0.3, 760.0), (0.55, 720.0), (0.9, 460.0), (1.0, 430.0)]
    )
    loud = sound.contour(
        seconds, [(0.0, 0.0), (0.12, 0.35), (0.35, 1.0), (0.6, 0.9), (0.92, 0.2), (1.0, 0.0)]
    )
    first: Points = ((0.0, 350.0), (0.3, 700.0), (0.55, 1100.0), (1.0, 500.0))
    second: Points = ((0.0, 1200.0), (0.3, 2600.0), (0.55, 1900.0), (1.0, 900.0))
    return loud * throat(pitches_hz, [(first, 180.0), (second, 250.0), (_steady(3_600.0), 400.0)])


def _bird(seconds: float) -> Samples:
    """Five chirps: whistles that rise and fall within a few hundredths of a second."""
    chirps = [
        (place * seconds, height * _chirp(0.11 * seconds, base_hz))
        for place, base_hz, height in (
            (0.02, 3_200.0, 0.8),
            (0.20, 3_500.0, 0.9),
            (0.38, 3_200.0, 1.0),
            (0.60, 4_000.0, 1.0),
            (0.78, 3_600.0, 0.7),
        )
    ]
    return sound.mixed([*chirps, (0.0, sound.silence(seconds))])


def _chirp(seconds: float, base_hz: float) -> Samples:
    pitches_hz = base_hz * sound.contour(seconds, [(0.0, 0.85), (0.35, 1.45), (1.0, 1.0)])
    return sound.voiced(pitches_hz, (1.0, 0.12)) * sound.edges(seconds, 0.3 * seconds)


def _cow(seconds: float) -> Samples:
    """A moo: low, long and closed at first, then open."""
    moments_s = sound.times(seconds)
    pitches_hz = sound.contour(seconds, [(0.0, 115.0), (0.3, 150.0), (0.75, 145.0), (1.0, 105.0)])
    pitches_hz = pitches_hz * (1.0 + 0.01 * np.sin(2.0 * np.pi * 6.0 * moments_s))
    loud = sound.contour(
        seconds, [(0.0, 0.0), (0.15, 0.5), (0.4, 1.0), (0.8, 0.9), (0.95, 0.25), (1.0, 0.0)]
    )
    first: Points = ((0.0, 240.0), (0.35, 330.0), (0.6, 480.0), (1.0, 330.0))
    second: Points = ((0.0, 600.0), (0.35, 700.0), (0.6, 950.0), (1.0, 700.0))
    return loud * throat(pitches_hz, [(first, 80.0), (second, 120.0)], 0.9)


def _sheep(seconds: float) -> Samples:
    """A bleat: nasal, and shaken nine times a second in pitch and loudness."""
    shake = np.sin(2.0 * np.pi * 9.0 * sound.times(seconds))
    pitches_hz = sound.contour(seconds, [(0.0, 300.0), (0.15, 350.0), (0.7, 330.0), (1.0, 270.0)])
    loud = sound.contour(
        seconds, [(0.0, 0.0), (0.08, 0.9), (0.3, 1.0), (0.8, 0.8), (0.97, 0.1), (1.0, 0.0)]
    )
    nose = [(_steady(750.0), 110.0), (_steady(1_450.0), 150.0), (_steady(2_800.0), 250.0)]
    rough = 0.04 * sound.noise(seconds, 700.0, 4_000.0, level=1.0, seed=12)
    voice = throat(pitches_hz * (1.0 + 0.05 * shake), nose, 0.4)
    return loud * (0.6 + 0.4 * shake) * (voice + rough)


def _chicken(seconds: float) -> Samples:
    """Three short clucks and a longer one that leaps up: bok, bok, bok, bagawk."""
    clucks = [(place * seconds, _cluck(0.1 * seconds)) for place in (0.02, 0.19, 0.36)]
    return sound.mixed(
        [*clucks, (0.55 * seconds, 1.2 * _squawk(0.4 * seconds)), (0.0, sound.silence(seconds))]
    )


def _cluck(seconds: float) -> Samples:
    pitches_hz = sound.contour(seconds, [(0.0, 520.0), (0.3, 460.0), (1.0, 340.0)])
    return _beak(pitches_hz) * sound.contour(
        seconds, [(0.0, 0.0), (0.08, 1.0), (0.5, 0.6), (1.0, 0.0)]
    )


def _squawk(seconds: float) -> Samples:
    pitches_hz = sound.contour(
        seconds, [(0.0, 420.0), (0.3, 500.0), (0.4, 880.0), (0.8, 820.0), (1.0, 600.0)]
    )
    return _beak(pitches_hz) * sound.contour(
        seconds, [(0.0, 0.0), (0.05, 0.7), (0.32, 0.25), (0.42, 1.0), (0.8, 0.7), (1.0, 0.0)]
    )


def _beak(pitches_hz: Samples) -> Samples:
    return throat(pitches_hz, [(_steady(1_050.0), 180.0), (_steady(2_300.0), 300.0)], 0.3)


def _steady(pitch_hz: float) -> Points:
    return ((0.0, pitch_hz),)


ANIMALS: Mapping[str, Callable[[float], Samples]] = {
    "dog": _dog,
    "cat": _cat,
    "bird": _bird,
    "cow": _cow,
    "sheep": _sheep,
    "chicken": _chicken,
}
