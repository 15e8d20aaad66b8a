"""Candy: what the player sees, and the swaps it may answer with."""

from __future__ import annotations

import json
import math
import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from PIL import ImageDraw

from polyathlon.core.actions import Malformed, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.lmgame.candy.rules import CANDIES, Rules, Swap, grid
from polyathlon.media.drawing import SUPERSAMPLE, Colour, canvas, caption, font

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

WIDTH_PX, HEIGHT_PX = 400, 400
BOARD_PX = 336
LEFT_PX, TOP_PX = 32, 30
BACK: Colour = (38, 34, 56)
CELLS: tuple[Colour, Colour] = ((62, 57, 86), (70, 65, 97))
PALE: Colour = (196, 192, 216)
LIGHT: Colour = (252, 252, 255)
DARK: Colour = (34, 30, 48)


class Look(msgspec.Struct, frozen=True):
    """How one candy is drawn: a polygon around the centre of a unit cell, or a disc."""

    fill: Colour
    ink: Colour
    corners: tuple[tuple[float, float], ...] = ()
    text_dy: float = 0.0


def _ring(count: int, radius: float, turn: float = -0.25) -> tuple[tuple[float, float], ...]:
    angles = [2 * math.pi * (turn + k / count) for k in range(count)]
    return tuple((radius * math.cos(a), radius * math.sin(a)) for a in angles)


def _star(points: int, outer: float, inner: float) -> tuple[tuple[float, float], ...]:
    tips, dents = _ring(points, outer), _ring(points, inner, -0.25 + 0.5 / points)
    return tuple(corner for pair in zip(tips, dents, strict=True) for corner in pair)


LOOKS: dict[str, Look] = {
    "G": Look((74, 176, 92), DARK),
    "C": Look((64, 200, 222), DARK, _ring(4, 0.43)),
    "P": Look((138, 84, 206), LIGHT, _ring(4, 0.50, -0.125)),
    "R": Look((218, 62, 72), LIGHT, ((0.0, -0.40), (0.43, 0.34), (-0.43, 0.34)), 0.10),
    "Y": Look((246, 204, 66), DARK, _star(6, 0.44, 0.31)),
    "W": Look((236, 232, 240), DARK, _ring(6, 0.42)),
}

Scene: TypeAlias = tuple[str, int, int, int, bool | None]
_EFFECT = {None: "none yet", True: "yes", False: "no"}


class Swaps(msgspec.Struct, frozen=True, dict=True):
    """Every swap of two neighbours, `((r1, c1), (r2, c2))` with the smaller cell first."""

    rows: int
    cols: int

    @cached_property
    def all(self) -> tuple[Swap, ...]:
        """The swaps in reading order: 112 on a board of 8x8."""
        return tuple(grid(self.rows, self.cols).swaps)

    def parse(self, text: str) -> Swap | Malformed:
        cleaned = tidy(text)
        numbers = [int(number) for number in _NUMBER.findall(cleaned)]
        if len(numbers) != 4 or _BETWEEN.sub("", _NUMBER.sub("", cleaned)):
            return Malformed(f"not a swap; answer {self.describe()}", text)
        r1, c1, r2, c2 = numbers
        first, second = sorted(((r1, c1), (r2, c2)))
        if (first, second) in grid(self.rows, self.cols).swaps:
            return first, second
        if not all(0 <= r < self.rows and 0 <= c < self.cols for r, c in (first, second)):
            size = f"rows 0 to {self.rows - 1} and columns 0 to {self.cols - 1}"
            return Malformed(f"a cell is off the board, which has {size}", text)
        return Malformed("the two cells do not share a side", text)

    def write(self, action: Swap) -> str:
        (r1, c1), (r2, c2) = sorted(action)
        return f"(({r1},{c1}),({r2},{c2}))"

    def sample(self, rng: Stream) -> Swap:
        return self.all[rng.below(len(self.all))]

    def describe(self) -> str:
        return (
            "((r1,c1),(r2,c2)): two cells that share a side, row first, "
            f"rows 0 to {self.rows - 1}, columns 0 to {self.cols - 1}"
        )

    def schema(self) -> JSON:
        return {"type": "string", "enum": [self.write(swap) for swap in self.all]}

    def gbnf(self) -> str:
        return " | ".join(json.dumps(self.write(swap)) for swap in self.all)

    def from_point(self, channel: str, x: float, y: float) -> Swap | None:
        """The swap across the edge nearest to a click on the board."""
        cell = _cell_px(self.rows, self.cols)
        col, row = (x * WIDTH_PX - LEFT_PX) / cell - 0.5, (y * HEIGHT_PX - TOP_PX) / cell - 0.5
        if not (-0.5 <= row <= self.rows - 0.5 and -0.5 <= col <= self.cols - 0.5):
            return None

        def distance(swap: Swap) -> float:
            (r1, c1), (r2, c2) = swap
            return (row - (r1 + r2) / 2) ** 2 + (col - (c1 + c2) / 2) ** 2

        return min(self.all, key=distance)


_NUMBER = re.compile(r"-?[0-9]{1,4}")
_BETWEEN = re.compile(r"swap|with|and|to|[-=<>→↔\s,;:()\[\]{}]", re.IGNORECASE)


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    left = rules.moves - rules.turns
    scene: Scene = (rules.board, rules.grid.cols, rules.eliminated, left, rules.effective)
    return (Percept("board", "image", scene, draw, tell),)


