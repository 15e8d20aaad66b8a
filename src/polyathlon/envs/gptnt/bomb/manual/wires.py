"""Wires: a list of rules for each number of wires, two lists a page."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import BLACK, DARK, MIDDLE, WHITE, Pen
from polyathlon.envs.gptnt.bomb.manual.wording import CARDINALS, condition, ordinal, sentence
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Cut,
    LastWire,
    RuleBook,
    WireCondition,
    WireRule,
    WiresOf,
)

_COUNTS = {
    "none": "there is no {} wire",
    "one": "there is exactly one {} wire",
    "several": "there is more than one {} wire",
}


def pages(book: RuleBook) -> list[Composer]:
    """Three and four wires, then five and six."""
    rules = book.wires.by_count
    first = Composer("Wires", "wires", part="1 of 2")
    first.sketch(_sketch)
    first.paragraph(
        "Three to six wires run across this module: black, blue, red, white or yellow. Only one "
        "of them wants to be cut. Cutting any other is a strike."
    )
    first.paragraph(
        "Count the wires from the top; the last one is at the bottom. Find the list for that "
        "number and read it from its beginning: the first line that fits decides, and the "
        "lines after it do not matter."
    )
    first.clear()
    second = Composer("Wires", "wires", part="2 of 2")
    for count, composer in zip(sorted(rules), (first, first, second, second), strict=True):
        composer.heading(f"{CARDINALS[count].capitalize()} wires")
        composer.numbered([_rule(rule) for rule in rules[count]])
    second.heading("While you cut")
    second.paragraph(
        "A wire that was cut by mistake stays cut and still counts: go on by the list for the "
        "wires that the module had at first."
    )
    return [first, second]


def _rule(rule: WireRule) -> str:
    return sentence(map(_condition, rule.when), f"cut {_wire(rule.cut)}")


def _condition(when: WireCondition) -> str:
    match when:
        case WiresOf(colour, count):
            return _COUNTS[count].format(colour)
        case LastWire(colour):
            return f"the last wire is {colour}"
        case _:
            return condition(when)


def _wire(cut: Cut) -> str:
    place = cut.place if isinstance(cut.place, str) else ordinal(cut.place)
    return " ".join(["the", place, *filter(None, [cut.colour]), "wire"])


def _sketch(pen: Pen) -> None:
    plate(pen)
    for left in (12, 74):
        pen.box(left, 20, 12, 70, fill=MIDDLE)
    for row, ink in enumerate((WHITE, DARK, BLACK, MIDDLE, WHITE)):
        y = 27 + 14 * row
        way = [(18, y), (38, y + 2), (62, y - 3), (80, y + (3 if row % 2 else -3))]
        pen.line(*way, width=7)
        pen.line(*way, width=4.4, ink=ink)
