"""The first pages: how to use the manual, and what a bomb is."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.composer import HANDBOOK, LEFT, RIGHT, Composer
from polyathlon.envs.gptnt.bomb.manual.plate import plate
from polyathlon.envs.gptnt.bomb.manual.sheet import (
    BLACK,
    DARK,
    LIGHT,
    MIDDLE,
    THICK,
    WHITE,
    Pen,
    ellipse,
)


def pages() -> list[Composer]:
    """The cover and the bomb."""
    return [_cover(), _bomb()]


def _cover() -> Composer:
    composer = Composer(HANDBOOK)
    _bomb_with_fuse(composer.figure(236))
    composer.heading("How to use this handbook")
    composer.paragraph(
        "The handbook has the rules, the bomb has the facts. When one person reads and another "
        "one sees, neither knows enough: then talk."
    )
    composer.numbered(
        [
            "Find out what is on the bomb and how much time is left.",
            "Take one module after the other. Find its pages by their sketch or their title.",
            "Look or ask for exactly what the rules need, no more: colours, words, digits, places.",
            "Press or cut what they say, or have it done, and see the result.",
        ]
    )
    composer.paragraph(
        "Rules that need the serial number, batteries, indicators or ports refer to the edges of "
        "the bomb; the last pages show what to look for. Note the answers, they never change."
    )
    composer.paragraph(
        "This edition is complete and has no misprints. Earlier editions may have had other rules; "
        "trust this one and not your memory."
    )
    return composer


def _bomb() -> Composer:
    composer = Composer("The bomb")
    composer.paragraph(
        "A case with six sides. Front and back have room for six modules each; copper-coloured "
        "plates cover what is empty. The four edges carry the serial number, batteries, "
        "indicators and ports."
    )
    _case(composer.figure(246).at((RIGHT - LEFT) / 2 - 230, 10))
    composer.heading("Timer and strikes")
    composer.bullets(
        [
            "The timer on the front counts down: minutes and seconds, and below one minute "
            "seconds and hundredths. At zero the bomb explodes.",
            "A mistake is a strike; crosses above the timer count them. A bomb usually takes two "
            "and explodes at the third.",
            "Every strike makes the timer run faster: one and a quarter times as fast after the "
            "first, one and a half times after the second.",
        ]
    )
    composer.heading("Modules")
    composer.bullets(
        [
            "The LED in the upper right corner of a module turns green when it is solved and "
            "flashes red at a strike. A solved module can be forgotten.",
            "The bomb is defused when all modules are solved. Their order is yours to choose.",
        ]
    )
    return composer


def _bomb_with_fuse(pen: Pen) -> None:
    """A round bomb of the old school, and a new one that it would not recognise."""
    pen.line((168, 66), (196, 30), (232, 26), (258, 48), width=5, ink=DARK)
    for tip in ((270, 34), (280, 52), (268, 66), (288, 40), (262, 24)):
        pen.line((260, 50), tip, width=2.4)
    pen.area((136, 66), (160, 46), (190, 78), (166, 96), fill=DARK, edge=THICK)
    pen.disc(110, 146, 84, fill=BLACK)
    pen.area(*ellipse(78, 110, 24, 13, -45), fill=MIDDLE, edge=0)
    pen.text(224, 150, "?", 54, bold=True)
    pen.arrow((250, 150), (286, 150), width=4, head=13)
    case = pen.at(302, 78)
    case.box(0, 0, 190, 128, fill=MIDDLE, edge=THICK)
    for index in range(6):
        slot = case.at(6 + 60 * (index % 3), 5 + 60 * (index // 3), 0.58)
        if index == 1:
            slot.box(4, 14, 92, 74, fill=BLACK)
            slot.text(50, 52, "04:13", 15, bold=True, ink=WHITE)
        else:
            plate(slot)


def _case(pen: Pen) -> None:
    """The front with its parts named."""
    pen.area((60, 40), (84, 18), (384, 18), (360, 40), fill=WHITE)
    pen.area((360, 40), (384, 18), (384, 206), (360, 230), fill=DARK)
    pen.box(60, 40, 300, 190, fill=MIDDLE, edge=THICK)
    for index in range(6):
        slot = pen.at(66 + 97 * (index % 3), 44 + 92 * (index // 3), 0.92)
        if index == 1:
            slot.box(4, 34, 92, 56, fill=BLACK)
            slot.text(50, 63, "02:47", 24, bold=True, ink=WHITE)
            slot.box(26, 8, 48, 22, fill=BLACK)
            slot.text(40, 19, "X", 13, bold=True, ink=WHITE)
            slot.text(60, 19, "X", 13, bold=True, ink=DARK)
        elif index == 3:
            slot.box(3, 3, 94, 94, fill=LIGHT, ink=DARK)
            slot.text(50, 50, "empty", 12, ink=DARK)
        else:
            plate(slot)
            slot.text(50, 55, "module", 12)
    for start, tip, label, place in (
        ((140, 10), (186, 52), "strikes", (112, 4)),
        ((270, 10), (236, 74), "timer", (294, 4)),
        ((402, 96), (374, 96), "edge", (424, 96)),
        ((402, 146), (350, 146), "LED", (422, 146)),
    ):
        pen.arrow(start, tip, width=2.2)
        pen.text(*place, label, 14, bold=True)
