"""What questions about a picture are made of, and the words they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias, TypeVar

import msgspec

from polyathlon.envs.gptnt.bomb.manual.wording import ORDINALS

T = TypeVar("T")

Category: TypeAlias = Literal["reading", "colour", "counting", "ambiguity", "hallucination"]

ANSWERABLE: tuple[Category, ...] = ("reading", "colour", "counting")

CORNERS = ("top left", "top right", "bottom left", "bottom right")
COLOURS = ("red", "blue", "yellow", "white", "black", "green", "orange")
STRANGE_COLOURS = ("green", "orange", "purple", "pink", "brown")
NUMBERS: Mapping[int, str] = MappingProxyType({n: str(n) for n in range(13)})


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """A question, and the answers that fit a picture, out of those there might be.

    One that fits makes an item that can be answered, several make an ambiguous one, none one about
    something that is not there; `about` are the categories that may come of it. `texts` are ways
    to put it; the most tempting `options` come first. `parts` are the elements asked about.
    """

    kind: str
    texts: tuple[str, ...]
    fits: tuple[str, ...]
    options: tuple[str, ...]
    about: tuple[Category, ...]
    parts: tuple[str, ...] = ()

    @property
    def category(self) -> Category | None:
        """The category of the item that this makes, None for none."""
        match len(set(self.fits)):
            case 0:
                made: tuple[Category, ...] = ("hallucination",)
            case 1:
                made = ANSWERABLE
            case _:
                made = ("ambiguity",)
        return next((category for category in made if category in self.about), None)


def count(
    kind: str, texts: tuple[str, ...], number: int, most: int, parts: Sequence[str] = ()
) -> Ask:
    """How many there are: at least one, for what is not there cannot be counted."""
    near = sorted(range(most + 1), key=lambda other: (abs(other - number), other))
    return Ask(
        kind=kind,
        texts=texts,
        fits=(str(number),),
        options=tuple(str(other) for other in near if other > 0),
        about=("counting",),
        parts=tuple(parts),
    )


def quoted(word: object) -> str:
    """A word, letter or digit as it stands somewhere, so that no option is a bare letter."""
    return f"“{word}”"


def ordinal(place: int) -> str:
    """`first` for place 0."""
    return ORDINALS[place]


def where(items: Iterable[T], wanted: T) -> list[int]:
    """The places, from 0, at which something stands."""
    return [place for place, item in enumerate(items) if item == wanted]


def others(items: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """What there is, then what else there might be, without repetition."""
    return tuple(dict.fromkeys((*items, *known)))
