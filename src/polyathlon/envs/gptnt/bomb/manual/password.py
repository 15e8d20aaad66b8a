"""Passwords: the words that can be submitted."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import key, plate, screen
from polyathlon.envs.gptnt.bomb.manual.sheet import BLACK, LIGHT, WHITE, Pen
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook

_ACROSS = 5
_ROW = 30.0


def pages(book: RuleBook) -> list[Composer]:
    """The words on one page."""
    words = book.password.words
    composer = Composer("Passwords", "password")
    composer.sketch(_sketch)
    composer.paragraph(
        "Five letters in a row. Each can be turned to six letters with the arrows above and "
        "below it; which six differs from place to place."
    )
    composer.paragraph(
        "Exactly one word of this page can be made. Make it and press SUBMIT. To submit "
        "anything else is a strike."
    )
    composer.paragraph(
        "Look first at all letters of the first place, then at those of the last. Few words "
        "survive that."
    )
    composer.clear()
    composer.heading("Words")
    rows = [words[start : start + _ACROSS] for start in range(0, len(words), _ACROSS)]
    composer.say(*(" ".join(row) for row in rows))
    pen = composer.figure(_ROW * len(rows))
    for number, row in enumerate(rows):
        _words(pen.at(0, _ROW * number), row, LIGHT if number % 2 == 0 else WHITE)
    composer.heading("Nothing fits?")
    composer.paragraph(
        "Then a letter was misheard. Ask again, and let it be spelled: B as in bomb, D as in "
        "defuse, T as in trouble."
    )
    return [composer]


def _words(pen: Pen, words: Sequence[str], fill: int) -> None:
    step = (RIGHT - LEFT) / _ACROSS
    pen.box(0, 0, RIGHT - LEFT, _ROW, fill=fill, edge=0)
    for place, word in enumerate(words):
        pen.text(step * (place + 0.5), _ROW / 2, word, 16)


def _sketch(pen: Pen) -> None:
    plate(pen)
    for place, letter in enumerate("FUSES"):
        left = 12 + 15.5 * place
        screen(pen, left, 34, 13, 24, letter)
        for base, tip in ((31, 24), (61, 68)):
            pen.area((left + 2, base), (left + 11, base), (left + 6.5, tip), fill=BLACK, edge=0)
    key(pen, 28, 74, 44, 15, "SUBMIT")
