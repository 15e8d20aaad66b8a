"""The Passwords module: five dials of letters that can spell one word."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.password import COLUMNS, LETTERS, Password, spellable

LETTER_US = 200_000
"""How long a letter takes to give way to the next."""


class PasswordModule(msgspec.Struct, frozen=True):
    """The index of the letter each column shows; `changed` is the column last turned, at
    `changed_us`, by `step`: 1 to the next letter, -1 to the one before."""

    puzzle: Password
    shown: tuple[int, ...] = (0,) * COLUMNS
    changed: int | None = None
    changed_us: int = NEVER_US
    step: int = 1

    @property
    def word(self) -> str:
        """The letters in view."""
        return "".join(c[i] for c, i in zip(self.puzzle.columns, self.shown, strict=True))

    def parts(self) -> tuple[str, ...]:
        """The keys above the columns, those below, and the one that submits."""
        ups = (f"up{i + 1}" for i in range(COLUMNS))
        downs = (f"down{i + 1}" for i in range(COLUMNS))
        return (*ups, *downs, "submit")

    def tap(self, part: str, moment: Moment) -> Effect:
        """Turn a column, up to the letter before and down to the next, or submit the word."""
        if part == "submit":
            right = self.word in spellable(moment.book.password, self.puzzle)
            return Effect(self, "solved" if right else "strike")
        column, step = index_of(part), 1 if part.startswith("down") else -1
        shown = list(self.shown)
        shown[column] = (shown[column] + step) % LETTERS
        return Effect(
            replace(self, shown=tuple(shown), changed=column, changed_us=moment.time_us, step=step)
        )

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The letters of each column, and the word."""
        (word,) = spellable(book.password, self.puzzle)
        return {"columns": [list(column) for column in self.puzzle.columns], "word": word}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The index, 0 to 5, of the letter each column shows."""
        return {"indices": self.shown}
