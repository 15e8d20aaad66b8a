"""Needy modules: Vent, Discharge and Knob, which cannot be solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import key
from polyathlon.envs.gptnt.bomb.manual.sheet import BLACK, DARK, LIGHT, MIDDLE, THICK, WHITE, Pen
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.modules import discharge, knob, vent

_SKETCH = 88.0
_ACROSS = 4
_PATTERN_HEIGHT = 66.0
_LED_STEP = 17.0


def pages(rule_seed: int) -> list[Composer]:
    """All three on one page."""
    composer = Composer("Needy modules", "vent", "discharge", "knob")
    composer.paragraph(
        "These cannot be solved. They sleep, wake up without warning, and want attention while "
        "everybody is busy elsewhere. To neglect one is a strike. The bomb does not wait for them: "
        "it is defused when all other modules are."
    )
    composer.heading("Vent")
    composer.sketch(_vent, _SKETCH)
    composer.paragraph(
        f"It asks a question and gives {_seconds(vent.ANSWER_US)} for yes or no. A wrong answer "
        "is a strike, and so is silence."
    )
    composer.bullets(
        [f"{asked} Press {answer.upper()}." for asked, answer in vent.QUESTIONS.items()]
    )
    composer.clear()
    composer.heading("Discharge")
    composer.sketch(_discharge, _SKETCH)
    composer.paragraph(
        f"A capacitor that charges and is full after {_seconds(discharge.FULL_US)}, which is a "
        f"strike. Hold the lever to empty it, {discharge.DRAIN} times faster than it fills, and "
        "let go when it is empty."
    )
    composer.clear()
    composer.heading("Knob")
    composer.sketch(_knob, _SKETCH)
    composer.paragraph(
        f"Twelve LEDs light up in a pattern. Within {_seconds(knob.ANSWER_US)} turn the dial, a "
        "quarter clockwise at each press, to the place for that pattern. It is judged when the "
        "time is over. Below, a lit LED is white (*), a dark one black (.), upper row / lower row."
    )
    _patterns(composer, knob.table(rule_seed))
    return [composer]


def _seconds(time_us: int) -> str:
    return f"{time_us // SECOND_US} seconds"


def _patterns(composer: Composer, asked: Mapping[knob.Leds, knob.Position]) -> None:
    composer.say(*(f"{capital(place)}: {' / '.join(_rows(leds))}" for leds, place in asked.items()))
    pen = composer.figure(_PATTERN_HEIGHT * -(-len(asked) // _ACROSS))
    step = (RIGHT - LEFT) / _ACROSS
    for index, (leds, place) in enumerate(asked.items()):
        x, y = step * (index % _ACROSS), _PATTERN_HEIGHT * (index // _ACROSS)
        _pattern(pen.at(x, y), step - 8, leds, place)


def _rows(leds: knob.Leds) -> Iterator[str]:
    signs = "".join("*" if lit else "." for lit in leds)
    return (signs[i : i + knob.LED_COLUMNS] for i in range(0, len(signs), knob.LED_COLUMNS))


def _pattern(pen: Pen, width: float, leds: knob.Leds, place: knob.Position) -> None:
    pen.box(0, 0, width, _PATTERN_HEIGHT - 8, fill=LIGHT)
    pen.text(width / 2, 11, capital(place), 12, bold=True)
    pen.text(width / 2, 30, " / ".join(_rows(leds)), 8, ink=None)
    left = (width - _LED_STEP * (knob.LED_COLUMNS - 1)) / 2
    for index, lit in enumerate(leds):
        row, column = divmod(index, knob.LED_COLUMNS)
        x, y = left + _LED_STEP * column, 28 + _LED_STEP * row
        pen.disc(x, y, 5.5, fill=WHITE if lit else BLACK)
        if lit:
            pen.disc(x, y, 2, fill=BLACK, edge=0)


def _vent(pen: Pen) -> None:
    _plate(pen)
    pen.box(10, 20, 80, 42, fill=DARK)
    pen.text(50, 33, "OPEN VENT?", 9, bold=True, ink=WHITE)
    pen.text(50, 51, "23", 11, bold=True, ink=WHITE)
    key(pen, 12, 69, 35, 22, "YES")
    key(pen, 53, 69, 35, 22, "NO")


def _discharge(pen: Pen) -> None:
    _plate(pen)
    pen.box(10, 12, 22, 78, fill=BLACK)
    for bar in range(7):
        pen.box(14, 82 - 8 * bar, 14, 5, fill=WHITE, edge=0)
    _countdown(pen, 40, 12, "20")
    pen.box(66, 40, 18, 48, fill=MIDDLE)
    pen.box(60, 44, 30, 12, fill=DARK)


def _knob(pen: Pen) -> None:
    _plate(pen)
    pen.box(10, 9, 66, 25, fill=DARK)
    for led in range(knob.LED_ROWS * knob.LED_COLUMNS):
        row, column = divmod(led, knob.LED_COLUMNS)
        fill = BLACK if led % 3 else WHITE
        pen.disc(16 + 10.8 * column, 16 + 11 * row, 3.6, fill=fill, edge=0)
    pen.text(43, 42, "UP", 9, bold=True)
    pen.disc(43, 71, 21, fill=BLACK)
    pen.line((43, 66), (43, 54), width=THICK, ink=WHITE)
    _countdown(pen, 66, 72, "07")


def _plate(pen: Pen) -> None:
    """Without a status LED: there is nothing to solve."""
    pen.box(2, 2, 96, 96, fill=LIGHT, edge=THICK)


def _countdown(pen: Pen, left: float, top: float, seconds: str) -> None:
    pen.box(left, top, 28, 20, fill=BLACK)
    pen.text(left + 14, top + 10, seconds, 10, bold=True, ink=WHITE)
