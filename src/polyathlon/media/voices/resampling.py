"""Changing a sampling rate in exact arithmetic, so that every machine gives equal samples."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

TO_HZ = 16_000
REACH = 16
COEFFICIENT_BITS = 14
GROUP = 16
KAISER_BETA = 7.0


def to_16_khz(samples: NDArray[np.int16], from_hz: int) -> bytes:
    """Mono int16 samples at `from_hz` as int16 PCM at 16 kHz.

    A polyphase low-pass filter (Kaiser-windowed sinc) with integer coefficients. The sums of
    products stay below 2**53, so float64 holds them exactly in whatever order they are added.
    """
    if from_hz == TO_HZ or not len(samples):
        return samples.astype("<i2").tobytes()
    weights, starts, up, down = filter_bank(from_hz)
    length = -(-len(samples) * up // down)
    blocks = -(-length // up)
    span = weights.shape[1]
    padded = np.zeros(REACH + blocks * down + span)
    padded[REACH : REACH + len(samples)] = samples
    windows = np.lib.stride_tricks.sliding_window_view(padded, span)
    groups = [
        windows[start : start + (blocks - 1) * down + 1 : down] @ weight
        for start, weight in zip(starts, weights, strict=True)
    ]
    exact = np.stack(groups, axis=1).reshape(-1)[:length]
    scaled = np.floor(exact * 2.0**-COEFFICIENT_BITS + 0.5)
    return np.clip(scaled, -32_768, 32_767).astype("<i2").tobytes()


@cache
def filter_bank(from_hz: int) -> tuple[NDArray[np.float64], list[int], int, int]:
    """Integer weights (groups x span x GROUP), each group's first input, the up and down factors.

    Output n of a block of `up` is a weighted sum of the inputs around n * down / up; outputs are
    taken in groups that share a window of inputs, so that one product of matrices makes a group.
    """
    common = math.gcd(from_hz, TO_HZ)
    up, down = TO_HZ // common, from_hz // common
    starts = [first * down // up for first in range(0, up, GROUP)]
    span = GROUP * down // up + 2 * REACH + 2
    weights = np.zeros((len(starts), span, GROUP))
    for group, start in enumerate(starts):
        for place in range(GROUP):
            centre = (group * GROUP + place) * down / up - start + REACH
            weights[group, :, place] = _taps(
                np.arange(span, dtype=np.float64) - centre, min(1.0, up / down)
            )
    return weights, starts, up, down


def _taps(offsets: NDArray[np.float64], cutoff: float) -> NDArray[np.float64]:
    inside = np.clip(1.0 - (offsets / REACH) ** 2, 0.0, 1.0)
    window = np.i0(KAISER_BETA * np.sqrt(inside)) / np.i0(KAISER_BETA) * (np.abs(offsets) < REACH)
    taps = cutoff * np.sinc(cutoff * offsets) * window
    return np.rint(taps * 2.0**COEFFICIENT_BITS)
