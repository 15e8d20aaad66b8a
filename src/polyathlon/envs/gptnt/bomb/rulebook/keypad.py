"""Keypad: four symbols, pressed in the order of the one column that holds them all."""

from __future__ import annotations

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import KeypadRules

KEYS = 4


class Keypad(Struct, frozen=True):
    """Four symbol names in reading order of the 2x2 keys."""

    symbols: tuple[str, ...]


def draw(rules: KeypadRules, rng: Stream) -> Keypad:
    """Four of a random column's symbols in random places."""
    symbols = list(rng.choice(rules.columns))
    rng.shuffle(symbols)
    return Keypad(tuple(symbols[:KEYS]))


def order(rules: KeypadRules, puzzle: Keypad) -> tuple[int, ...]:
    """The keys' indices in the order to press them."""
    column = next(c for c in rules.columns if set(puzzle.symbols) <= set(c))
    return tuple(sorted(range(KEYS), key=lambda key: column.index(puzzle.symbols[key])))
