"""2048: the random player and the expectimax oracle.

Inside the search a board is bytes, row after row, of exponents (0 is an empty cell). Only the
sum over rows and columns rates a board, so a board and its transpose are worth the same, and a
vertical move may leave its result transposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.lmgame.twenty48.rules import DIRECTIONS, slide

FOUR_RATE = 0.1
LEAST_PROBABILITY = 0.01


def random(observation: Observation, rng: Stream) -> str:
    """Uniform over the four directions, ineffective ones included."""
    return rng.choice(DIRECTIONS)


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The direction with the highest expected value; `up` when none changes the board."""
    rows = state["board"]
    board = bytes([value.bit_length() - 1 if value else 0 for row in rows for value in row])
    search = Search(len(rows))
    moves = search.moves(board)
    if not moves:
        return DIRECTIONS[0]
    return max(moves, key=lambda direction: search.expected(moves[direction], 1.0, search.depth(board)))


class Search:
    """Expectimax over boards of one size, with a table of what it has seen (one decision)."""

    def __init__(self, size: int) -> None:
        self._rows = tuple(slice(i * size, (i + 1) * size) for i in range(size))
        self._columns = tuple(slice(i, None, size) for i in range(size))
        self._seen: dict[tuple[bytes, int], float] = {}

    def depth(self, board: bytes) -> int:
        empty = board.count(0)
        return 2 if empty < 4 else 1

    def moves(self, board: bytes) -> dict[str, bytes]:
        """The boards that slides lead to, vertical ones transposed; only those that differ."""
        rows = [board[part] for part in self._rows]
        columns = [board[part] for part in self._columns]
        upright = b"".join(columns)
        moved = {
            "up": b"".join(map(pushed, columns)),
            "down": b"".join(map(pulled, columns)),
            "left": b"".join(map(pushed, rows)),
            "right": b"".join(map(pulled, rows)),
        }
        return {
            direction: after
            for direction, after in moved.items()
            if after != (upright if direction in ("up", "down") else board)
        }

    def expected(self, board: bytes, probability: float, depth: int) -> float:
        """The mean value over the tiles that may appear now, `depth` moves being looked at."""
        if depth == 0 or probability < LEAST_PROBABILITY:
            return self.value(board)
        key = (board, depth)
        if key in self._seen:
            return self._seen[key]
        empty = [i for i, tile in enumerate(board) if not tile]
        share = probability / len(empty)
        total = 0.0
        for i in empty:
            head, tail = board[:i], board[i + 1:]
            total += (1 - FOUR_RATE) * self.best(head + b"\1" + tail, share * (1 - FOUR_RATE), depth - 1)
            total += FOUR_RATE * self.best(head + b"\2" + tail, share * FOUR_RATE, depth - 1)
        self._seen[key] = total / len(empty)
        return self._seen[key]

    def best(self, board: bytes, probability: float, depth: int) -> float:
        """The value of the best move; 0 when there is none."""
        rows = [board[part] for part in self._rows]
        columns = [board[part] for part in self._columns]
        value = 0.0
        for lines in (rows, columns):
            before = b"".join(lines)
            for move in (pushed, pulled):
                after = b"".join(map(move, lines))
                if after != before:
                    value = max(value, self.expected(after, probability, depth))
        return value

    def value(self, board: bytes) -> float:
        return sum([worth(board[p]) for p in self._rows]) + sum([worth(board[p]) for p in self._columns])


@cache
def pushed(line: bytes) -> bytes:
    """A line of exponents slid towards its first cell."""
    values, _ = slide(tuple([1 << tile if tile else 0 for tile in line]))
    return bytes([value.bit_length() - 1 if value else 0 for value in values])


@cache
def pulled(line: bytes) -> bytes:
    """A line of exponents slid towards its last cell."""
    return pushed(line[::-1])[::-1]


@cache
def worth(line: bytes) -> float:
    total=200000.0
    empty=line.count(0)
    merges=0; prev=0; counter=0
    s=sum(t**3.5 for t in line)
    for t in line:
        if t:
            if prev==t: counter+=1
            elif counter>0:
                merges+=1+counter; counter=0
            prev=t
    if counter>0: merges+=1+counter
    l=r=0.0
    for a,b in zip(line,line[1:]):
        if a>b: l+=a**4-b**4
        else: r+=b**4-a**4
    return total+270*empty+700*merges-47*min(l,r)-11*s
