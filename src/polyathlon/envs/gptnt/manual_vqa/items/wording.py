"""What the items of all modules are made of, and the words they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.manual.wording import CARDINALS, ORDINALS
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook

T = TypeVar("T")

NAME = "gptnt/manual-vqa"
TRIES = 40
"""Draws for a case of the wanted kind before another kind is taken."""

_SPEAKERS = (
    "Your partner at the bomb reports: “{}”",
    "The Defuser writes: “{}”",
    "Message from the Defuser: “{}”",
    "This is what the Defuser tells you: “{}”",
)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An item before its options are chosen.

    `right` is the right option; "" where the right one is to ask for `missing`, or, without that,
    to say that the description fits nothing. `wrong` are the others, the most tempting first.
    `needs` are things that a doubting reader might ask for. `given` is what the text says, as
    data; `why` how the rules lead to the answer.
    """

    text: str
    wrong: Sequence[str]
    why: str
    given: Mapping[str, JSON]
    right: str = ""
    missing: str = ""
    needs: tuple[str, ...] = ()
    hard: bool = False


Maker: TypeAlias = Callable[[RuleBook, int, Stream], Draft]
"""Makes the item of a number, which spreads items over cases; the stream fills in the rest."""


def said(words: str, rng: Stream) -> str:
    """What the Defuser says, introduced."""
    return rng.choice(_SPEAKERS).format(words)


def ordinal(place: int) -> str:
    """`first` for place 0."""
    return ORDINALS[place]


def number(count: int) -> str:
    """`no` for 0, up to `twelve`."""
    return CARDINALS[count]


def counted(count: int, noun: str) -> str:
    """`no batteries`, `one battery`, `two batteries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number(count)} {noun if count == 1 else plural}"


def series(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`."""
    *rest, end = words
    return f"{', '.join(rest)} {last} {end}" if rest else end


def others(right: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates without the right one and without repetition, in their order."""
    return tuple(dict.fromkeys(option for option in candidates if option != right))


def nth(entries: Iterable[T], index: int, name: str) -> T:
    """An entry of a fixed shuffle, so that neighbouring items differ and none repeats early."""
    shuffled = list(entries)
    stream(0, NAME, name).shuffle(shuffled)
    return shuffled[index % len(shuffled)]


def shuffled(items: Iterable[T], rng: Stream) -> list[T]:
    """The items in random order."""
    copy = list(items)
    rng.shuffle(copy)
    return copy
