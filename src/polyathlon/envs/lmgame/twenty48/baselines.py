"""2048: the random player and the expectimax oracle.

The oracle rates a board by its tiles times weights that fall by `RATIO` along a path that winds
through the rows. Large tiles so line up along the path, and merges cascade back to its start.
Inside the search a board is bytes, row after row, of exponents; 0 is an empty cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.lmgame.twenty48.rules import DIRECTIONS, slide

RATIO = 4
TWO, FOUR = b"\1", b"\2"
TILES = ((TWO, 0.9), (FOUR, 0.1))
LEAST_PROBABILITY = 0.02


def random(observation: Observation, rng: Stream) -> str:
    """Uniform over the four directions, ineffective ones included."""
    return rng.choice(DIRECTIONS)


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The direction with the highest expected value; any does when none changes the board.

    Spawns are taken as the standard ones, nine 2s to one 4, and as 2s at the last move looked at.
    """
    rows = state["board"]
    board = exponents([value for row in rows for value in row])
    search = Search(len(rows))
    moves = search.moves(board)
    depth = moves_ahead(board.count(0))
    rated = {name: search.expected(after, 1.0, depth) for name, after in moves.items()}
    return max(rated, key=rated.__getitem__, default=DIRECTIONS[0])


def moves_ahead(empty: int) -> int:
    """How many moves after the next one are looked at: the more, the fuller the board."""
    if empty < 2:
        return 3
    return 2 if empty < 8 else 1


class Search:
    """Expectimax of one decision on boards of one size, with a table of boards seen."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._rows = tuple([slice(i * size, (i + 1) * size) for i in range(size)])
        self._columns = tuple([slice(i, None, size) for i in range(size)])
        self._seen: dict[tuple[bytes, int], float] = {}

    def moves(self, board: bytes) -> dict[str, bytes]:
        """What each direction makes of a board; only directions that change it."""
        rows, columns = self._lines(board)
        moved = {
            "up": self._transposed(map(pushed, columns)),
            "down": self._transposed(map(pulled, columns)),
            "left": b"".join(map(pushed, rows)),
            "right": b"".join(map(pulled, rows)),
        }
        return {direction: after for direction, after in moved.items() if after != board}

    def expected(self, board: bytes, probability: float, depth: int) -> float:
        """The mean value of a board over the next tile, `depth` more moves being looked at.

        What is less probable than `LEAST_PROBABILITY` is looked at one move ahead.
        """
        if probability < LEAST_PROBABILITY:
            depth = 1
        key = (board, depth)
        if key not in self._seen:
            empty = [i for i, tile in enumerate(board) if not tile]
            if depth == 1:
                self._seen[key] = self._expected_next(board, empty)
            else:
                self._seen[key] = self._expected(board, empty, probability, depth)
        return self._seen[key]

    def _expected(self, board: bytes, empty: list[int], probability: float, depth: int) -> float:
        total = 0.0
        for tile, chance in TILES:
            reached = probability * chance / len(empty)
            for i in empty:
                spawned = board[:i] + tile + board[i + 1 :]
                total += chance * self._best(spawned, reached, depth - 1)
        return total / len(empty)

    def _best(self, board: bytes, probability: float, depth: int) -> float:
        boards = self.moves(board).values()
        return max([self.expected(after, probability, depth) for after in boards], default=0.0)

    def _expected_next(self, board: bytes, empty: list[int]) -> float:
        """The mean over the next 2 of the value after the best move; 0 when none is left.

        A slide that keeps the value is taken to change nothing.
        """
        rows, columns = self._lines(board)
        sideways, upright = Slides(rows, 0), Slides(columns, self._size)
        total = 0
        for i in empty:
            r, c = divmod(i, self._size)
            still, left, right = sideways.totals_with(TWO, r, c)
            _, up, down = upright.totals_with(TWO, c, r)
            total += max([value for value in (left, right, up, down) if value != still], default=0)
        return total / len(empty)

    def _lines(self, board: bytes) -> tuple[list[bytes], list[bytes]]:
        return [board[part] for part in self._rows], [board[part] for part in self._columns]

    def _transposed(self, lines: Iterable[bytes]) -> bytes:
        board = b"".join(lines)
        return b"".join([board[part] for part in self._columns])


class Slides:
    """The values of a board slid along its parallel lines, for one more tile at a time.

    A tile changes one line, so the totals over the others are kept. `first` is the index of the
    first line in `slid_values`.
    """

    def __init__(self, lines: list[bytes], first: int) -> None:
        self._lines = lines
        self._first = first
        self._values = [slid_values(line, first + i) for i, line in enumerate(lines)]
        self._totals = [sum(values) for values in zip(*self._values, strict=True)]

    def totals_with(self, tile: bytes, index: int, at: int) -> tuple[int, int, int]:
        """The value of the board as it is, slid to the first cells, and slid to the last."""
        line = self._lines[index]
        still, low, high = slid_values(line[:at] + tile + line[at + 1 :], self._first + index)
        old_still, old_low, old_high = self._values[index]
        all_still, all_low, all_high = self._totals
        return all_still - old_still + still, all_low - old_low + low, all_high - old_high + high


@cache
def path_weights(size: int) -> tuple[int, ...]:
    """Weights of the cells, row after row: powers of `RATIO` that fall along the winding path."""
    path = [(r, c if r % 2 == 0 else size - 1 - c) for r in range(size) for c in range(size)]
    order = {cell: step for step, cell in enumerate(path)}
    return tuple([RATIO ** (size * size - 1 - order[cell]) for cell in sorted(path)])


@lru_cache(maxsize=1 << 18)
def slid_values(line: bytes, index: int) -> tuple[int, int, int]:
    """The value of a line as it is, slid to its first cell, and slid to its last.

    `index` counts the rows of the board and then its columns.
    """
    size = len(line)
    part = (
        slice(index * size, (index + 1) * size) if index < size else slice(index - size, None, size)
    )
    weights = path_weights(size)[part]
    still, left, right = (
        sum([weight << tile for weight, tile in zip(weights, each, strict=True) if tile])
        for each in (line, pushed(line), pulled(line))
    )
    return still, left, right


@lru_cache(maxsize=1 << 17)
def pushed(line: bytes) -> bytes:
    """A line of exponents slid towards its first cell."""
    values, _ = slide(tuple([1 << tile if tile else 0 for tile in line]))
    return exponents(values)


def pulled(line: bytes) -> bytes:
    """A line of exponents slid towards its last cell."""
    return pushed(line[::-1])[::-1]


def exponents(values: Iterable[int]) -> bytes:
    """Tile values as exponents of 2."""
    return bytes([value.bit_length() - 1 if value else 0 for value in values])
