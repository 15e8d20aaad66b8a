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
WIDER: dict[str, Any] = {"uint8": np.int16, "int16": np.int32}
"""Integers that hold a value and the strongest normal noise on it."""


def degrade(part: Part, kind: str, strength: float, seed: int) -> Part:
    """The part with noise of a kind; text stays as it is. Each frame has its own noise."""
    match part:
        case Image():
            pixels = _pixels(part.rgb, part.height_px, part.width_px)
            noisy = KINDS[kind](pixels, strength, seed, 0)
            return Image(part.width_px, part.height_px, noisy.tobytes())
        case Video():
            pixels = _pixels(part.rgb, -1, part.height_px, part.width_px)
            noisy = np.empty_like(pixels)
            for i, frame in enumerate(pixels):
                noisy[i] = KINDS[kind](frame, strength, seed, i)
            rgb = noisy.tobytes()
            return Video(part.width_px, part.height_px, part.fps, rgb, part.key_frames)
        case Audio() if part.pcm:
            samples = np.frombuffer(part.pcm, "<i2").reshape(-1, part.channels)
            pcm = KINDS[kind](samples, strength, seed, 0).astype("<i2").tobytes()
            return Audio(part.rate_hz, pcm, part.channels)
        case _:
            return part


def gaussian(signal: Signal, sd: float, seed: int, index: int) -> Signal:
    """Adds normal noise of `sd` (share of full scale) to every value and clips."""
    bounds = np.iinfo(signal.dtype)
    noise = _scaled_normal(sd * bounds.max, WIDER[signal.dtype.name])
    noisy = noise.take(_draws(seed, index, signal.size)).reshape(signal.shape)
    noisy += signal
    return np.clip(noisy, bounds.min, bounds.max, out=noisy).astype(signal.dtype)


def salt_pepper(signal: Signal, share: float, seed: int, index: int) -> Signal:
    """Turns a share of pixels, or samples, to the least or greatest value, half of each."""
    bounds = np.iinfo(signal.dtype)
    noisy = signal.reshape(-1, signal.shape[-1]).copy()
    draws = _draws(seed, index, len(noisy))
    half = round(share * LEVELS / 2)
    noisy[np.flatnonzero(draws < half)] = bounds.min
    noisy[np.flatnonzero(draws >= LEVELS - half)] = bounds.max
    return noisy.reshape(signal.shape)


def blur(signal: Signal, sd: float, seed: int, index: int) -> Signal:
    """Smears pixels on both axes, or samples, with a Gaussian of `sd`; edges are repeated.

    Pictures go through Pillow's `GaussianBlur`, which approximates it by box filters.
    """
    if signal.dtype != np.uint8:
        return _smeared(signal, _kernel(sd))
    soft = Pil.fromarray(signal).filter(ImageFilter.GaussianBlur(sd))
    return np.asarray(soft)


def camera(pixels: Signal, strength: float, seed: int, index: int) -> Signal:
    """A poor camera: normal noise, then salt and pepper, then blur, each times `strength`.

    At 1 these are a standard deviation of 25 of 255, 2 % of pixels, and a blur of 1 pixel: the
    strengths taken for the visual noise of OmniPlay, whose filters and order the paper names.
    """
    grainy = gaussian(pixels, strength * 25 / 255, seed, index)
    specked = salt_pepper(grainy, strength * 0.02, seed ^ 1, index)
    return blur(specked, strength, seed, index)


KINDS: dict[str, Callable[[Signal, float, int, int], Signal]] = {
    "gaussian": gaussian,
    "salt_pepper": salt_pepper,
    "blur": blur,
    "camera": camera,
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
def _scaled_normal(sd: float, kind: Any) -> Signal:
    return np.rint(_normal() * sd).astype(kind)


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
