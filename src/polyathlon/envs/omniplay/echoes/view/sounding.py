"""Myriad Echoes: the sounds of icons, alone and in step with the clip."""

from __future__ import annotations

from functools import cache

from polyathlon.core.parts import Audio
from polyathlon.envs.omniplay.echoes.answers import ANIMALS
from polyathlon.envs.omniplay.echoes.view.scenes import LIT_S, duration_s, starts_s
from polyathlon.media.animals import call
from polyathlon.media.instruments import note
from polyathlon.media.sound import Samples, audio, mixed, silence


def in_step(kinds: tuple[str, ...]) -> Audio:
    """Each icon's sound while it is lit; as long as the clip."""
    voices = zip(starts_s(len(kinds)), map(_voice, kinds), strict=True)
    return audio(mixed([(0.0, silence(duration_s(len(kinds)))), *voices]))


def alone(kind: str) -> Audio:
    """The sound of one icon, as long as it is lit in the clip."""
    return audio(_voice(kind))


@cache
def _voice(kind: str) -> Samples:
    return call(kind, LIT_S) if kind in ANIMALS else note(kind, LIT_S)
