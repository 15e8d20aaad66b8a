"""The manual as percepts: words and picture of each page in turn, on the reader's first turn."""

from __future__ import annotations

import msgspec

from polyathlon.core.parts import Image, Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.game import Game

A4_WIDTH = 210 / 297
LONG_SIDES_PX = {"640x480": 640, "504x504": 504, "448x448": 448}
"""Height of a page by the size of the bomb's pictures."""


class Sheet(msgspec.Struct, frozen=True):
    """A page of the manual of a rule seed, by its index, and its height as a picture."""

    rule_seed: int
    index: int
    height_px: int


def percepts(game: Game, role: Role) -> tuple[Percept, ...]:
    """The whole manual on the first turn of its reader; whoever plays keeps it from then on."""
    if role != game.reader() or game.turn(role):
        return ()
    from polyathlon.envs.gptnt.bomb.manual import pages

    seed, height_px = game.settings.rule_seed, LONG_SIDES_PX[game.settings.size]
    sheets = [Sheet(seed, index, height_px) for index in range(len(pages(seed)))]
    return tuple(percept for sheet in sheets for percept in _percepts(sheet))


def words(sheet: Sheet) -> str:
    """The words of a page."""
    from polyathlon.envs.gptnt.bomb.manual import pages

    return pages(sheet.rule_seed)[sheet.index].text


def write(sheet: Sheet) -> Part:
    """The words of a page as a part."""
    return Text(words(sheet))


def draw(sheet: Sheet) -> Image:
    """The picture of a page, A4 portrait."""
    from polyathlon.envs.gptnt.bomb.manual import page_image, pages

    page = pages(sheet.rule_seed)[sheet.index]
    return page_image(page, round(sheet.height_px * A4_WIDTH), sheet.height_px)


def _percepts(sheet: Sheet) -> tuple[Percept, Percept]:
    return (
        Percept("manual_text", "text", sheet, write, words, keep="episode"),
        Percept("manual_pages", "image", sheet, draw, keep="episode"),
    )
