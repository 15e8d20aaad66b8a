"""The keypad in words: symbols by their looks."""

from __future__ import annotations

from difflib import get_close_matches

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, found
from polyathlon.envs.gptnt.bomb.rulebook.keypad import Keypad, order
from polyathlon.envs.gptnt.bomb.symbols import LOOKS

_PLACES = ("top left", "top right", "bottom left", "bottom right")
_OPENING = "four keys with symbols"
_NAMES = {looks: name for name, looks in LOOKS.items()}


def describe(sight: Sight) -> str:
    """What the symbols look like."""
    symbols = sight.module.puzzle.symbols
    seen = (f"{place} is {LOOKS[name]}" for place, name in zip(_PLACES, symbols, strict=True))
    return f"There are {_OPENING}; {'; '.join(seen)}."


def advice(text: str, notes: Notes) -> str | None:
    """The order to press the keys in."""
    if _OPENING not in text:
        return None
    symbols = tuple(_symbol(place, text) for place in _PLACES)
    if not any(set(symbols) <= set(column) for column in notes.book.keypad.columns):
        return UNCLEAR
    keys = order(notes.book.keypad, Keypad(symbols))
    first, *others = (f"the {_PLACES[key]} key" for key in keys)
    return f"Press {first}, then {', then '.join(others)}."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """The keys in order."""
    return tuple(f"key{_PLACES.index(place) + 1}" for place in found(_PLACES, reply))


def _symbol(place: str, text: str) -> str:
    """The symbol whose looks are most like those told of a place, "" if none is."""
    told = text.partition(f"{place} is ")[2].partition(";")[0].strip(" .")[:200]
    likely = get_close_matches(told, _NAMES, n=1, cutoff=0.8)
    return _NAMES[likely[0]] if likely else ""
