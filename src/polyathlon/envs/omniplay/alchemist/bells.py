"""The Alchemist's Melody: a struck glass bell for each of the seven notes."""

from __future__ import annotations

from functools import cache

from polyathlon.core.parts import Audio
from polyathlon.envs.omniplay.alchemist.rules import NOTES

SECONDS = 1.2
SEMITONES = dict(zip(NOTES, (0, 2, 4, 5, 7, 9, 11), strict=True))
C4_HZ = 440.0 * 2.0 ** (-9 / 12)
PARTIALS = ((1.0, 0.50, 0.30), (2.0, 0.22, 0.20), (3.0, 0.09, 0.12), (5.4, 0.05, 0.05))
"""Multiple of the pitch, strength, and half-life in seconds of each partial."""


def pitch_hz(note: str) -> float:
    """DO is C4, SI is B4, in equal temperament from A4 = 440 Hz."""
    return float(C4_HZ * 2.0 ** (SEMITONES[note] / 12))


@cache
def ring(note: str) -> Audio:
    """The note on a glass bell, mono."""
    from polyathlon.media import sound

    layers = [
        (0.0, sound.tone(times * pitch_hz(note), SECONDS, level=level) * sound.decay(SECONDS, half))
        for times, level, half in PARTIALS
    ]
    return sound.audio(sound.mixed(layers))
