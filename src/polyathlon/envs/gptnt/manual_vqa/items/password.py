"""Items about Passwords."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook import password
from polyathlon.envs.gptnt.bomb.rulebook.book import PasswordRules, RuleBook
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    Draft,
    ordinal,
    others,
    said,
    shuffled,
)

_ASKS = ("Which word do they enter?", "What is the password?")
_NEEDS = tuple(f"the letters of the {ordinal(column)} column" for column in range(5))
_OUTSIDE = (
    "basin", "cloud", "dwarf", "flame", "giant", "honey", "joker", "knife", "lemon", "mango",
    "noble", "ocean", "piano", "queen", "robin", "sugar", "tower", "under", "vivid", "zebra",
)  # fmt: skip


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Which of some words is in the list, or is not."""
    listed, absent = list(book.password.words), _outside(book.password)
    start = index * len(listed) // 13
    if index % 2:
        right, wrong = absent[index % len(absent)], listed[start:] + listed[:start]
        text = "Which of these words is not in the manual's list of passwords?"
    else:
        right, wrong = listed[start % len(listed)], shuffled(absent, rng)
        text = "Which of these words is in the manual's list of passwords?"
    return Draft(
        text=text,
        right=right.capitalize(),
        wrong=[word.capitalize() for word in wrong],
        why="read",
        given={"word": right, "listed": index % 2 == 0},
        needs=_NEEDS,
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """All five columns, or the first ones as far as they decide (hard)."""
    hard = index % 2 == 1
    puzzle = password.draw(book.password, rng)
    (word,) = password.spellable(book.password, puzzle)
    columns = puzzle.columns[: _deciding(book.password, puzzle)] if hard else puzzle.columns
    return Draft(
        text=f"{said(_tell(columns, rng), rng)} {rng.choice(_ASKS)}",
        right=word.capitalize(),
        wrong=others(word.capitalize(), _tempting(book.password, columns, rng)),
        why=word,
        given={"columns": columns},
        needs=_NEEDS,
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Too few columns are told to decide between words."""
    while True:
        puzzle = password.draw(book.password, rng)
        columns = puzzle.columns[: 1 + index % 2]
        words = _fitting(book.password, columns)
        if len(words) > 1:
            break
    possible = [word.capitalize() for word in shuffled(words, rng)]
    return Draft(
        text=f"{said(_tell(columns, rng), rng)} {rng.choice(_ASKS)}",
        missing=_NEEDS[len(columns)],
        wrong=others("", [*possible, *_tempting(book.password, columns, rng)]),
        why=f"still possible: {', '.join(words)}",
        given={"columns": columns},
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Columns that spell no word of the list."""
    while True:
        columns = list(password.draw(book.password, rng).columns)
        place = rng.below(password.COLUMNS)
        columns[place] = password.draw(book.password, rng).columns[place]
        if not _fitting(book.password, columns):
            break
    return Draft(
        text=f"{said(_tell(columns, rng), rng)} {rng.choice(_ASKS)}",
        wrong=others("", _tempting(book.password, columns, rng)),
        why="the columns spell no word of the list",
        given={"columns": columns},
        needs=_NEEDS,
    )


def _outside(rules: PasswordRules) -> list[str]:
    return [word for word in _OUTSIDE if word not in rules.words]


def _fitting(rules: PasswordRules, columns: Sequence[str]) -> list[str]:
    """The words whose first letters the columns have."""
    return [
        word
        for word in rules.words
        if all(letter in column for letter, column in zip(word, columns, strict=False))
    ]


def _deciding(rules: PasswordRules, puzzle: password.Password) -> int:
    """How many columns from the left leave one word only."""
    counts = range(1, password.COLUMNS + 1)
    return next(n for n in counts if len(_fitting(rules, puzzle.columns[:n])) == 1)


def _tempting(rules: PasswordRules, columns: Sequence[str], rng: Stream) -> list[str]:
    """The words by how many of their letters are in the columns."""

    def missing(word: str) -> int:
        return sum(a not in column for a, column in zip(word, columns, strict=False))

    return [word.capitalize() for word in sorted(shuffled(rules.words, rng), key=missing)]


def _tell(columns: Sequence[str], rng: Stream) -> str:
    told = "; ".join(
        f"{ordinal(place)} column {' '.join(column).upper()}"
        for place, column in enumerate(columns)
    )
    some = "" if len(columns) == password.COLUMNS else " So far I have looked through these only."
    opening = rng.choice(
        (
            "Five letters in a row, each with an arrow above and below.",
            "A green display with five letters that can be changed.",
            "There are five letter dials and a button below.",
        )
    )
    return f"{opening} {capital(told)}.{some}"
