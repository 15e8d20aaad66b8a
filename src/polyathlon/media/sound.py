"""Sounds made from numbers: tones, sweeps, noise, envelopes, mixing, panning and export.

Everything here is float64 at `RATE_HZ` with full scale 1. Sums may pass full scale: nothing
clips until `audio`, which by default lowers a sound that is too loud as a whole and never cuts
its peaks. Digests are made of the int16 samples only; the last bits of floats may differ between
processors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyathlon.core.chance import stream
from polyathlon.core.parts import Audio

Samples: TypeAlias = NDArray[np.float64]

RATE_HZ = 16_000
FULL_SCALE = 32_767
EAR_DELAY_S = 0.0006
EDGE_S = 0.005


def count(seconds: float) -> int:
    """How many samples last `seconds`. Raises ValueError below zero."""
    if not 0.0 <= seconds < math.inf:
        raise ValueError(f"a sound needs a finite duration of at least 0 s, not {seconds}")
    return round(seconds * RATE_HZ)


def times(seconds: float) -> Samples:
    """The moment of every sample, in seconds."""
    return np.arange(count(seconds), dtype=np.float64) / RATE_HZ


def silence(seconds: float) -> Samples:
    """Nothing, for a while."""
    return np.zeros(count(seconds))


def tone(
    pitch_hz: float,
    seconds: float,
    partials: Sequence[float] = (1.0,),
    level: float = 0.5,
    edge_s: float = EDGE_S,
) -> Samples:
    """A steady sum of sines: `partials[k]` is the strength of (k + 1) times the pitch.

    Its greatest possible peak is `level`; it swells and fades within `edge_s` so that it does not
    click. Partials at or above half the rate are left out.
    """
    steady = voiced(np.full(count(seconds), pitch_hz), partials)
    return level / max(sum(map(abs, partials)), 1e-9) * steady * edges(seconds, edge_s)


def sweep(
    from_hz: float,
    to_hz: float,
    seconds: float,
    partials: Sequence[float] = (1.0,),
    level: float = 0.5,
    edge_s: float = EDGE_S,
) -> Samples:
    """A tone that glides from one pitch to another, equal musical steps in equal times."""
    pitches_hz = np.geomspace(from_hz, to_hz, count(seconds))
    gliding = voiced(pitches_hz, partials)
    return level / max(sum(map(abs, partials)), 1e-9) * gliding * edges(seconds, edge_s)


def phase(pitches_hz: Samples) -> Samples:
    """The angle of an oscillator in radians, from its pitch at every sample."""
    return 2.0 * np.pi * np.cumsum(pitches_hz) / RATE_HZ


def voiced(pitches_hz: Samples, partials: Sequence[float]) -> Samples:
    """Sines at whole multiples of a moving pitch, given for every sample."""
    turned = phase(pitches_hz)
    highest_hz = float(pitches_hz.max(initial=0.0))
    total = np.zeros(len(pitches_hz))
    for number, strength in enumerate(partials, start=1):
        if strength and number * highest_hz < RATE_HZ / 2:
            total += strength * np.sin(number * turned)
    return total


def noise(
    seconds: float,
    low_hz: float = 0.0,
    high_hz: float = RATE_HZ / 2,
    level: float = 0.5,
    seed: int = 0,
) -> Samples:
    """Noise of the band [`low_hz`, `high_hz`], the same for the same arguments; peak `level`.

    Raises ValueError for a band that is empty or begins above half the rate.
    """
    if not 0.0 <= low_hz < min(high_hz, RATE_HZ / 2):
        raise ValueError(f"noise needs a band with low_hz below high_hz, not {low_hz} to {high_hz}")
    length = count(seconds)
    if not length:
        return np.zeros(0)
    words = np.frombuffer(_random_bytes(seed, 2 * length), dtype="<u2")
    spectrum = np.fft.rfft(words / 32767.5 - 1.0)
    pitches_hz = np.fft.rfftfreq(length, 1.0 / RATE_HZ)
    spectrum[(pitches_hz < low_hz) | (pitches_hz > high_hz)] = 0.0
    band = np.fft.irfft(spectrum, length)
    return level / max(float(np.abs(band).max()), 1e-9) * band


def edges(seconds: float, edge_s: float = EDGE_S) -> Samples:
    """An envelope of 1 that rises and falls within `edge_s` at both ends (raised cosine)."""
    length = count(seconds)
    rise = min(count(edge_s), length // 2)
    slope = 0.5 - 0.5 * np.cos(np.pi * (np.arange(rise) + 0.5) / max(rise, 1))
    return np.concatenate([slope, np.ones(length - 2 * rise), slope[::-1]])


def release(seconds: float, edge_s: float = EDGE_S) -> Samples:
    """An envelope of 1 that falls to 0 within the last `edge_s` (raised cosine)."""
    ending = edges(seconds, edge_s)
    ending[: len(ending) // 2] = 1.0
    return ending


def decay(seconds: float, half_life_s: float, attack_s: float = 0.002) -> Samples:
    """An envelope that rises within `attack_s`, then halves every `half_life_s`."""
    moments_s = times(seconds)
    rise = np.minimum(1.0, moments_s / max(attack_s, 1e-9))
    return rise * np.exp2(-moments_s / half_life_s)


def contour(seconds: float, points: Sequence[tuple[float, float]]) -> Samples:
    """Straight lines through (share of the duration in [0, 1], value): an envelope or a pitch."""
    return lines(count(seconds), points)


def lines(length: int, points: Sequence[tuple[float, float]]) -> Samples:
    """`length` values along straight lines through (share of the length in [0, 1], value)."""
    shares = np.array([share for share, _ in points])
    values = np.array([value for _, value in points])
    along: Samples = np.interp(np.linspace(0.0, 1.0, length), shares, values)
    return along


def mixed(layers: Iterable[tuple[float, Samples]]) -> Samples:
    """The sum of sounds, each begun at its own second; as long as the last one lasts.

    Layers are all mono or all stereo. The sum is not scaled.
    """
    placed = [(count(start_s), samples) for start_s, samples in layers]
    length = max((start + len(samples) for start, samples in placed), default=0)
    tail = placed[0][1].shape[1:] if placed else ()
    total = np.zeros((length, *tail))
    for start, samples in placed:
        total[start : start + len(samples)] += samples
    return total


def finished(samples: Samples, peak: float) -> Samples:
    """The sound scaled to a peak and made read-only, so that it can be shared."""
    loudest = float(np.abs(samples).max(initial=0.0))
    scaled = samples * (peak / loudest) if loudest else samples.copy()
    scaled.flags.writeable = False
    return scaled


def panned(samples: Samples, pan: float) -> Samples:
    """Mono samples as stereo (n x 2, left then right), heard from `pan` in [-1 left, 1 right].

    The ear turned away hears less (constant power) and up to `EAR_DELAY_S` later, about what a
    head does to a sound from the side. The length is kept. Raises ValueError outside [-1, 1].
    """
    if not -1.0 <= pan <= 1.0:
        raise ValueError(f"pan lies between -1 (left) and 1 (right), not {pan}")
    angle = (pan + 1.0) * math.pi / 4.0
    late = count(abs(pan) * EAR_DELAY_S)
    delayed = np.concatenate([np.zeros(late), samples])[: len(samples)]
    left, right = (delayed, samples) if pan > 0.0 else (samples, delayed)
    return np.stack([_gain(math.cos(angle)) * left, _gain(math.sin(angle)) * right], axis=1)


def audio(samples: Samples) -> Audio:
    """Mono (n) or stereo (n x 2) samples as int16 PCM.

    A sound whose peak is above 1 is scaled down as a whole to a peak of 1; quieter ones are kept
    as they are. Raises ValueError for values that are not finite.
    """
    peak = float(np.abs(samples).max(initial=0.0))
    if not math.isfinite(peak):
        raise ValueError("a sound needs finite samples")
    scaled = samples * (FULL_SCALE / max(1.0, peak))
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    return Audio(RATE_HZ, np.rint(scaled).astype("<i2").tobytes(), channels)


def samples(sound: Audio) -> Samples:
    """A sound as samples: (n) when mono, (n x channels) otherwise; at its own rate."""
    flat = np.frombuffer(sound.pcm, dtype="<i2") / FULL_SCALE
    return flat if sound.channels == 1 else flat.reshape(-1, sound.channels)


def _gain(value: float) -> float:
    return round(value * 32_768) / 32_768


def _random_bytes(seed: int, length: int) -> bytes:
    rng = stream(seed, "noise")
    return b"".join(rng.word().to_bytes(8, "little") for _ in range(-(-length // 8)))[:length]
