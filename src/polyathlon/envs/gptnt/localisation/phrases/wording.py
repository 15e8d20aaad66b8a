"""What instructions are made of, and the words they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Literal, TypeAlias, get_args

import msgspec

from polyathlon.envs.gptnt.bomb.manual.wording import ORDINALS

Answerable: TypeAlias = Literal["reading", "colour", "counting", "element", "position"]
Category: TypeAlias = Literal[Answerable, "ambiguity", "hallucination"]

ANSWERABLE: tuple[Answerable, ...] = get_args(Answerable)
CATEGORIES: tuple[Category, ...] = (*ANSWERABLE, "ambiguity", "hallucination")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Phrase(msgspec.Struct, frozen=True):
    """A description of something to press, and the parts of the module that fit it.

    `asks` is what has to be seen to find it; `kind` tells phrases of one pattern.
    """

    asks: Answerable
    kind: str
    text: str
    fits: tuple[str, ...]

    @property
    def category(self) -> Category:
        """That of the item it makes: only what fits one part can be pressed."""
        match len(self.fits):
            case 0:
                return "hallucination"
            case 1:
                return self.asks
            case _:
                return "ambiguity"


def fitting(
    asks: Answerable, kind: str, text: str, parts: Sequence[str], has: Iterable[bool]
) -> Phrase:
    """The phrase for those parts that have something."""
    return Phrase(asks, kind, text, tuple(compress(parts, has)))


def counted(noun: str, parts: Sequence[str], ends: Sequence[str], beyond: int) -> Iterator[Phrase]:
    """Parts in order by their number from one end and the other; `beyond` is the last number."""
    for end, ordered in zip(ends, (tuple(parts), tuple(parts)[::-1]), strict=False):
        for place in range(beyond):
            text = f"the {ORDINALS[place]} {noun} {end}".strip()
            yield Phrase("counting", f"counted {end}", text, ordered[place : place + 1])


def beside(
    noun: str, parts: Sequence[str], name: str, place: int, step: int, side: str
) -> Iterator[Phrase]:
    """The part that follows another one, if there is one."""
    there = place + step
    if 0 <= there < len(parts):
        text = f"the {noun} {side} {name}"
        yield Phrase("position", f"beside {side}", text, (parts[there],))
