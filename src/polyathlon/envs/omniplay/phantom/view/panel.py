"""What surrounds the map: the strip above it, its axes, and the panel beside it."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE
from polyathlon.envs.omniplay.phantom.rules.world import CALL_SIGNS
from polyathlon.envs.omniplay.phantom.view import sprites
from polyathlon.envs.omniplay.phantom.view.layout import (
    HEIGHT_PX,
    LEFT_PX,
    PX_PER_UNIT,
    SIDE_PX,
    TOP_PX,
    WIDTH_PX,
    to_px,
)
from polyathlon.envs.omniplay.phantom.view.sprites import FAINT, INK, ORDERS, PAPER
from polyathlon.media.drawing import Colour, Pixels, font

BACK: Colour = (17, 23, 30)
STRIP: Colour = (26, 35, 45)
EDGE: Colour = (64, 84, 100)
ACCENT: Colour = (84, 190, 214)
PANEL_PX = LEFT_PX + SIDE_PX + 14
STRIP_PX = 26
ROSTER_PX, ROW_PX = 54, 33
LEGEND_PX, ITEM_PX = 222, 23
ROLES = {"S": "Scout", "A": "Assault", "H": "Heavy", "M": "Medic"}
SCALE_UNITS = 20

Roster = tuple[tuple[int, str, str], ...]


@lru_cache(maxsize=64)
def frame(roster: Roster) -> Pixels:
    """The display without map and numbers: axes, and the panel with roster and legend.

    A roster row is a member's number, the letter of its role, and what it does.
    """
    paper = Pil.fromarray(_blank().copy())
    draw = ImageDraw.Draw(paper)
    for row, (index, letter, action) in enumerate(roster):
        top = ROSTER_PX + row * ROW_PX
        name = f"{index}  {CALL_SIGNS[index]}"
        draw.text((PANEL_PX + 34, top + 1), name, fill=PAPER, font=font(13, bold=True))
        doing = f"{ROLES[letter]}, {action}"
        ink = ORDERS.get(action, FAINT)
        draw.text((PANEL_PX + 34, top + 17), doing, fill=ink, font=font(11))
    finished = np.array(paper)
    for row, (_, letter, action) in enumerate(roster):
        at = (PANEL_PX + 14.0, ROSTER_PX + row * ROW_PX + 15.0)
        sprites.blend(finished, sprites.unit(letter, action), at)
    return finished


@cache
def _blank() -> Pixels:
    paper = Pil.new("RGB", (WIDTH_PX, HEIGHT_PX), BACK)
    draw = ImageDraw.Draw(paper)
    draw.rectangle((0, 0, WIDTH_PX, STRIP_PX), fill=STRIP)
    draw.line((0, STRIP_PX, WIDTH_PX, STRIP_PX), fill=EDGE)
    box = (LEFT_PX - 1, TOP_PX - 1, LEFT_PX + SIDE_PX, TOP_PX + SIDE_PX)
    draw.rectangle(box, outline=EDGE)
    for value in range(0, int(MAP_SIZE) + 1, 20):
        column, row = to_px(value, value)
        below, beside = (column, TOP_PX + SIDE_PX + 10), (LEFT_PX - 5, row)
        draw.text(below, str(value), fill=FAINT, font=font(10), anchor="mm")
        draw.text(beside, str(value), fill=FAINT, font=font(10), anchor="rm")
    for (x, y), name in (((90, -2.5), "x →"), ((-3.5, 90), "y"), ((-3.5, 86.5), "↑")):
        draw.text(to_px(x, y), name, fill=ACCENT, font=font(10, bold=True), anchor="mm")
    _heading(draw, 44, "SQUAD")
    _heading(draw, LEGEND_PX - 18, "LEGEND")
    _compass(draw, PANEL_PX + 34, HEIGHT_PX - 46)
    _scale(draw, PANEL_PX + 72, HEIGHT_PX - 34)
    rows = range(LEGEND_PX, HEIGHT_PX, ITEM_PX)
    for row, (name, _) in zip(rows, _legend(), strict=False):
        draw.text((PANEL_PX + 34, row + 11), name, fill=PAPER, font=font(11), anchor="lm")
    finished = np.array(paper)
    for row, (_, symbol) in zip(rows, _legend(), strict=False):
        sprites.blend(finished, symbol, (PANEL_PX + 14.0, row + 11.0))
    return finished


def _legend() -> list[tuple[str, sprites.Sprite]]:
    return [
        ("marked objective", sprites.mark("A", "visible", False)),
        ("discovered one", sprites.mark("B", "hidden", False)),
        ("late one", sprites.mark("C", "late", False)),
        ("complete", sprites.mark("D", "visible", True)),
        ("threat in sight", sprites.foe(True)),
        ("threat seen earlier", sprites.foe(False)),
    ]


def _heading(draw: ImageDraw.ImageDraw, top: int, text: str) -> None:
    draw.text((PANEL_PX, top), text, fill=ACCENT, font=font(11, bold=True), anchor="lm")
    start = PANEL_PX + font(11, bold=True).getlength(text) + 8
    draw.line((start, top, WIDTH_PX - 10, top), fill=EDGE)


def _compass(draw: ImageDraw.ImageDraw, x: int, y: int) -> None:
    draw.polygon([(x, y - 17), (x - 6, y), (x + 6, y)], fill=sprites.FOE)
    draw.polygon([(x, y + 17), (x - 6, y), (x + 6, y)], fill=FAINT)
    for name, dx, dy in (("N", 0, -25), ("S", 0, 25), ("W", -16, 0), ("E", 16, 0)):
        draw.text((x + dx, y + dy), name, fill=PAPER, font=font(10, bold=True), anchor="mm")


def _scale(draw: ImageDraw.ImageDraw, left: int, y: int) -> None:
    width = round(SCALE_UNITS * PX_PER_UNIT)
    draw.line((left, y, left + width, y), fill=PAPER, width=2)
    for x in (left, left + width):
        draw.line((x, y - 4, x, y + 4), fill=PAPER, width=2)
    at = (left + width / 2, y - 11)
    draw.text(at, f"{SCALE_UNITS} units", fill=PAPER, font=font(10), anchor="mm")


@lru_cache(maxsize=256)
def strip(round_: int, rounds: int, score: float) -> Pixels:
    """The strip above the map: rounds played and left, and the score."""
    paper = Pil.new("RGB", (WIDTH_PX, STRIP_PX), STRIP)
    draw = ImageDraw.Draw(paper)
    bold, middle = font(12, bold=True), STRIP_PX / 2
    draw.text((10, middle), "PHANTOM SOLDIERS", fill=ACCENT, font=bold, anchor="lm")
    draw.text((168, middle), f"ROUND {round_} / {rounds}", fill=PAPER, font=bold, anchor="lm")
    _bar(draw, 296, round_ / rounds, ORDERS["recon"])
    draw.text((432, middle), f"SCORE {score:.1f} / 100", fill=PAPER, font=bold, anchor="lm")
    _bar(draw, PANEL_PX + 98, score / 100, ORDERS["defend"], 68)
    return np.array(paper)


def _bar(
    draw: ImageDraw.ImageDraw, left: int, share: float, fill: Colour, width: int = 118
) -> None:
    top, bottom = STRIP_PX // 2 - 4, STRIP_PX // 2 + 4
    draw.rounded_rectangle((left, top, left + width, bottom), 4, fill=INK, outline=EDGE)
    filled = round((width - 4) * min(1.0, max(0.0, share)))
    if filled > 3:
        draw.rounded_rectangle((left + 2, top + 2, left + 2 + filled, bottom - 2), 2, fill=fill)
