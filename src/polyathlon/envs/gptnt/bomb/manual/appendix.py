"""The last pages: what the edges of the bomb carry."""

from __future__ import annotations

import math
from collections.abc import Callable

from polyathlon.envs.gptnt.bomb.casing import BATTERIES, LABELS
from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.sheet import (
    BLACK,
    DARK,
    LIGHT,
    MIDDLE,
    THICK,
    THIN,
    WHITE,
    Pen,
)
from polyathlon.envs.gptnt.bomb.manual.wording import CARDINALS
from polyathlon.envs.gptnt.bomb.rulebook.facts import Port

_LABELS_ACROSS = 4
_LABEL_HEIGHT = 60.0


def pages() -> list[Composer]:
    """Indicators, batteries and ports."""
    return [_indicators(), _batteries(), _ports()]


def _indicators() -> Composer:
    composer = Composer("Indicators")
    composer.paragraph(
        "An indicator is a small lamp beside a label of three letters. A rule that asks for a lit "
        "indicator wants the label and the light: a dark lamp does not count."
    )
    pen = composer.figure(86)
    for left, lit, name in ((70, True, "lit"), (300, False, "not lit")):
        _indicator(pen.at(left, 4), "FRK", lit)
        pen.text(left + 66, 72, name, 13)
    composer.heading("Labels")
    composer.paragraph("These exist, each at most once on a bomb.")
    rows = -(-len(LABELS) // _LABELS_ACROSS)
    pen = composer.figure(_LABEL_HEIGHT * rows)
    step = (RIGHT - LEFT) / _LABELS_ACROSS
    for index, label in enumerate(sorted(LABELS)):
        row, column = divmod(index, _LABELS_ACROSS)
        _indicator(pen.at(step * column + 8, _LABEL_HEIGHT * row, 0.82), label, lit=False)
    composer.say(" ".join(sorted(LABELS)))
    composer.heading("Serial number")
    pen = composer.figure(70)
    pen.box(130, 2, 240, 62, fill=WHITE, edge=THICK)
    pen.box(130, 2, 240, 20, fill=DARK)
    pen.text(250, 12, "SERIAL", 11, bold=True, ink=WHITE)
    pen.text(250, 43, "7B3KX2", 26, bold=True)
    composer.paragraph(
        "Every bomb has one: six letters and digits on one of its edges. The last character is "
        "always a digit. Vowels are A, E, I, O and U, but O is never used, and neither is Y: "
        "what looks like an O is a zero."
    )
    return composer


def _batteries() -> Composer:
    composer = Composer("Batteries")
    composer.paragraph(
        "Batteries sit in holders on the edges. Rules count batteries, not holders: add up all "
        "that you find on the whole bomb."
    )
    pen = composer.figure(220)
    for index, (cell, count) in enumerate(BATTERIES.items()):
        holder = pen.at(20 + 250 * index, 10)
        holder.box(0, 0, 210, 150, fill=LIGHT, edge=THICK)
        height = 110 / count
        for place in range(count):
            _battery(holder.at(22, 20 + place * height), height - 12 * (count - 1))
        holder.text(105, 174, f"{cell}: {_batteries_in(count)}", 15, bold=True)
    composer.say(*(f"{cell}: {_batteries_in(count)}" for cell, count in BATTERIES.items()))
    composer.bullets(
        [
            f"A holder with one thick D cell counts as {_batteries_in(BATTERIES['D'])}.",
            f"A holder with two thin AA cells counts as {_batteries_in(BATTERIES['AA'])}.",
        ]
    )
    composer.heading("An example")
    composer.paragraph(
        "Two holders with AA cells and one with a D cell are five batteries. All four edges "
        "of the bomb have to be looked at before they can be added up."
    )
    return composer


def _ports() -> Composer:
    composer = Composer("Ports")
    composer.paragraph(
        "Sockets on the edges come on plates, none to four on a plate. A rule that asks for a "
        "port is content with one of its kind anywhere on the bomb."
    )
    pen = composer.figure(330)
    for index, (port, (draw, _)) in enumerate(_PORTS.items()):
        place = pen.at(8 + 254 * (index % 2), 110 * (index // 2))
        place.box(0, 0, 240, 100, fill=LIGHT, edge=THIN)
        draw(place.at(120, 42))
        place.text(120, 86, port, 13, bold=True)
    composer.bullets([f"{port}: {looks}" for port, (_, looks) in _PORTS.items()])
    return composer


def _batteries_in(count: int) -> str:
    return f"{CARDINALS[count]} {'battery' if count == 1 else 'batteries'}"


def _indicator(pen: Pen, label: str, lit: bool) -> None:
    pen.box(0, 0, 132, 54, fill=DARK, edge=THICK)
    pen.disc(28, 27, 14, fill=WHITE if lit else BLACK, edge=THICK, ink=BLACK)
    if lit:
        for step in range(8):
            x, y = math.cos(step * math.pi / 4), math.sin(step * math.pi / 4)
            pen.line((28 + 18 * x, 27 + 18 * y), (28 + 23 * x, 27 + 23 * y), width=2.4, ink=WHITE)
    pen.text(88, 27, label, 22, bold=True, ink=WHITE)


def _battery(pen: Pen, height: float) -> None:
    pen.box(0, 0, 150, height, fill=MIDDLE, edge=THICK)
    pen.box(0, 0, 40, height, fill=BLACK, edge=0)
    pen.box(150, height * 0.3, 14, height * 0.4, fill=WHITE, edge=THICK)
    pen.text(20, height / 2, "−", 18, bold=True, ink=WHITE)
    pen.text(128, height / 2, "+", 18, bold=True)


def _shell(pen: Pen, width: float, height: float, taper: float) -> None:
    """A D-shaped socket around the pen's origin."""
    x, y = width / 2, height / 2
    pen.area((-x, -y), (x, -y), (x - taper, y), (taper - x, y), fill=DARK, edge=THICK)


def _holes(pen: Pen, count: int, y: float, step: float, radius: float = 2.6) -> None:
    for place in range(count):
        pen.disc(step * (place - (count - 1) / 2), y, radius, fill=WHITE, edge=0)


def _parallel(pen: Pen) -> None:
    _shell(pen, 200, 40, 12)
    _holes(pen, 13, -8, 13)
    _holes(pen, 12, 8, 13)


def _serial(pen: Pen) -> None:
    _shell(pen, 96, 40, 12)
    _holes(pen, 5, -8, 14)
    _holes(pen, 4, 8, 14)


def _dvi(pen: Pen) -> None:
    pen.box(-80, -22, 160, 44, fill=DARK, edge=THICK)
    for y in (-12, 0, 12):
        _holes(pen.at(-20, 0), 8, y, 12)
    pen.line((44, 0), (68, 0), width=5, ink=WHITE)


def _ps2(pen: Pen) -> None:
    pen.disc(0, 0, 33, fill=DARK, edge=THICK)
    pen.box(-5, -20, 10, 12, fill=WHITE, edge=0)
    for x, y in ((-17, -8), (17, -8), (-20, 6), (20, 6), (-8, 18), (8, 18)):
        pen.disc(x, y, 3.2, fill=WHITE, edge=0)


def _rj45(pen: Pen) -> None:
    pen.box(-38, -32, 76, 64, fill=MIDDLE, edge=THICK)
    pen.area(
        *((-28, -20), (28, -20), (28, 12), (14, 12)),
        *((14, 22), (-14, 22), (-14, 12), (-28, 12)),
        fill=BLACK,
    )
    for contact in range(8):
        x = 6 * (contact - 3.5)
        pen.line((x, -18), (x, -8), width=2, ink=WHITE)


def _rca(pen: Pen) -> None:
    for x in (-40, 40):
        pen.disc(x, 0, 28, fill=WHITE, edge=THICK)
        pen.disc(x, 0, 19, fill=MIDDLE if x < 0 else DARK, edge=THICK)
        pen.disc(x, 0, 7, fill=BLACK, edge=0)


_PORTS: dict[Port, tuple[Callable[[Pen], None], str]] = {
    "Parallel": (_parallel, "a long socket with two rows of holes, thirteen above twelve."),
    "Serial": (_serial, "a short one of the same shape, five holes above four."),
    "DVI-D": (_dvi, "a rectangle with three rows of eight holes and a flat slot beside them."),
    "PS/2": (_ps2, "a round socket with six holes and a key."),
    "RJ-45": (_rj45, "a square hole with a notch and eight contacts, for a network cable."),
    "Stereo RCA": (_rca, "two rings side by side, one red and one white."),
}
