"""Passwords in words: column by column until one word is left."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import ORDINALS, UNCLEAR, indices, listed, quoted
from polyathlon.envs.gptnt.bomb.rulebook.password import COLUMNS, LETTERS
from polyathlon.envs.gptnt.bomb.solver import spelling

_OPENING = "letter column can show"
_NEXT = "Several words fit. Which letters can the {} column show?"


def describe(sight: Sight) -> str | None:
    """The letters of the last column that was turned all the way."""
    column = _explored(sight) - 1
    if column < 0:
        return None
    letters = listed(sight.module.puzzle.columns[column])
    return (
        f"Of the five dials over a button to submit, the {ORDINALS[column]} {_OPENING} {letters}."
    )


def advice(text: str, notes: Notes) -> str | None:
    """The word, or which column to look at next."""
    if _OPENING not in text:
        return None
    before, _, after = text.partition(_OPENING)
    column = next(reversed(indices(before)), COLUMNS)
    letters = "".join(re.findall(r"\b[a-z]\b", after))
    if column > min(len(notes.columns), COLUMNS - 1) or len(letters) < LETTERS:
        return UNCLEAR
    del notes.columns[column:]
    notes.columns.append(letters)
    fitting = [word for word in notes.book.password.words if _fits(word, notes.columns)]
    if len(fitting) == 1:
        return f'The word must be "{fitting[0]}".'
    return _NEXT.format(ORDINALS[column + 1]) if fitting and column + 1 < COLUMNS else UNCLEAR


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """The keys that spell the word, or that turn the next column all the way."""
    module = sight.module
    for word in quoted(reply)[:1]:
        pairs = zip(word, module.puzzle.columns, strict=False)
        if len(word) == COLUMNS and all(letter in column for letter, column in pairs):
            return spelling(module.puzzle.columns, module.shown, word)
    column = _explored(sight)
    return (f"down{column + 1}",) * (LETTERS - 1) if column < COLUMNS else ()


def _explored(sight: Sight) -> int:
    """How many columns from the left were turned all the way."""
    turned = (sight.pressed.get(f"down{n + 1}", 0) >= LETTERS - 1 for n in range(COLUMNS))
    return next((n for n, whole in enumerate(turned) if not whole), COLUMNS)


def _fits(word: str, columns: Sequence[str]) -> bool:
    return all(letter in column for letter, column in zip(word, columns, strict=False))
