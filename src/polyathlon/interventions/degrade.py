"""The arithmetic of signal noise, on uint8 pixels and int16 samples.

Random bits are the raw output of Philox-4x64, which NumPy promises never to change; what follows
is integer arithmetic on tables, so that equal seeds give equal signals everywhere. Only the blur
of pictures is Pillow's and belongs to the render fingerprint.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageFilter

from polyathlon.core.parts import Audio, Image, Part, Video

Signal: TypeAlias = NDArray[Any]
LEVELS = 1 << 16
KERNEL_UNIT = 1 << 14


def degrade(part: Part, kind: str, strength: float, seed: int) -> Part:
    """The part with noise of a kind; text stays as it is. Each frame has its own noise."""
    match part:
        case Image():
            pixels = _pixels(part.rgb, part.height_px, part.width_px)
            noisy = KINDS[kind](pixels, strength, seed, 0)
            return Image(part.width_px, part.height_px, noisy.tobytes())
        case Video():
            pixels = _pixels(part.rgb, -1, part.height_px, part.width_px)
            frames = [KINDS[kind](frame, strength, seed, i) for i, frame in enumerate(pixels)]
            rgb = b"".join(frame.tobytes() for frame in frames)
            return Video(part.width_px, part.height_px, part.fps, rgb)
        case Audio() if part.pcm:
            samples = np.frombuffer(part.pcm, "<i2").reshape(-1, part.channels)
            pcm = KINDS[kind](samples, strength, seed, 0).astype("<i2").tobytes()
            return Audio(part.rate_hz, pcm, part.channels)
        case _:
            return part


def gaussian(signal: Signal, sd: float, seed: int, index: int) -> Signal:
    """Adds normal noise of `sd` (share of full scale) to every value and clips."""
    bounds = np.iinfo(signal.dtype)
    noise = _scaled_normal(sd * bounds.max)[_draws(seed, index, signal.size)]
    noisy = noise.reshape(signal.shape)
    noisy += signal
    return np.clip(noisy, bounds.min, bounds.max, out=noisy).astype(signal.dtype)


def salt_pepper(signal: Signal, share: float, seed: int, index: int) -> Signal:
    """Turns a share of pixels, or samples, to the least or greatest value, half of each."""
    bounds = np.iinfo(signal.dtype)
    draws = _draws(seed, index, signal.size // signal.shape[-1]).reshape(signal.shape[:-1])
    half = round(share * LEVELS / 2)
    noisy = signal.copy()
    noisy[draws < half] = bounds.min
    noisy[draws >= LEVELS - half] = bounds.max
    return noisy


def blur(signal: Signal, sd: float, seed: int, index: int) -> Signal:
    """Smears pixels on both axes, or samples, with a Gaussian of `sd`; edges are repeated.

    Pictures go through Pillow's `GaussianBlur`, which approximates it by box filters.
    """
    if signal.dtype != np.uint8:
        return _smeared(signal, _kernel(sd))
    soft = Pil.fromarray(signal).filter(ImageFilter.GaussianBlur(sd))
    return np.asarray(soft)


KINDS: dict[str, Callable[[Signal, float, int, int], Signal]] = {
    "gaussian": gaussian,
    "salt_pepper": salt_pepper,
    "blur": blur,
}


def _pixels(rgb: bytes, *shape: int) -> NDArray[np.uint8]:
    return np.frombuffer(rgb, np.uint8).reshape(*shape, 3)


def _draws(seed: int, index: int, count: int) -> NDArray[np.uint16]:
    """Uniform integers in [0, 65536)."""
    key = np.array([seed, index], np.uint64)
    words = np.random.Philox(key=key).random_raw(-(-count // 4))
    return words.astype("<u8", copy=False).view("<u2")[:count]


@lru_cache(maxsize=1)
def _normal() -> NDArray[np.float64]:
    """The standard normal quantiles at the middles of 65,536 equal steps."""
    quantile = NormalDist().inv_cdf
    return np.array([quantile((k + 0.5) / LEVELS) for k in range(LEVELS)])


@lru_cache(maxsize=8)
def _scaled_normal(sd: float) -> NDArray[np.int32]:
    return np.rint(_normal() * sd).astype(np.int32)


@lru_cache(maxsize=8)
def _kernel(sd: float) -> NDArray[np.int32]:
    reach = math.ceil(3 * sd)
    steps = np.arange(-reach, reach + 1) / max(sd, 1.0 / KERNEL_UNIT)
    bell = np.exp(-0.5 * steps**2)
    weights: NDArray[np.int32] = np.rint(bell / bell.sum() * KERNEL_UNIT).astype(np.int32)
    weights[reach] += KERNEL_UNIT - weights.sum()
    return weights


def _smeared(samples: Signal, weights: NDArray[np.int32]) -> Signal:
    reach, length = len(weights) // 2, len(samples)
    padded = np.pad(samples.astype(np.int32), ((reach, reach), (0, 0)), mode="edge")
    total = np.full(samples.shape, KERNEL_UNIT // 2, np.int32)
    for offset, weight in enumerate(weights):
        total += weight * padded[offset : offset + length]
    return (total // KERNEL_UNIT).astype(samples.dtype)
