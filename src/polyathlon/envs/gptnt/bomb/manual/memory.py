"""Memory: a row of instructions for each stage."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import Composer
from polyathlon.envs.gptnt.bomb.manual.plate import key, plate, screen
from polyathlon.envs.gptnt.bomb.manual.sheet import WHITE, Pen
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Instruction,
    Label,
    Position,
    RuleBook,
    SameLabel,
    SamePosition,
)
from polyathlon.envs.gptnt.bomb.rulebook.memory import BUTTONS


def pages(book: RuleBook) -> list[Composer]:
    """The table on one page."""
    composer = Composer("Memory", "memory")
    composer.sketch(_sketch)
    composer.paragraph(
        "A large digit above four buttons, each with a digit of its own. There are five stages; "
        "the digits change after each. Write down, for every stage, the place and the digit of "
        "the button you pressed: later stages ask for them."
    )
    composer.paragraph(
        "A wrong button is a strike and leads back to the first stage. What you wrote down is "
        "then worth nothing."
    )
    composer.clear()
    composer.heading("Which button to press")
    composer.paragraph(
        "A place is counted from the left, 1 to 4. A digit is what is written on the button."
    )
    displays = range(1, BUTTONS + 1)
    rows = [
        (f"Stage {stage}", *map(_instruction, row))
        for stage, row in enumerate(book.memory.stages, 1)
    ]
    head = ("Stage", *(f"Display shows {digit}" for digit in displays))
    composer.table([head, *rows], (0.9, 1, 1, 1, 1))
    return [composer]


def _instruction(instruction: Instruction) -> str:
    match instruction:
        case Position(place):
            return f"place {place}"
        case Label(digit):
            return f"digit {digit}"
        case SamePosition(stage):
            return f"the place pressed in stage {stage}"
        case SameLabel(stage):
            return f"the digit pressed in stage {stage}"


def _sketch(pen: Pen) -> None:
    plate(pen)
    screen(pen, 25, 14, 38, 36, "3")
    for place, digit in enumerate("4213"):
        key(pen, 9 + 18 * place, 58, 16, 30, digit)
    for lamp in range(5):
        pen.box(85, 78 - 12 * lamp, 8, 8, fill=WHITE)
