"""espeak-ng, a small formant synthesiser, by ctypes from the wheel `espeakng-loader`.

The library keeps the phase of its pitch flutter and the end of the last wave in static memory,
which no call of its interface resets. It is therefore loaded anew for every utterance.
"""

from __future__ import annotations

import _ctypes
import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyathlon.core.errors import UserError
from polyathlon.core.extras import missing
from polyathlon.media.voices.resampling import to_16_khz

WORDS_PER_MINUTE = 150
WORD_GAP_10_MS = 3
PEAK = 28_000

VOICE = """\
name steady
language en-us
phonemes en-us
dictrules 3 6
replace 03 I i
replace 03 I2 i
flutter 0
consonants 150 150
stressLength 160 150 200 190 0 0 255 300
stressAmp 19 18 20 20 20 20 21 20
"""
"""American English with a steady pitch, and with consonants and unstressed syllables that are
louder and longer than usual: a recogniser mishears about a fifth fewer words."""

LONGEST_PATH = 59
"""Characters of a path to a voice; espeak-ng cuts longer ones."""

_PERIOD_MS = 2_000
_SYNCHRONOUS = 2
_DO_NOT_EXIT = 0x8000
_UTF8 = 1
_RATE, _WORD_GAP = 1, 7
_TAKE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)

_lock = threading.Lock()


def speak(words: str) -> bytes:
    """Mono int16 PCM at 16 kHz. Raises UserError when the extra `speech` is not installed."""
    with _lock, _fresh_library() as (library, rate_hz):
        raw = _synthesised(library, words)
    return to_16_khz(_brightened(np.frombuffer(raw, np.int16)), rate_hz)


def _brightened(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    """Treble raised by x[n] - 0.6 x[n - 1], and scaled to `PEAK`, in whole numbers."""
    edges = 5 * samples.astype(np.int64)
    edges[1:] -= 3 * samples[:-1].astype(np.int64)
    loudest = max(1, int(np.abs(edges).max(initial=0)))
    return (edges * PEAK // loudest).astype(np.int16)


def _synthesised(library: Any, words: str) -> bytes:
    pieces: list[bytes] = []

    def take(wave: Any, length: int, _events: Any) -> int:
        if wave and length > 0:
            pieces.append(ctypes.string_at(wave, 2 * length))
        return 0

    taker = _TAKE(take)
    library.espeak_SetSynthCallback(taker)
    _set_voice(library)
    library.espeak_SetParameter(_RATE, WORDS_PER_MINUTE, 0)
    library.espeak_SetParameter(_WORD_GAP, WORD_GAP_10_MS, 0)
    text = words.encode()
    library.espeak_Synth(text, ctypes.c_size_t(len(text) + 1), 0, 1, 0, _UTF8, None, None)
    library.espeak_Synchronize()
    return b"".join(pieces)


def _set_voice(library: Any) -> None:
    with NamedTemporaryFile("w", prefix="v", encoding="ascii") as file:
        file.write(VOICE)
        file.flush()
        if len(file.name) > LONGEST_PATH:
            raise UserError("espeak-ng reads short paths only: set TMPDIR to a folder like /tmp")
        if library.espeak_SetVoiceByFile(file.name.encode()) != 0:
            raise UserError("espeak-ng cannot read its voice: reinstall espeakng-loader")


@contextmanager
def _fresh_library() -> Iterator[tuple[Any, int]]:
    try:
        import espeakng_loader
    except ImportError:
        raise missing("speech needs espeak-ng", "speech") from None
    library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
    try:
        folder = espeakng_loader.get_data_path().encode()
        rate_hz = library.espeak_Initialize(_SYNCHRONOUS, _PERIOD_MS, folder, _DO_NOT_EXIT)
        if rate_hz <= 0:
            raise UserError("espeak-ng cannot read its data: reinstall espeakng-loader")
        yield library, rate_hz
    finally:
        library.espeak_Terminate()
        _unload(library)


def _unload(library: Any) -> None:
    if sys.platform == "win32":
        _ctypes.FreeLibrary(library._handle)
    else:
        _ctypes.dlclose(library._handle)
