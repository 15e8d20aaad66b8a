"""The textures of the bomb: letters in several styles, keypad symbols, surfaces.

All text is put together of single letters, so every rule seed's words can be written with the
same few textures, which are made once in a process.
"""

from __future__ import annotations

import string
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw

from polyathlon.envs.gptnt.bomb import symbols
from polyathlon.envs.gptnt.bomb.looks.palette import COLOURS, GLASS, INK, Rgb
from polyathlon.media.drawing import font
from polyathlon.media.raster import Textures, surfaces

SIZE_PX = 512
FONT_PX = 46
ROW_PX = 64
GAP_PX = 10
LINE_EM = 1.2
"""Height of the part of a row that a letter's decal shows, about the middle of the capitals."""

CAPITAL_EM = 0.729
"""Height of a capital of DejaVu Sans Bold."""

LETTERS = string.ascii_letters + string.digits + " .,:;'?!/+-&()#"
_I_PX = 26.0
"""Width of the I, which has bars, unlike the font's own."""

SYMBOL_PX = 128
SYMBOLS_PER_ROW = SIZE_PX // SYMBOL_PX
SYMBOLS_PER_LAYER = SYMBOLS_PER_ROW**2

PAPERS = ("black", "blue", "red", "green")
"""The colours that white letters are painted on."""

PRINTED, GLOWING = 0, 1
PAINTED = {paper: 2 + number for number, paper in enumerate(PAPERS)}
METAL, WOOD, PLASTER = range(2 + len(PAPERS), 5 + len(PAPERS))
FIRST_SYMBOLS = PLASTER + 1

Pixels = NDArray[np.uint8]


class Glyph(NamedTuple):
    """A letter's place in the texture: left, top, right, bottom in 0..1; its width in em."""

    uv: tuple[float, float, float, float]
    width_em: float


@cache
def glyphs() -> dict[str, Glyph]:
    """Where every letter is, in rows from the top left."""
    face = font(FONT_PX, bold=True)
    margin = (ROW_PX - LINE_EM * FONT_PX) / 2
    places: dict[str, Glyph] = {}
    left, top = GAP_PX // 2, 0
    for letter in LETTERS:
        width = _I_PX if letter == "I" else face.getlength(letter)
        if left + width + GAP_PX / 2 > SIZE_PX:
            left, top = GAP_PX // 2, top + ROW_PX
        box = (
            left / SIZE_PX,
            (top + margin) / SIZE_PX,
            (left + width) / SIZE_PX,
            (top + ROW_PX - margin) / SIZE_PX,
        )
        places[letter] = Glyph(box, width / FONT_PX)
        left += round(width) + GAP_PX
    return places


def symbol_place(name: str) -> tuple[int, tuple[float, float, float, float]]:
    """The layer of a keypad symbol and its left, top, right, bottom there in 0..1."""
    layer, number = divmod(symbols.NAMES.index(name), SYMBOLS_PER_LAYER)
    row, column = divmod(number, SYMBOLS_PER_ROW)
    size = 1 / SYMBOLS_PER_ROW
    place = (column * size, row * size, (column + 1) * size, (row + 1) * size)
    return FIRST_SYMBOLS + layer, place


@cache
def textures() -> Textures:
    """All layers, in the order of the constants of this file."""
    ink = _letters()
    white = (255, 255, 255)
    layers = [_mixed(ink, INK, white), _mixed(ink, white, GLASS)]
    layers += [_mixed(ink, white, COLOURS[paper]) for paper in PAPERS]
    layers += [
        _tiled(surfaces.brushed_metal((236, 238, 240)), 4),
        _tiled(surfaces.wood((168, 118, 74), planks=4, size_px=256), 2),
        _tiled(surfaces.noise((214, 208, 196), contrast=0.06, cells=8), 4),
    ]
    layers += [_mixed(sheet, INK, white) for sheet in _symbols()]
    return Textures.of(layers)


def _letters() -> Pixels:
    """All letters, as the ink in every texel, 255 where it covers all.

    The zero has a stroke, unlike an O, and the I has bars, unlike an l or a 1.
    """
    face = font(FONT_PX, bold=True)
    paper = Pil.new("L", (SIZE_PX, SIZE_PX))
    draw = ImageDraw.Draw(paper)
    for letter, glyph in glyphs().items():
        left, top, right, bottom = (place * SIZE_PX for place in glyph.uv)
        x, y = (left + right) / 2, (top + bottom) / 2
        baseline = y + CAPITAL_EM / 2 * FONT_PX
        draw.text((round(x), round(baseline)), letter, fill=255, font=face, anchor="ms")
        if letter == "0":
            draw.line((x - 4, y + 8, x + 4, y - 8), fill=255, width=4)
        if letter == "I":
            top = baseline - CAPITAL_EM * FONT_PX
            for edge in (top, baseline - 6):
                draw.rectangle((left + 2, round(edge), right - 3, round(edge) + 5), fill=255)
    return np.asarray(paper)


def _symbols() -> list[Pixels]:
    """All keypad symbols, as the ink in every texel of their layers."""
    count = -(-len(symbols.NAMES) // SYMBOLS_PER_LAYER)
    sheets = [np.zeros((SIZE_PX, SIZE_PX), np.uint8) for _ in range(count)]
    for name in symbols.NAMES:
        layer, (left, top, _, _) = symbol_place(name)
        x, y = round(left * SIZE_PX), round(top * SIZE_PX)
        square = sheets[layer - FIRST_SYMBOLS][y : y + SYMBOL_PX, x : x + SYMBOL_PX]
        square[:] = symbols.mask(name, SYMBOL_PX)
    return sheets


def _mixed(ink: Pixels, letter: Rgb, paper: Rgb) -> Pixels:
    share = np.arange(256)[:, None] / 255
    colours = np.asarray(share * letter + (1 - share) * paper + 0.5, np.uint8)
    return colours[ink]


def _tiled(surface: Pixels, times: int) -> Pixels:
    return np.tile(surface, (times, times, 1))
