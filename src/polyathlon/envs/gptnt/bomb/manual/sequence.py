"""Wire Sequence: which ends have the n-th wire of a colour cut."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import Composer
from polyathlon.envs.gptnt.bomb.manual.plate import key, plate
from polyathlon.envs.gptnt.bomb.manual.sheet import BLACK, DARK, MIDDLE, WHITE, Pen
from polyathlon.envs.gptnt.bomb.manual.wording import capital, ordinal
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.sequence import COLOURS, MOST_OF_COLOUR


def pages(book: RuleBook) -> list[Composer]:
    """The table on one page."""
    rules = book.sequence.cut_at
    composer = Composer("Wire Sequence", "sequence")
    composer.sketch(_sketch)
    composer.paragraph(
        "Four panels, one behind the other, with up to three wires each: red, blue or black. "
        "Every wire runs from a number at the left to A, B or C at the right. The arrows go to "
        "the panel above or below."
    )
    composer.paragraph(
        "Number the wires of each colour as they appear: from the first panel to the last, on "
        "each panel by the numbers at the left, cut or not. Then cut a wire if the letter it "
        "runs to stands in the table."
    )
    composer.paragraph(
        "A wrong cut is a strike. So is going down while a wire of the panel still has to be "
        "cut. Going down from the fourth panel, with nothing left to cut, solves the module."
    )
    composer.clear()
    composer.heading("Cut the wire if it runs to")
    rows = [
        (
            f"{capital(ordinal(number + 1))} of its colour",
            *(_ends(rules[c][number]) for c in COLOURS),
        )
        for number in range(MOST_OF_COLOUR)
    ]
    composer.table(
        [("Wire", *(f"{capital(colour)} wires" for colour in COLOURS)), *rows], (1.7, 1, 1, 1)
    )
    return [composer]


def _ends(ends: str) -> str:
    """`A, B or C`."""
    if not ends:
        return "do not cut"
    others, last = ends[:-1], ends[-1]
    return f"{', '.join(others)} or {last}" if others else last


def _sketch(pen: Pen) -> None:
    plate(pen)
    pen.box(10, 28, 70, 50, fill=MIDDLE)
    for row, (number, end) in enumerate(zip("123", "ABC", strict=True)):
        key(pen, 10, 28 + 17 * row, 15, 16, number)
        key(pen, 65, 28 + 17 * row, 15, 16, end)
    for left, right, ink in ((0, 1, WHITE), (1, 0, BLACK), (2, 2, DARK)):
        from_y, to_y = 36 + 17 * left, 36 + 17 * right
        way = [(27, from_y), (34, from_y), (56, to_y), (63, to_y)]
        pen.line(*way, width=6)
        pen.line(*way, width=3.6, ink=ink)
    for top, base, tip in ((14, 23, 17), (82, 85, 91)):
        key(pen, 26, top, 38, 12)
        pen.area((40, base), (50, base), (45, tip), fill=BLACK, edge=0)
    for lamp in range(4):
        pen.box(85, 32 + 12 * lamp, 7, 7, fill=DARK)
