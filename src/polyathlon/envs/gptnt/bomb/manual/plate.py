"""The plate that all modules share, for their sketches of 100 x 100 units."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.manual.sheet import DARK, LIGHT, MIDDLE, THICK, WHITE, Pen


def plate(pen: Pen) -> None:
    """A square plate with four screws and the status LED in its top right corner."""
    pen.box(2, 2, 96, 96, fill=LIGHT, edge=THICK)
    for x, y in ((9, 9), (9, 91), (91, 91)):
        pen.disc(x, y, 3, fill=MIDDLE)
    pen.disc(89, 11, 6, fill=WHITE, edge=THICK, ink=DARK)


def screen(pen: Pen, left: float, top: float, width: float, height: float, text: str) -> None:
    """A dark display with light text."""
    pen.box(left, top, width, height, fill=DARK)
    pen.text(left + width / 2, top + height / 2, text, 14, bold=True, ink=WHITE)


def key(pen: Pen, left: float, top: float, width: float, height: float, text: str = "") -> None:
    """A light key with text on it."""
    pen.box(left, top, width, height, fill=WHITE)
    if text:
        pen.text(left + width / 2, top + height / 2, text, 9, bold=True)
