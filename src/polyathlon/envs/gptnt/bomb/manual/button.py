"""Button: whether to tap or hold, and when to let go."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import DARK, LIGHT, MIDDLE, THICK, WHITE, Pen
from polyathlon.envs.gptnt.bomb.manual.wording import capital, condition, sentence
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    ButtonCondition,
    ButtonRule,
    ButtonRules,
    ColourIs,
    LabelIs,
    RuleBook,
)

_DO = {"tap": "tap the button", "hold": "hold the button"}
_BOX_WIDTH = 150.0


def pages(book: RuleBook) -> list[Composer]:
    """What to do, then the strip."""
    return [_choice(book.button), _strip(book.button)]


def _choice(rules: ButtonRules) -> Composer:
    composer = Composer("Button", "button", part="1 of 2")
    composer.sketch(_sketch)
    composer.paragraph(
        "One large round button. It is red, blue, yellow or white, and one word is written on "
        "it: PRESS, HOLD, ABORT or DETONATE. The word is a label, not an order."
    )
    composer.paragraph(
        "Read this list from its beginning and obey the first line that fits. Batteries, ports, "
        "indicators and the serial number are on the edges of the bomb."
    )
    composer.clear()
    composer.heading("Tap or hold?")
    composer.numbered([_rule(rule) for rule in rules.rules])
    composer.paragraph("To tap is to press and let go at once. That is all there is to it.")
    composer.paragraph("To hold is another matter: see the next page before you press.")
    return composer


def _strip(rules: ButtonRules) -> Composer:
    composer = Composer("Button", "button", part="2 of 2")
    composer.heading("Holding the button")
    composer.paragraph(
        "Press and keep pressing. A strip at the right of the button lights up. Its colour, not "
        "the button's, tells which digit to wait for."
    )
    composer.paragraph(
        "Let go while the timer shows that digit anywhere: minutes or seconds, tens or ones. "
        "In the last minute the hundredths count too."
    )
    released = [(colour, str(digit)) for colour, digit in rules.release.items()]
    other = ("any other colour", str(rules.release_otherwise))
    rows = [(capital(colour), digit) for colour, digit in (*released, other)]
    composer.table([("Colour of the strip", "Let go when the timer shows a"), *rows], (1, 1))
    composer.paragraph(
        "Letting go at another moment is a strike, and so is a tap in place of a hold or a hold "
        "in place of a tap. Then begin again; the next strip may have another colour."
    )
    composer.heading("In short")
    _chart(composer.figure(230))
    composer.say(
        "First line that fits",
        "TAP: Press, let go",
        "HOLD: Press, keep pressing",
        "Colour of the strip says which digit",
        "Digit on the timer? Let go.",
    )
    return composer


def _rule(rule: ButtonRule) -> str:
    return sentence(map(_condition, rule.when), _DO[rule.do])


def _condition(when: ButtonCondition) -> str:
    match when:
        case ColourIs(colour):
            return f"the button is {colour}"
        case LabelIs(label):
            return f"the button says {label.upper()}"
        case _:
            return condition(when)


def _sketch(pen: Pen) -> None:
    plate(pen)
    pen.disc(43, 56, 33, fill=MIDDLE, edge=THICK)
    pen.disc(43, 53, 27, fill=WHITE)
    pen.text(43, 53, "ABORT", 11, bold=True)
    pen.box(82, 26, 9, 60, fill=DARK)


def _chart(pen: Pen) -> None:
    """From the list to the two ways of pressing."""
    _step(pen, 178, 0, "First line that fits", fill=LIGHT)
    for left, lines in (
        (40, ("TAP", "Press, let go")),
        (316, ("HOLD", "Press, keep pressing")),
    ):
        pen.arrow((253, 46), (left + 75, 78))
        _step(pen, left, 80, *lines)
    pen.arrow((391, 126), (391, 150))
    _step(pen, 316, 152, "Colour of the strip", "says which digit")
    pen.arrow((316, 175), (192, 175))
    _step(pen, 40, 152, "Digit on the timer?", "Let go.", fill=LIGHT)


def _step(pen: Pen, left: float, top: float, *lines: str, fill: int = WHITE) -> None:
    pen.box(left, top, _BOX_WIDTH, 46, fill=fill)
    for row, line in enumerate(lines):
        y = top + 23 + 17 * (row - (len(lines) - 1) / 2)
        pen.text(left + _BOX_WIDTH / 2, y, line, 12, bold=row == 0)
