"""Tetris: what the player sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from operator import add
from typing import NamedTuple, TypeAlias

from PIL import Image as Pil

from polyathlon.core.actions import Repeats
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.lmgame.tetris.pieces import (
    BLANK,
    PIECES,
    Active,
    Rows,
    cells,
    painted,
    rotations,
)
from polyathlon.envs.lmgame.tetris.rules import COMMANDS, Rules
from polyathlon.media.drawing import Colour, Pixels, canvas, caption, composed, pixels, tile

ACTIONS = Repeats(COMMANDS, most=10, length=10)
LINES_PER_LEVEL = 10

WIDTH_PX, HEIGHT_PX = 400, 440
MARGIN_PX = 18
WELL_PX = (258, HEIGHT_PX - 2 * MARGIN_PX)
PANEL_LEFT_PX, PANEL_WIDTH_PX = 286, WIDTH_PX - 286 - MARGIN_PX
NEXT_TOP_PX, NEXT_CELL_PX, NEXT_SLOT_PX = MARGIN_PX + 26, 15, 40
COUNTS = {"PIECES": 300, "LINES": 344, "LEVEL": 388}
BACK: Colour = (37, 42, 58)
EDGE: Colour = (112, 122, 150)
EMPTY: Colour = (20, 23, 34)
GRID: Colour = (34, 39, 54)
INK: Colour = (240, 243, 250)
FAINT: Colour = (150, 160, 186)
COLOURS: dict[str, Colour] = {
    "I": (70, 190, 214),
    "O": (236, 200, 72),
    "T": (166, 104, 206),
    "S": (104, 188, 92),
    "Z": (222, 84, 84),
    "J": (82, 118, 220),
    "L": (236, 146, 62),
}


class Well(NamedTuple):
    """What there is to see. `rows` are the locked cells; `active` is None when the game is over."""

    rows: Rows
    active: Active | None
    next: str
    pieces: int
    lines: int

    @property
    def level(self) -> int:
        """1, and one more for every ten rows cleared; it changes no rule."""
        return 1 + self.lines // LINES_PER_LEVEL


Scene: TypeAlias = tuple[Well, str]


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    active = None if rules.topped_out else rules.active
    well = Well(rules.rows, active, rules.next, rules.pieces, rules.lines)
    return (Percept("board", "image", (well, rules.previews), draw, tell),)


def actions(rules: Rules, role: Role) -> Repeats:
    return ACTIONS


def tell(scene: Scene) -> str:
    """The rows with the active piece in them, that piece, its other rotations, and the counts.

    A rotation is told by the top and bottom row of each of its columns (`previews` is
    `profile`), by the rows it would make (`full`), or not at all (`off`).
    """
    well, previews = scene
    active = well.active
    if active is None:
        lines = [*_numbered(well.rows), "active none"]
    else:
        lines = [*_numbered(painted(well.rows, active)), _active(active)]
        if previews != "off":
            lines += _previews(well.rows, active, previews == "full")
    lines.append(f"next: {', '.join(well.next) or 'hidden'}")
    lines.append(f"placed {well.pieces}, lines {well.lines}, level {well.level}")
    return "\n".join(lines)


_ROW = re.compile(r"^row +\d+: ([.A-Z]+)$", re.MULTILINE)
_ACTIVE = re.compile(
    r"^active (?:none|(\w) rotation (\d) at rows (\d+)-\d+, cols (\d+)-\d+)$", re.MULTILINE
)
_NEXT = re.compile(r"^next: (?:hidden|([A-Z](?:, [A-Z])*))$", re.MULTILINE)
_COUNTS = re.compile(r"^placed (\d+), lines (\d+), level \d+$", re.MULTILINE)


def read(text: str) -> Well:
    """The well that `tell` wrote: its inverse. Raises ValueError for any other text."""
    rows = tuple(_ROW.findall(text))
    found, shown, counts = _ACTIVE.search(text), _NEXT.search(text), _COUNTS.search(text)
    if len({len(row) for row in rows}) != 1 or not found or not shown or not counts:
        raise ValueError("not a Tetris well")
    active = _placed(found) if found[1] else None
    if active is not None:
        rows = painted(rows, active, BLANK)
    return Well(rows, active, (shown[1] or "").replace(", ", ""), int(counts[1]), int(counts[2]))


def _placed(found: re.Match[str]) -> Active:
    piece, rotation = found[1], int(found[2])
    if piece not in PIECES or rotation >= len(rotations(piece)):
        raise ValueError(f"there is no piece {piece} with rotation {rotation}")
    shape = rotations(piece)[rotation]
    top, left = shape[0][0], min(c for _, c in shape)
    return Active(piece, rotation, int(found[3]) - top, int(found[4]) - left)


def _numbered(rows: Rows) -> list[str]:
    return list(map(add, _row_heads(len(rows)), rows))


@cache
def _row_heads(count: int) -> tuple[str, ...]:
    return tuple([f"row {r:2}: " for r in range(count)])


@lru_cache(maxsize=1 << 14)
def _active(active: Active) -> str:
    rows, cols = zip(*cells(active), strict=True)
    place = f"rows {min(rows)}-{max(rows)}, cols {min(cols)}-{max(cols)}"
    return f"active {active.piece} rotation {active.rotation} at {place}"


def _previews(rows: Rows, active: Active, full: bool) -> list[str]:
    lines: list[str] = []
    for turned in _others(active):
        if not _fits(rows, turned):
            lines.append(f"rotation {turned.rotation}: would collide")
        elif full:
            shown = "\n  ".join(painted(rows, turned))
            lines.append(f"rotation {turned.rotation}:\n  {shown}")
        else:
            lines.append(_profile(turned))
    return lines


@lru_cache(maxsize=1 << 14)
def _others(active: Active) -> tuple[Active, ...]:
    turned = [active._replace(rotation=n) for n in range(len(rotations(active.piece)))]
    return tuple([other for other in turned if other != active])


def _fits(rows: Rows, active: Active) -> bool:
    height, width = len(rows), len(rows[0])
    for r, c in cells(active):
        if r >= height or not 0 <= c < width or rows[r][c] != BLANK:
            return False
    return True


@lru_cache(maxsize=1 << 14)
def _profile(active: Active) -> str:
    columns: dict[int, list[int]] = {}
    for r, c in cells(active):
        columns.setdefault(c, []).append(r)
    spans = [f"{min(columns[c])}-{max(columns[c])}" for c in sorted(columns)]
    place = f"cols {min(columns)}-{max(columns)}, rows {' '.join(spans)}"
    return f"rotation {active.rotation}: {place}"


def draw(scene: Scene) -> Image:
    """The well and its side panel as a 400x440 picture. Scores are not drawn."""
    well = scene[0]
    height, width = len(well.rows), len(well.rows[0])
    return composed(_stage(width, height), _sprites(well, *_layout(width, height)))


def _sprites(
    well: Well, cell: int, left: int, top: int
) -> Iterator[tuple[Pixels, tuple[int, int]]]:
    for r, row in enumerate(well.rows):
        if row.strip(BLANK):
            yield _row_pixels(row, cell), (left, top + r * cell)
    if well.active is not None:
        for r, c in cells(well.active):
            yield _falling_pixels(well.active.piece, cell), (left + c * cell, top + r * cell)
    yield _queue_pixels(well.next), (PANEL_LEFT_PX, NEXT_TOP_PX)
    counts = (well.pieces, well.lines, well.level)
    for value, label_top in zip(counts, COUNTS.values(), strict=True):
        yield _number_pixels(value), (PANEL_LEFT_PX, label_top + 18)


@lru_cache(maxsize=1 << 10)
def _row_pixels(row: str, cell_px: int) -> Pixels:
    return pixels(_strip(row, cell_px))


@lru_cache(maxsize=1 << 6)
def _falling_pixels(piece: str, cell_px: int) -> Pixels:
    return pixels(_block(piece, cell_px, True))


@lru_cache(maxsize=1 << 10)
def _queue_pixels(letters: str) -> Pixels:
    return pixels(_queue(letters))


@lru_cache(maxsize=1 << 10)
def _number_pixels(value: int) -> Pixels:
    return pixels(caption(str(value), 20, INK, BACK, bold=True))


def _layout(width: int, height: int) -> tuple[int, int, int]:
    """Cell size, left and top of the well in pixels."""
    cell = min(WELL_PX[0] // width, WELL_PX[1] // height)
    left = MARGIN_PX + (WELL_PX[0] - cell * width) // 2
    top = MARGIN_PX + (WELL_PX[1] - cell * height) // 2
    return cell, left, top


@cache
def _stage(width: int, height: int) -> Pixels:
    """What never changes: the empty well with its frame, and the labels."""
    cell, left, top = _layout(width, height)
    stage = canvas(WIDTH_PX, HEIGHT_PX, BACK)
    stage.paste(EDGE, (left - 3, top - 3, left + cell * width + 2, top + cell * height + 2))
    for r in range(height):
        stage.paste(_strip(BLANK * width, cell), (left, top + r * cell))
    for label, label_top in {"NEXT": MARGIN_PX + 2, **COUNTS}.items():
        stage.paste(caption(label, 13, FAINT, BACK, bold=True), (PANEL_LEFT_PX, label_top))
    return pixels(stage)


def _strip(row: str, cell_px: int) -> Pil.Image:
    strip = canvas(cell_px * len(row), cell_px, EMPTY)
    for c, mark in enumerate(row):
        strip.paste(_block(mark, cell_px, False), (c * cell_px, 0))
    return strip


@lru_cache(maxsize=1 << 8)
def _block(mark: str, cell_px: int, falling: bool) -> Pil.Image:
    """A cell with its grid line to the right and below; the falling piece has a bright rim."""
    block = canvas(cell_px, cell_px, GRID)
    inner = cell_px - 1
    if mark == BLANK:
        block.paste(EMPTY, (0, 0, inner, inner))
        return block
    colour = COLOURS[mark]
    rim = INK if falling else _shaded(colour, 0.62)
    border = max(2, cell_px // 9)
    face = inner - 2 * border
    block.paste(tile(inner, inner, rim, EMPTY, radius_px=3), (0, 0))
    block.paste(tile(face, face, colour, rim, radius_px=2), (border, border))
    return block


def _shaded(colour: Colour, factor: float) -> Colour:
    red, green, blue = (int(part * factor) for part in colour)
    return red, green, blue


def _queue(letters: str) -> Pil.Image:
    panel = canvas(PANEL_WIDTH_PX, max(1, len(letters) * NEXT_SLOT_PX), BACK)
    for index, piece in enumerate(letters):
        shape = rotations(piece)[0]
        top = index * NEXT_SLOT_PX - shape[0][0] * NEXT_CELL_PX
        for r, c in shape:
            block = _block(piece, NEXT_CELL_PX, False)
            panel.paste(block, (c * NEXT_CELL_PX, top + r * NEXT_CELL_PX))
    return panel
