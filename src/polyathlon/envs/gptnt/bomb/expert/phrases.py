"""Small pieces of plain English that both players write and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

Word = TypeVar("Word", bound=str)

MOST_CHARS = 4_000
UNCLEAR = "That does not fit my manual. Please look again and describe it once more."
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(rf"\b({'|'.join(ORDINALS)})\b", re.IGNORECASE)


def listed(items: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`; at least one item."""
    *head, last = map(str, items)
    return f"{', '.join(head)} and {last}" if head else last


def ordinals(indices: Iterable[int]) -> str:
    """Indices from 0 in words: `first and third`."""
    return listed(ORDINALS[index] for index in indices)


def indices(text: str) -> tuple[int, ...]:
    """The indices, from 0, of the ordinals in a text, in order."""
    return tuple(ORDINALS.index(word.lower()) for word in _ORDINAL.findall(text))


def found(words: Sequence[Word], text: str) -> tuple[Word, ...]:
    """Which of `words` a text says, in the order and as often as it says them."""
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    said = re.findall(rf"(?<!\w)(?:{pattern})(?!\w)", text)
    return tuple(words[words.index(word)] for word in said)


def numbers(text: str) -> tuple[int, ...]:
    """The whole numbers of up to three digits that a text says in digits."""
    return tuple(int(digits) for digits in re.findall(r"(?<![\d.])\d{1,3}(?![\d])", text))


def quoted(text: str) -> tuple[str, ...]:
    """What stands between double quotes."""
    return tuple(re.findall(r'"([^"]*)"', text))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message."""
    return tuple(re.split(r"(?<=[.?!])\s+", text.strip()))
