"""Passwords: five dials of six letters, of which one known word can be made."""

from __future__ import annotations

from string import ascii_lowercase

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import PasswordRules

COLUMNS, LETTERS = 5, 6


class Password(Struct, frozen=True):
    """Five columns of six different letters; each column first shows its first letter."""

    columns: tuple[str, ...]


def draw(rules: PasswordRules, rng: Stream) -> Password:
    """A random word among random letters that spell no other."""
    word = rng.choice(rules.words)
    while True:
        puzzle = Password(tuple(_draw_column(letter, rng) for letter in word))
        if spellable(rules, puzzle) == (word,):
            return puzzle


def spellable(rules: PasswordRules, puzzle: Password) -> tuple[str, ...]:
    """The words that the columns can make."""
    return tuple(
        word
        for word in rules.words
        if all(letter in column for letter, column in zip(word, puzzle.columns, strict=True))
    )


def _draw_column(letter: str, rng: Stream) -> str:
    others = [other for other in ascii_lowercase if other != letter]
    rng.shuffle(others)
    column = [letter, *others[: LETTERS - 1]]
    rng.shuffle(column)
    return "".join(column)
