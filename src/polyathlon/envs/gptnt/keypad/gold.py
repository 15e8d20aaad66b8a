"""Descriptions of the symbols in our own words, and which symbol words are nearest to."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import msgspec

from polyathlon.envs.gptnt.bomb.symbols import CHARACTERS, LOOKS

_WORD = re.compile(r"[a-z]+|\d+")
_REAL_WORD = re.compile(r"[a-z]{3,}", re.I)


class Words(msgspec.Struct, frozen=True):
    """What a symbol may be called, and one more description, for an oracle to give."""

    gold: tuple[str, ...]
    paraphrase: str


@cache
def symbols() -> Mapping[str, Words]:
    """The words for every symbol; gold descriptions begin with how `symbols.LOOKS` puts it."""
    text = files(__package__).joinpath("gold.json").read_bytes()
    read = msgspec.json.decode(text, type=dict[str, Words])
    return MappingProxyType(
        {
            name: Words((looks, *read[name].gold), read[name].paraphrase)
            for name, looks in LOOKS.items()
        }
    )


def nearest(text: str) -> str | None:
    """The symbol whose gold description shares most with a text, by rare words rather than by
    common ones (cosine of tf-idf vectors); None where there is none or more than one such."""
    asked = _vector(text)
    best = {name: max(_cosine(asked, each) for each in own) for name, own in _vectors().items()}
    most = max(best.values())
    found = [name for name, value in best.items() if value == most]
    return found[0] if most > 0 and len(found) == 1 else None


def has_lookalike(text: str) -> bool:
    """Whether a text holds one of the characters that look like a symbol, ASCII apart."""
    return any(character in text for character in CHARACTERS.values())


def wordless(text: str) -> bool:
    """Whether a text has no word of three letters of the alphabet."""
    return _REAL_WORD.search(text) is None


@cache
def _vectors() -> Mapping[str, tuple[dict[str, float], ...]]:
    return {name: tuple(map(_vector, each.gold)) for name, each in symbols().items()}


@cache
def _weights() -> Mapping[str, float]:
    """How rare every word is among the symbols."""
    told = [set(_WORD.findall(" ".join(each.gold).lower())) for each in symbols().values()]
    counts = Counter(word for words in told for word in words)
    return {word: math.log((1 + len(told)) / count) for word, count in counts.items()}


def _vector(text: str) -> dict[str, float]:
    """A unit vector of the known words of a text; empty without any."""
    weights = _weights()
    counts = Counter(_WORD.findall(text.lower()))
    raw = {word: n * weights[word] for word, n in counts.items() if word in weights}
    length = math.hypot(*raw.values())
    return {word: value / length for word, value in raw.items()} if length else {}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(value * other.get(word, 0.0) for word, value in one.items())
