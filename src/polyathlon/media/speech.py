"""Speech: words made audible by an engine that runs in the process.

Equal words and voice give equal bytes, whatever was said before and by whichever thread.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

import msgspec

from polyathlon.core.canonical import well_formed
from polyathlon.core.errors import unknown
from polyathlon.core.parts import Audio
from polyathlon.media.lru import SizedLru

RATE_HZ = 16_000
RECENT_BYTES = 32 << 20
PAUSE_S = 0.3

_PAUSE = bytes(2 * round(PAUSE_S * RATE_HZ))
_UNSPOKEN = str.maketrans("[]<>{}", "      ")

_recent: SizedLru[bytes] = SizedLru(RECENT_BYTES)


def _espeak(words: str) -> bytes:
    from polyathlon.media.voices import espeak

    return espeak.speak(words)


def _piper(words: str) -> bytes:
    from polyathlon.media.voices import piper

    return piper.speak(words)


VOICES: Mapping[str, Callable[[str], bytes]] = {"espeak": _espeak, "piper": _piper}
"""Engines by name: plain words to mono int16 PCM at 16 kHz."""


class Spoken(msgspec.Struct, frozen=True):
    """Words to be spoken: the scene of a spoken percept.

    `pan` in [-1, 1] is where they are heard from; 0.0, the middle, gives mono.
    """

    words: str
    voice: str = "espeak"
    pan: float = 0.0


def spoken(scene: Spoken) -> Audio:
    """The scene as sound: the `draw` of a spoken percept."""
    heard = speak(scene.words, scene.voice)
    if not scene.pan:
        return heard
    from polyathlon.media import sound

    return sound.audio(sound.panned(sound.samples(heard), scene.pan))


def said(scene: Spoken) -> str:
    """The scene in words: the `tell` of a spoken percept."""
    return scene.words


def speak(words: str, voice: str = "espeak") -> Audio:
    """`words` at about 150 a minute: mono, 16 kHz, between two pauses of `PAUSE_S`.

    Any text is accepted; control characters and brackets, in which engines look for commands, are
    not spoken. Recent sounds are kept, `RECENT_BYTES` of them. Raises UserError for an unknown
    voice or one whose extra is not installed.
    """
    engine = VOICES.get(voice)
    if engine is None:
        raise unknown("voice", voice, VOICES)
    plain = _plain(words)
    return Audio(RATE_HZ, _recent.get_or_make(f"{voice}:{plain}", lambda: _uttered(engine, plain)))


def _uttered(engine: Callable[[str], bytes], plain: str) -> bytes:
    return _PAUSE + (engine(plain) if plain else b"") + _PAUSE


def _plain(words: str) -> str:
    """One line without control characters, brackets and unpaired surrogates."""
    signs = well_formed(words).translate(_UNSPOKEN)
    kept = "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in signs)
    return " ".join(kept.split())
