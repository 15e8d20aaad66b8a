"""The keypad module: press four symbols in the order of their column."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.keypad import KEYS, Keypad, order

WRONG_US = 1_000_000
"""How long a key pressed too early shows red."""


class KeypadModule(msgspec.Struct, frozen=True):
    """Keys, 0-based in reading order, rightly pressed in the order of `pressed`; `wrong` is the
    last key pressed too early, at `wrong_us`."""

    puzzle: Keypad
    pressed: tuple[int, ...] = ()
    wrong: int | None = None
    wrong_us: int = NEVER_US

    def parts(self) -> tuple[str, ...]:
        """All four keys; those pressed already ignore presses."""
        return tuple(f"key{i + 1}" for i in range(KEYS))

    def tap(self, part: str, moment: Moment) -> Effect:
        """Press a key; a mistake keeps the keys pressed before."""
        key = index_of(part)
        if key in self.pressed:
            return Effect(self, "nothing")
        if key != order(moment.book.keypad, self.puzzle)[len(self.pressed)]:
            return Effect(replace(self, wrong=key, wrong_us=moment.time_us), "strike")
        pressed = (*self.pressed, key)
        return Effect(replace(self, pressed=pressed), "solved" if len(pressed) == KEYS else "done")

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The symbols in reading order and the number of the column that holds them."""
        symbols = self.puzzle.symbols
        columns = enumerate(book.keypad.columns, 1)
        column = next(number for number, held in columns if set(symbols) <= set(held))
        return {"symbols": symbols, "column": column}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The keys pressed, in order."""
        return {"pressed": [key + 1 for key in self.pressed]}
