"""The sounds of the arena, made from tones and noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate

from polyathlon.core.parts import Audio
from polyathlon.envs.omniplay.showdown.view.hearing import NEAR, Cue
from polyathlon.media.sound import (
    Samples,
    audio,
    decay,
    edges,
    mixed,
    noise,
    panned,
    sweep,
    tone,
)

ASIDE = 7
_APART_S = {"bomb": 0.3, "explosion": 0.4, "crate": 0.15, "pickup": 0.4, "out": 0.6, "fuse": 1.0}
_TICKS_HZ = {1: 10, 2: 5}


def played(cues: Sequence[Cue], placed: bool) -> Audio:
    """Cues one after the other, overlapping: mono, or stereo where places are heard."""
    starts_s = accumulate((_APART_S[cue.kind] for cue in cues[:-1]), initial=0.0)
    voices = [_placed(cue) if placed else _effect(cue.kind, cue.fuse) for cue in cues]
    return audio(mixed(zip(starts_s, voices, strict=True)))


def _placed(cue: Cue) -> Samples:
    """Stereo: its side by the columns between, its loudness by all cells between."""
    pan = max(-1.0, min(1.0, cue.right / ASIDE))
    loudness = 1.0 / (1.0 + cue.away / NEAR)
    return panned(_effect(cue.kind, cue.fuse), pan) * loudness


@cache
def _effect(kind: str, fuse: int) -> Samples:
    """A mono sound of at most a second; a fuse with fewer rounds left ticks faster."""
    return _ticks(_TICKS_HZ.get(fuse, 3)) if kind == "fuse" else _EFFECTS[kind]()


def _bomb() -> Samples:
    thud = tone(95.0, 0.22, (1.0, 0.4), 0.7) * decay(0.22, 0.05)
    hiss = noise(0.3, 3_000.0, 7_000.0, 0.15) * decay(0.3, 0.12)
    return mixed([(0.0, thud), (0.05, hiss)])


def _explosion() -> Samples:
    boom = sweep(120.0, 38.0, 0.8, (1.0, 0.5, 0.25), 0.6) * decay(0.8, 0.18)
    burst = noise(0.8, 40.0, 2_500.0, 0.8, seed=1) * decay(0.8, 0.12)
    return mixed([(0.0, boom), (0.0, burst)])


def _crate() -> Samples:
    cracks = [noise(0.06, 800.0, 5_000.0, 0.6, seed) * decay(0.06, 0.015) for seed in (2, 3, 4)]
    return mixed(zip((0.0, 0.05, 0.09), cracks, strict=True))


def _pickup() -> Samples:
    notes = [tone(hz, 0.16, (1.0, 0.3)) * decay(0.16, 0.06) for hz in (660.0, 880.0, 1_320.0)]
    return mixed(zip((0.0, 0.09, 0.18), notes, strict=True))


def _out() -> Samples:
    return sweep(620.0, 140.0, 0.55, (1.0, 0.6, 0.3), 0.6) * edges(0.55, 0.05)


def _ticks(rate_hz: int) -> Samples:
    tick = tone(1_900.0, 0.03, (1.0, 0.5), 0.6) * decay(0.03, 0.008)
    return mixed((i / rate_hz, tick) for i in range(rate_hz))


_EFFECTS: dict[str, Callable[[], Samples]] = {
    "bomb": _bomb,
    "explosion": _explosion,
    "crate": _crate,
    "pickup": _pickup,
    "out": _out,
}
