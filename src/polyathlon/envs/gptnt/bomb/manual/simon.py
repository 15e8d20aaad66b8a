"""Simon Says: what to press for each flash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyathlon.envs.gptnt.bomb.manual.composer import Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import DARK, LIGHT, MIDDLE, WHITE, Pen
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp, RuleBook

_STRIKES = ("No strikes", "One strike", "Two or more strikes")
_FLASHES: tuple[Lamp, ...] = ("red", "blue", "green", "yellow")


def pages(book: RuleBook) -> list[Composer]:
    """The six colour maps on one page."""
    composer = Composer("Simon Says", "simon")
    composer.sketch(_sketch)
    composer.paragraph(
        "Four coloured buttons: blue at the top, red at the left, yellow at the right, green at "
        "the bottom. One of them flashes. Answer by the tables below, and two flash, and so on, "
        "three to five times."
    )
    composer.paragraph(
        "For each flash of the sequence, in order, press the colour that the table gives. Look "
        "up the serial number first, and count the bomb's strikes: after a new strike another "
        "row holds, at once."
    )
    composer.paragraph(
        "A wrong colour is a strike, and you begin the answer again. So you do after a long "
        "pause, when the lamps start anew."
    )
    composer.clear()
    composer.heading("The serial number has a vowel (A, E, I, O, U)")
    composer.table(_rows(book.simon.vowel), (1.6, 1, 1, 1, 1))
    composer.heading("The serial number has no vowel")
    composer.table(_rows(book.simon.no_vowel), (1.6, 1, 1, 1, 1))
    return [composer]


def _rows(maps: Sequence[Mapping[Lamp, Lamp]]) -> list[tuple[str, ...]]:
    head = ("Flash:", *map(capital, _FLASHES))
    answers = [tuple(capital(answers[flash]) for flash in _FLASHES) for answers in maps]
    return [head, *((f"{name}: press", *row) for name, row in zip(_STRIKES, answers, strict=True))]


def _sketch(pen: Pen) -> None:
    plate(pen)
    for x, y, fill, name in (
        (50, 31, DARK, "BLUE"),
        (29, 52, MIDDLE, "RED"),
        (71, 52, WHITE, "YELLOW"),
        (50, 73, LIGHT, "GREEN"),
    ):
        pen.area((x, y - 20), (x + 20, y), (x, y + 20), (x - 20, y), fill=fill)
        pen.text(x, y, name, 8, bold=True, ink=WHITE if fill == DARK else 0)
