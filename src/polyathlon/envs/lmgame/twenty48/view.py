"""2048: what the player sees."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product

from polyathlon.core.actions import Labels
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.lmgame.twenty48.rules import DIRECTIONS, Board, Row, Rules
from polyathlon.media.drawing import Colour, Pixels, canvas, composed, pixels, tile

SIZE_PX = 400
GAP_PX = 10
BACK: Colour = (70, 78, 98)
EMPTY: Colour = (92, 101, 124)
DARK: Colour = (36, 41, 54)
LIGHT: Colour = (250, 250, 252)
COLOURS: dict[int, Colour] = {
    2: (222, 231, 240),
    4: (183, 214, 232),
    8: (126, 190, 212),
    16: (86, 166, 178),
    32: (94, 158, 121),
    64: (142, 172, 79),
    128: (214, 178, 60),
    256: (229, 145, 56),
    512: (222, 105, 66),
    1024: (196, 70, 84),
    2048: (148, 58, 122),
}
HIGHER: Colour = (84, 50, 128)
ACTIONS = Labels(
    DIRECTIONS,
    points=(("up", 0.5, 0.0), ("down", 0.5, 1.0), ("left", 0.0, 0.5), ("right", 1.0, 0.5)),
)
Scene = tuple[Board, bool, int]


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    scene: Scene = (rules.board, rules.changed, rules.gain)
    return (Percept("board", "image", scene, draw, tell),)


def actions(rules: Rules, role: Role) -> Labels:
    return ACTIONS


def tell(scene: Scene) -> str:
    """Rows of values (0 is empty), the highest tile, empty cells, and what the last move did."""
    board, changed, gain = scene
    rows, highest, empty = "", 0, 0
    for index, row in enumerate(board):
        line, high, holes = _told(index, row)
        rows += line
        empty += holes
        if high > highest:
            highest = high
    moved = "yes" if changed else "no"
    return (
        f"{rows}max tile {highest}; empty {empty}; "
        f"last move changed the board: {moved}; gain {gain}"
    )


def draw(scene: Scene) -> Image:
    """The board as a 400x400 picture. Scores are not drawn."""
    board = scene[0]
    cell, margin = _layout(len(board))
    step = cell + GAP_PX
    return composed(
        _stage(len(board)),
        (
            (_sprite(value, cell), (margin + c * step, margin + r * step))
            for r, row in enumerate(board)
            for c, value in enumerate(row)
            if value
        ),
    )


def read(text: str) -> Board:
    """The board that `tell` wrote: its inverse. Raises ValueError for any other text."""
    rows = [line.split(":", 1)[1].split() for line in text.splitlines() if line.startswith("row ")]
    if not rows or any(len(row) != len(rows) for row in rows):
        raise ValueError("not a 2048 board")
    return tuple(tuple(int(value) for value in row) for row in rows)


@lru_cache(maxsize=1 << 14)
def _told(index: int, row: Row) -> tuple[str, int, int]:
    """A row as a line of words, its highest tile, and how many of its cells are empty."""
    return f"row {index}: {' '.join(map(str, row))}\n", max(row), row.count(0)


def _layout(count: int) -> tuple[int, int]:
    """The side of a cell and the margin around the board in pixels."""
    cell = (SIZE_PX - GAP_PX * (count + 1)) // count
    return cell, (SIZE_PX - cell * count - GAP_PX * (count - 1)) // 2


@cache
def _stage(count: int) -> Pixels:
    """The empty board."""
    cell, margin = _layout(count)
    paper = canvas(SIZE_PX, SIZE_PX, BACK)
    hole = tile(cell, cell, EMPTY, BACK, radius_px=8)
    places = range(margin, SIZE_PX - margin, cell + GAP_PX)
    for left, top in product(places, places):
        paper.paste(hole, (left, top))
    return pixels(paper)


@cache
def _sprite(value: int, cell_px: int) -> Pixels:
    ink = DARK if value <= 8 else LIGHT
    fill = COLOURS.get(value, HIGHER)
    return pixels(tile(cell_px, cell_px, fill, BACK, str(value), ink, radius_px=8))