def actions(rules: Rules, role: Role) -> Swaps:
    return _swaps(rules.grid.rows, rules.grid.cols)


def tell(scene: Scene) -> str:
    """Column numbers, rows of letters, candies eliminated, moves left, what the last swap did."""
    board, cols, eliminated, left, effective = scene
    return (
        f"{_table(board, cols)}\neliminated {eliminated}, moves left {left}, "
        f"last swap effective: {_EFFECT[effective]}"
    )


def read(text: str) -> Scene:
    """The scene that `tell` wrote: its inverse. Raises ValueError for any other text."""
    match = _TOLD.fullmatch(text)
    if match is None:
        raise ValueError("not a candy board")
    header, table, eliminated, left, word = match.groups()
    rows = [line.split("|")[1].split() for line in table.splitlines()]
    effective = next(key for key, name in _EFFECT.items() if name == word)
    board, cols = "".join("".join(row) for row in rows), len(header.split())
    scene: Scene = (board, cols, int(eliminated), int(left), effective)
    if tell(scene) != text:
        raise ValueError("not a candy board: rows differ in length or are out of order")
    return scene


_TOLD = re.compile(
    rf"([ 0-9]+)\n((?:[0-9]\|(?: [{CANDIES}])+\n)+)"
    r"eliminated ([0-9]+), moves left ([0-9]+), last swap effective: (none yet|yes|no)"
)


def draw(scene: Scene) -> Image:
    """The board as a 400x400 picture with moves left below. Scores are not drawn."""
    board, cols, _, left, _ = scene
    rows = len(board) // cols
    cell = _cell_px(rows, cols)
    strips = [_strip(board[r * cols : (r + 1) * cols], r, cell) for r in range(rows)]
    footer = _footer(left, HEIGHT_PX - TOP_PX - rows * cell)
    return Image(WIDTH_PX, HEIGHT_PX, b"".join([_header(cols, cell), *strips, footer]))


@lru_cache(maxsize=64)
def _swaps(rows: int, cols: int) -> Swaps:
    return Swaps(rows, cols)


@lru_cache(maxsize=256)
def _table(board: str, cols: int) -> str:
    header = "   " + " ".join(map(str, range(cols)))
    starts = range(0, len(board), cols)
    rows = [f"{r}| {' '.join(board[i : i + cols])}" for r, i in enumerate(starts)]
    return "\n".join([header, *rows])


def _cell_px(rows: int, cols: int) -> int:
    return BOARD_PX // max(rows, cols)


@lru_cache(maxsize=16)
def _header(cols: int, cell_px: int) -> bytes:
    strip = canvas(WIDTH_PX, TOP_PX, BACK)
    for c in range(cols):
        _centred(strip, str(c), 16, LEFT_PX + c * cell_px + cell_px // 2, TOP_PX // 2)
    return strip.tobytes()


@lru_cache(maxsize=256)
def _strip(letters: str, row: int, cell_px: int) -> bytes:
    """One row of the board with its number: the pixels of `cell_px` whole lines."""
    strip = canvas(WIDTH_PX, cell_px, BACK)
    _centred(strip, str(row), 16, LEFT_PX // 2, cell_px // 2)
    for c, letter in enumerate(letters):
        strip.paste(_sprite(letter, cell_px, (row + c) % 2), (LEFT_PX + c * cell_px, 0))
    return strip.tobytes()


@lru_cache(maxsize=64)
def _footer(left: int, height_px: int) -> bytes:
    strip = canvas(WIDTH_PX, height_px, BACK)
    _centred(strip, f"moves left: {left}", 18, WIDTH_PX // 2, 17)
    return strip.tobytes()


def _centred(strip: Picture, text: str, size_px: int, x: int, y: int) -> None:
    label = caption(text, size_px, PALE, BACK)
    strip.paste(label, (x - label.width // 2, y - label.height // 2))


@lru_cache(maxsize=128)
def _sprite(letter: str, cell_px: int, shade: int) -> Picture:
    """A cached candy on its cell: its own shape and colour with its letter."""
    look, size = LOOKS[letter], cell_px * SUPERSAMPLE
    sprite = canvas(size, size, CELLS[shade])
    pen = ImageDraw.Draw(sprite)
    _shape(pen, look, size, 1.0, _mixed(look.fill, DARK, 0.45))
    _shape(pen, look, size, 0.90, look.fill)
    face = font(round(size * 0.34), bold=True)
    centre = (size / 2, size * (0.5 + look.text_dy))
    pen.text(centre, letter, fill=look.ink, font=face, anchor="mm")
    return sprite.reduce(SUPERSAMPLE)


def _shape(pen: ImageDraw.ImageDraw, look: Look, size: int, scale: float, fill: Colour) -> None:
    if not look.corners:
        pen.circle((size / 2, size / 2), size * 0.40 * scale, fill)
        return
    corners = [(size * (0.5 + scale * x), size * (0.5 + scale * y)) for x, y in look.corners]
    pen.polygon(corners, fill)


def _mixed(colour: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue
