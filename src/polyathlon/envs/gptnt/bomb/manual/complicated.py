"""Complicated Wires: a letter for every wire, as a table and as overlapping ellipses."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import BLACK, DARK, MIDDLE, THICK, WHITE, Pen
from polyathlon.envs.gptnt.bomb.manual.venn import Oval, spots
from polyathlon.envs.gptnt.bomb.manual.wording import condition
from polyathlon.envs.gptnt.bomb.rulebook.book import ComplicatedRules, RuleBook, Tint
from polyathlon.envs.gptnt.bomb.rulebook.complicated import CONDITIONS

_TINTS: dict[Tint, str] = {
    "white": "White only",
    "red": "Red",
    "blue": "Blue",
    "red+blue": "Red and blue",
}
_BESIDE = ("Neither", "Star only", "LED only", "Star and LED")
SIDE = 500.0
"""The side of the square of the diagram's ellipses in points."""

OVALS = (
    Oval("Star", 0.35, 0.47, 0.35, 0.20, 45, dash=(2, 6)),
    Oval("Red", 0.50, 0.37, 0.34, 0.15, 45, dash=None),
    Oval("Blue", 0.50, 0.37, 0.34, 0.15, -45, dash=(14, 6)),
    Oval("LED", 0.65, 0.47, 0.35, 0.20, -45, dash=(7, 6)),
)


def pages(book: RuleBook) -> list[Composer]:
    """The table and what its letters mean, then the same as a diagram."""
    return [_table(book.complicated), _diagram(book.complicated)]


def _table(rules: ComplicatedRules) -> Composer:
    composer = Composer("Complicated Wires", "complicated", part="1 of 2")
    composer.sketch(_sketch)
    composer.paragraph(
        "Up to six wires hang from top to bottom, each of one or two colours: red, blue, white. "
        "Above it is an LED, lit or dark; below it is a place for a star, taken or empty."
    )
    composer.paragraph(
        "Judge every wire for itself. White stripes beside another colour do not matter: red "
        "and white counts as red. Find its letter in the table, or in the diagram on the next "
        "page, and do what the letter says."
    )
    composer.clear()
    rows = [(name, *rules.verdicts[tint]) for tint, name in _TINTS.items()]
    composer.table([("Wire", *_BESIDE), *rows], (1.2, 1, 1, 1, 1.2))
    composer.heading("Letters")
    composer.table([("Letter", "Meaning"), *_meanings()], (1, 5))
    composer.paragraph(
        "The module is solved when every wire that has to be cut is cut. Cutting another one is "
        "a strike."
    )
    return composer


def _meanings() -> list[tuple[str, str]]:
    named = [(letter, f"Cut the wire if {condition(on)}.") for letter, on in CONDITIONS.items()]
    return [("C", "Cut the wire."), ("D", "Do not cut the wire."), *named]


def _diagram(rules: ComplicatedRules) -> Composer:
    composer = Composer("Complicated Wires", "complicated", part="2 of 2")
    composer.paragraph(
        "The same letters as a diagram. A wire lies inside each ellipse that is true of it: red, "
        "blue, star below it, LED above it lit. A white wire with neither lies outside of all."
    )
    pen = composer.figure(440).at((RIGHT - LEFT - SIDE) / 2, -20, SIDE)
    for oval in OVALS:
        oval.draw(pen)
    for inside, (x, y) in spots(OVALS).items():
        pen.disc(x, y, 0.024, fill=WHITE, edge=0)
        pen.text(x, y, _letter(rules, inside), 17, bold=True)
    for x, y, label in ((0.055, 0.19, "Star"), (0.2, 0.075, "Red"), (0.8, 0.075, "Blue")):
        pen.text(x, y, label, 15, bold=True)
    pen.text(0.945, 0.19, "LED", 15, bold=True)
    pen.text(0.5, 0.86, _letter(rules, frozenset()), 17, bold=True)
    pen.text(0.5, 0.9, "white, no star, LED dark", 12)
    composer.table([("Ellipse", "Line"), *((oval.name, oval.line) for oval in OVALS)], (1, 2))
    return composer


def _letter(rules: ComplicatedRules, inside: frozenset[str]) -> str:
    """The letter of the region inside these ellipses."""
    red, blue = "Red" in inside, "Blue" in inside
    tint: Tint = "red+blue" if red and blue else "red" if red else "blue" if blue else "white"
    return rules.verdicts[tint][("Star" in inside) + 2 * ("LED" in inside)]


def _sketch(pen: Pen) -> None:
    plate(pen)
    for wire, ink in enumerate((WHITE, DARK, MIDDLE, BLACK, WHITE)):
        x = 18 + 14 * wire
        pen.disc(x, 14, 4, fill=WHITE if wire % 2 else DARK, edge=THICK)
        way = [(x, 24), (x + 2, 42), (x - 2, 58), (x, 74)]
        pen.line(*way, width=7)
        pen.line(*way, width=4.4, ink=ink)
        pen.box(x - 6, 76, 12, 14, fill=WHITE)
        if wire in (1, 2, 4):
            pen.symbol("star_filled", x, 83, 12)
