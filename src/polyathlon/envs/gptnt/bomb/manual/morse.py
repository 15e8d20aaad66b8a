"""Morse Code: the alphabet, and the frequencies of the words."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import key, plate, screen
from polyathlon.envs.gptnt.bomb.manual.sheet import (
    BLACK,
    DARK,
    HAIR,
    LIGHT,
    MIDDLE,
    THICK,
    WHITE,
    Pen,
)
from polyathlon.envs.gptnt.bomb.manual.wording import CARDINALS
from polyathlon.envs.gptnt.bomb.modules.morse import DASH_UNITS, LETTER_GAP_UNITS, WORD_GAP_UNITS
from polyathlon.envs.gptnt.bomb.rulebook.book import MorseRules, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.morse import ALPHABET

_COLUMNS = 2
_ROW = 25.0
_UNIT = 7.5
_WORD_COLUMNS = 2


def pages(book: RuleBook) -> list[Composer]:
    """The alphabet, then the frequencies."""
    return [_alphabet(), _frequencies(book.morse)]


def _alphabet() -> Composer:
    composer = Composer("Morse Code", "morse", part="1 of 2")
    composer.sketch(_sketch)
    composer.paragraph(
        "A lamp blinks a word in Morse code, letter by letter, over and over. A short flash is a "
        "dot, a long one a dash."
    )
    composer.paragraph(
        f"A dash is as long as {CARDINALS[DASH_UNITS]} dots. Inside a letter the lamp is dark "
        f"for one dot, between letters for {CARDINALS[LETTER_GAP_UNITS]}, and for "
        f"{CARDINALS[WORD_GAP_UNITS]} before the word begins again."
    )
    composer.clear()
    composer.heading("Alphabet")
    rows = len(ALPHABET) // _COLUMNS
    pen = composer.figure(_ROW * rows)
    step = (RIGHT - LEFT) / _COLUMNS
    for index, (letter, code) in enumerate(ALPHABET.items()):
        _letter(pen.at(step * (index // rows), _ROW * (index % rows)), letter.upper(), code)
    composer.say(*(f"{letter.upper()} {code}" for letter, code in ALPHABET.items()))
    return composer


def _letter(pen: Pen, letter: str, code: str) -> None:
    """A letter and its flashes; the pen is at the top left of its row."""
    pen.box(8, 1, 228, _ROW - 2, fill=LIGHT, edge=0)
    pen.text(26, _ROW / 2, letter, 15, bold=True)
    pen.text(56, _ROW / 2, code, 15, ink=None, centred=False)
    x = 60.0
    for flash in code:
        length = _UNIT if flash == "." else 3 * _UNIT
        pen.box(x, _ROW / 2 - _UNIT / 2, length, _UNIT, fill=BLACK, edge=HAIR)
        x += length + _UNIT


def _frequencies(rules: MorseRules) -> Composer:
    composer = Composer("Morse Code", "morse", part="2 of 2")
    composer.paragraph(
        "Look up the word, set the receiver to its frequency with the two arrows, and press TX. "
        "Another frequency is a strike."
    )
    composer.paragraph(
        "The receiver knows just these frequencies and stops at both ends. You need not read "
        "the whole word if a few letters leave only one."
    )
    composer.heading("Words and frequencies")
    words = sorted(rules.frequencies_khz.items(), key=lambda item: item[1])
    rows = [(word, f"3.{khz:03d} MHz") for word, khz in words]
    composer.table([("If the word is", "transmit on"), *rows], (1, 1))
    return composer


def _sketch(pen: Pen) -> None:
    plate(pen)
    pen.disc(32, 20, 12, fill=MIDDLE, edge=THICK, ink=DARK)
    pen.disc(32, 20, 6, fill=WHITE, edge=0)
    pen.box(12, 37, 76, 10, fill=WHITE)
    for tick in range(12):
        pen.line((17 + 6 * tick, 43), (17 + 6 * tick, 46), width=HAIR)
    pen.line((35, 38), (35, 46), width=THICK)
    screen(pen, 18, 52, 64, 19, "3.552 MHz")
    for left, tip, back in ((5, 8, 14), (83, 92, 86)):
        key(pen, left, 52, 12, 19)
        pen.area((tip, 61.5), (back, 56), (back, 67), fill=BLACK, edge=0)
    key(pen, 35, 75, 30, 18, "TX")
