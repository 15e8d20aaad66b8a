"""Tetrominoes and the well as bit boards: where a piece fits, turns, falls and clears rows."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

Rows: TypeAlias = tuple[str, ...]
Cells: TypeAlias = tuple[tuple[int, int], ...]

BLANK = "."
BOXES: dict[str, Rows] = {
    "I": ("....", "####", "....", "...."),
    "O": ("##", "##"),
    "T": (".#.", "###", "..."),
    "S": (".##", "##.", "..."),
    "Z": ("##.", ".##", "..."),
    "J": ("#..", "###", "..."),
    "L": ("..#", "###", "..."),
}
PIECES = tuple(BOXES)
SHIFTS = {"left": (0, -1), "right": (0, 1), "soft_drop": (1, 0)}
TURNS = {"rotate_left": -1, "rotate_right": 1}


class Active(NamedTuple):
    """The falling piece: its letter, quarter turns clockwise, and the top left of its box."""

    piece: str
    rotation: int
    row: int
    col: int


@lru_cache(maxsize=1 << 14)
def cells(active: Active) -> Cells:
    """The (row, column) of the four cells of a piece, top row first."""
    piece, rotation, row, col = active
    return tuple([(row + r, col + c) for r, c in rotations(piece)[rotation]])


@cache
def rotations(piece: str) -> tuple[Cells, ...]:
    """The cells of a piece in its box after 0, 1, ... quarter turns; one entry for the O."""
    box = BOXES[piece]
    filled = {(r, c) for r, row in enumerate(box) for c, mark in enumerate(row) if mark == "#"}
    turned: list[Cells] = []
    while (shape := tuple(sorted(filled))) not in turned:
        turned.append(shape)
        filled = {(c, len(box) - 1 - r) for r, c in filled}
    return tuple(turned)


def spawned(piece: str, width: int) -> Active:
    """A new piece: its box in the top row, centred, to the left where it cannot be even."""
    return Active(piece, 0, 0, (width - len(BOXES[piece])) // 2)


def painted(rows: Rows, active: Active, mark: str = "") -> Rows:
    """The rows with a piece drawn in by `mark`, by its letter unless given."""
    lines = list(rows)
    mark = mark or active.piece
    for r, c in cells(active):
        lines[r] = lines[r][:c] + mark + lines[r][c + 1 :]
    return tuple(lines)


class Grid:
    """The geometry of wells of one size.

    A board is an integer: cell (row, column) is bit (row + 1) * stride + column + 1. A wall
    column closes every row on both sides at once, because the bit left of a row is also the bit
    right of the row above it; a solid row closes the top and the bottom.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.stride = width + 1
        line = (1 << width) - 1
        self.lines = tuple(line << self._bit(row, 0) for row in range(height))
        self.inside = sum(self.lines)
        self.empty = (1 << self._bit(height + 1, 0)) - 1 & ~self.inside
        self._masks = {
            piece: tuple(
                sum(1 << r * self.stride + c for r, c in shape) for shape in rotations(piece)
            )
            for piece in PIECES
        }

    def _bit(self, row: int, col: int) -> int:
        return (row + 1) * self.stride + col + 1

    def bits(self, active: Active) -> int:
        """The four cells of a piece as a board without walls."""
        piece, rotation, row, col = active
        return self._masks[piece][rotation] << ((row + 1) * self.stride + col + 1)

    def pack(self, rows: Rows) -> int:
        """The board of rows of text; anything but a blank is a filled cell."""
        return self.empty | sum(
            1 << self._bit(r, c)
            for r, row in enumerate(rows)
            for c, mark in enumerate(row)
            if mark != BLANK
        )

    def fits(self, board: int, active: Active) -> bool:
        """Whether a piece collides with nothing."""
        return not self.bits(active) & board

    def moved(self, board: int, active: Active, command: str) -> Active:
        """The piece after a shift or a turn, without gravity; the same where it is refused."""
        piece, rotation, row, col = active
        if command in SHIFTS:
            down, right = SHIFTS[command]
            wanted = Active(piece, rotation, row + down, col + right)
        elif command in TURNS:
            turned = (rotation + TURNS[command]) % len(self._masks[piece])
            wanted = Active(piece, turned, row, col)
        else:
            return active
        return wanted if self.fits(board, wanted) else active

    def lowest(self, board: int, active: Active) -> Active:
        """The piece as far down as it falls."""
        bits = self.bits(active)
        rows = 0
        while not (bits := bits << self.stride) & board:
            rows += 1
        return active._replace(row=active.row + rows)

    def locked(self, board: int, active: Active) -> tuple[int, int]:
        """The board with the piece in it and full rows removed, and how many were."""
        board |= self.bits(active)
        full = [line for line in self.lines[active.row : active.row + 4] if board & line == line]
        for line in full:
            above = board & (line & -line) - 1 & self.inside
            board = board & ~line & ~above | above << self.stride
        return board, len(full)


@cache
def grid(width: int, height: int) -> Grid:
    """The geometry of a well, made once."""
    return Grid(width, height)
