"""Who's On First: where to read, and the lists of labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from polyathlon.envs.gptnt.bomb.manual.composer import Composer
from polyathlon.envs.gptnt.bomb.manual.plate import key, plate, screen
from polyathlon.envs.gptnt.bomb.manual.sheet import Pen
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook, Slot, WordsRules

_BLANK = "(nothing at all)"


def pages(book: RuleBook) -> list[Composer]:
    """Where to read, then the lists of each group of labels."""
    rules = book.words
    groups = enumerate(rules.groups, 1)
    return [_reading(rules), *(_lists(number, group, rules.lists) for number, group in groups)]


def _reading(rules: WordsRules) -> Composer:
    composer = Composer("Who's On First", "words", part="1 of 3")
    composer.sketch(_sketch)
    composer.paragraph(
        "A display above six labelled buttons, two in each of three rows. It takes three rounds; "
        "the display and the labels change after each. Spell out what you read and hear: many "
        "of these words sound alike, and that is the point."
    )
    composer.clear()
    composer.numbered(
        [
            "Find the word on the display in the table below. It names a place among the six.",
            "Read the label of the button in that place. Do not press it yet.",
            "Find that label's list on the next two pages. Go through the list from its "
            "beginning; the first word that is on any of the six buttons is the one to press.",
        ]
    )
    composer.paragraph("A wrong button is a strike, and the round starts again with new words.")
    composer.heading("Which label to read")
    rows = [(_place(slot), _displays(rules.read, slot)) for slot in get_args(Slot)]
    composer.table([("Read the label at the", "if the display says"), *rows], (1.2, 3))
    return composer


def _lists(number: int, group: tuple[str, ...], lists: Mapping[str, tuple[str, ...]]) -> Composer:
    composer = Composer("Who's On First", "words", part=f"{number + 1} of 3")
    composer.paragraph("Press the first word of the list that you can see.")
    composer.entries((label, ", ".join(lists[label])) for label in sorted(group))
    return composer


def _place(slot: Slot) -> str:
    return capital(slot.replace("_", " "))


def _displays(read: Mapping[str, Slot], slot: Slot) -> str:
    return ", ".join(word or _BLANK for word in sorted(read) if read[word] == slot)


def _sketch(pen: Pen) -> None:
    plate(pen)
    screen(pen, 12, 10, 62, 18, "LEED")
    labels = ("YOUR", "LIKE", "UR", "U", "DONE", "NEXT")
    for place, label in enumerate(labels):
        key(pen, 12 + 34 * (place % 2), 35 + 19 * (place // 2), 31, 15, label)
    for lamp in range(3):
        pen.box(82, 46 + 13 * lamp, 9, 9, fill=255)
