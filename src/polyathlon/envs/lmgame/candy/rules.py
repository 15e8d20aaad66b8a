"""Candy: the state machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.world import Outcome, Role, Step

Cell: TypeAlias = tuple[int, int]
Swap: TypeAlias = tuple[Cell, Cell]
Line: TypeAlias = tuple[int, int, int]

CANDIES = "GCPRYW"
ROLE = "player"


class Exchange(NamedTuple):
    """A swap of two flat indices.

    `beside_first` are the pairs of cells that stand in a line of three with the first cell and
    leave the second out; `beside_second` the other way round.
    """

    first: int
    second: int
    beside_first: tuple[tuple[int, int], ...]
    beside_second: tuple[tuple[int, int], ...]


class Grid(NamedTuple):
    """What follows from the size of a board: every line of three cells and every swap."""

    rows: int
    cols: int
    lines: tuple[Line, ...]
    swaps: Mapping[Swap, Exchange]


@cache
def grid(rows: int, cols: int) -> Grid:
    """The grid of a size. Cells are numbered row by row; a swap names its smaller cell first."""
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    across = [(i, i + 1, i + 2) for i, (_, c) in enumerate(cells) if c + 2 < cols]
    down = [(i, i + cols, i + 2 * cols) for i, (r, _) in enumerate(cells) if r + 2 < rows]
    lines = (*across, *down)
    pairs = [((r, c), (r, c + 1)) for r, c in cells if c + 1 < cols]
    pairs += [((r, c), (r + 1, c)) for r, c in cells if r + 1 < rows]

    def beside(cell: int, without: int) -> tuple[tuple[int, int], ...]:
        through = [line for line in lines if cell in line and without not in line]
        rests = [[other for other in line if other != cell] for line in through]
        return tuple((a, b) for a, b in rests)

    def exchange(swap: Swap) -> Exchange:
        first, second = (r * cols + c for r, c in swap)
        return Exchange(first, second, beside(first, second), beside(second, first))

    return Grid(rows, cols, lines, {swap: exchange(swap) for swap in sorted(pairs)})


def effective(cells: Sequence[str], exchange: Exchange) -> bool:
    """Whether an exchange makes a line, on a board that holds none."""
    first, second = cells[exchange.first], cells[exchange.second]
    if first == second:
        return False
    for a, b in exchange.beside_second:
        if cells[a] == first == cells[b]:
            return True
    return any(cells[a] == second == cells[b] for a, b in exchange.beside_first)


def matched(cells: Sequence[str], lines: Sequence[Line]) -> set[int]:
    """The cells that stand in a line of three or more of a kind."""
    found: set[int] = set()
    for a, b, c in lines:
        if cells[a] == cells[b] == cells[c]:
            found.update((a, b, c))
    return found


def settle(cells: list[str], board: Grid, refill: Callable[[], str]) -> int:
    """Remove lines, let candies fall and refill from above until no line is left.

    Changes `cells`; columns are refilled from left to right, each from the top. Returns how many
    candies were removed, cascades included.
    """
    removed = 0
    while gone := matched(cells, board.lines):
        removed += len(gone)
        for column in sorted({cell % board.cols for cell in gone}):
            kept = [cells[i] for i in range(column, len(cells), board.cols) if i not in gone]
            fresh = [refill() for _ in range(board.rows - len(kept))]
            cells[column :: board.cols] = fresh + kept
    return removed


def exchanged(cells: Sequence[str], exchange: Exchange) -> list[str]:
    """The candies after an exchange, before anything is removed."""
    after = list(cells)
    first, second = exchange.first, exchange.second
    after[first], after[second] = after[second], after[first]
    return after


class Rules:
    """One game. `board` holds a letter of CANDIES for every cell, row by row."""

    def __init__(
        self, level: str, *, rows: int, cols: int, colours: int, moves: int, stuck: int
    ) -> None:
        self.grid = grid(rows, cols)
        self.moves = moves
        self._candies = CANDIES[:colours]
        self._stuck = stuck

    def reset(self, seed: int) -> None:
        self._rng = stream(seed, "lmgame/candy", "candies")
        self.eliminated = 0
        self.effective: bool | None = None
        self.turns = 0
        self.hits = 0
        self.invalid = 0
        self.still = 0
        cells = [self._refill() for _ in range(self.grid.rows * self.grid.cols)]
        settle(cells, self.grid, self._refill)
        self.board = self._playable(cells)

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else (ROLE,)

    def act(self, role: Role, action: Swap | Malformed) -> Step:
        if self.outcome():
            return Step.illegal()
        self.turns += 1
        if isinstance(action, Malformed):
            self._unchanged(invalid=True)
            return Step.malformed({ROLE: 0.0})
        exchange = self.grid.swaps.get(action)
        if exchange is None:
            self._unchanged(invalid=True)
            return Step.illegal({ROLE: 0.0})
        if not effective(self.board, exchange):
            self._unchanged(invalid=False)
            return Step.ineffective({ROLE: 0.0})
        cells = exchanged(self.board, exchange)
        removed = settle(cells, self.grid, self._refill)
        self.board = self._playable(cells)
        self.eliminated += removed
        self.effective, self.still = True, 0
        self.hits += 1
        return Step.ok({ROLE: float(removed)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        if self.turns >= self.moves:
            return Outcome("moves")
        if self.still >= self._stuck:
            return Outcome("stuck")
        return None

    def state(self) -> JSON:
        cols = self.grid.cols
        return {
            "board": [self.board[i : i + cols] for i in range(0, len(self.board), cols)],
            "eliminated": self.eliminated,
            "effective": self.effective,
            "turns": self.turns,
            "hits": self.hits,
            "invalid": self.invalid,
            "still": self.still,
            "drawn": self._rng.drawn,
        }

    def _refill(self) -> str:
        return self._rng.choice(self._candies)

    def _playable(self, cells: list[str]) -> str:
        """The board, shuffled as often as it takes for a swap to make a line. Scores nothing."""
        while not any(effective(cells, exchange) for exchange in self.grid.swaps.values()):
            self._rng.shuffle(cells)
            settle(cells, self.grid, self._refill)
        return "".join(cells)

    def _unchanged(self, invalid: bool) -> None:
        self.effective = False
        self.invalid += invalid
        self.still += 1
