"""2048: the state machine."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import chain
from typing import TypeAlias

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.world import Outcome, Role, Step

Row: TypeAlias = tuple[int, ...]
Board: TypeAlias = tuple[Row, ...]

DIRECTIONS = ("up", "down", "left", "right")
ROLE = "player"


@lru_cache(maxsize=1 << 16)
def slide(row: Row) -> tuple[Row, int]:
    """A row pushed towards its first cell, and the sum of the values it merged."""
    merged: list[int] = []
    gain, open_ = 0, False
    for value in row:
        if not value:
            continue
        if open_ and merged[-1] == value:
            merged[-1], open_ = 2 * value, False
            gain += 2 * value
        else:
            merged.append(value)
            open_ = True
    return (*merged, *[0] * (len(row) - len(merged))), gain


@lru_cache(maxsize=1 << 16)
def slide_back(row: Row) -> tuple[Row, int]:
    """A row pushed towards its last cell, and the sum of the values it merged."""
    slid, gain = slide(row[::-1])
    return slid[::-1], gain


def move(board: Board, direction: str) -> tuple[Board, int]:
    """The board after a slide, before the new tile, and the sum of merged values."""
    upright = direction in ("up", "down")
    push = slide if direction in ("up", "left") else slide_back
    lines: list[Row] = []
    gain = 0
    for line in zip(*board, strict=False) if upright else board:
        slid, gained = push(line)
        lines.append(slid)
        gain += gained
    return tuple(zip(*lines, strict=False) if upright else lines), gain


@cache
def _merged(gain: int) -> Step:
    return Step.ok({ROLE: float(gain)})


class Rules:
    """One game. Tiles hold their values; 0 is an empty cell."""

    def __init__(
        self, level: str, *, size: int, four_rate: float, stuck: int, horizon: int
    ) -> None:
        self._size = size
        self._four_rate = four_rate
        self._stuck = stuck
        self._horizon = horizon

    def reset(self, seed: int) -> None:
        self._rng = stream(seed, "lmgame/twenty48", "spawn")
        self.board: Board = ((0,) * self._size,) * self._size
        self.merged_sum = 0
        self.gain = 0
        self.changed = True
        self.turns = 0
        self.invalid = 0
        self.still = 0
        self._spawn()
        self._spawn()
        self._outcome = self._ending()

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self._outcome else (ROLE,)

    def act(self, role: Role, action: str | Malformed) -> Step:
        if self._outcome:
            return Step.illegal()
        self.turns += 1
        step = self._step(action)
        self._outcome = self._ending()
        return step

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return self._outcome

    def state(self) -> JSON:
        return {
            "board": self.board,
            "merged_sum": self.merged_sum,
            "gain": self.gain,
            "changed": self.changed,
            "turns": self.turns,
            "invalid": self.invalid,
            "still": self.still,
            "drawn": self._rng.drawn,
        }

    def _step(self, action: str | Malformed) -> Step:
        if isinstance(action, Malformed):
            self._unchanged()
            return Step.malformed({ROLE: 0.0})
        if action not in DIRECTIONS:
            self._unchanged()
            return Step.illegal({ROLE: 0.0})
        after, gain = move(self.board, action)
        if after == self.board:
            self._unchanged()
            return Step.ineffective({ROLE: 0.0})
        self.board, self.gain, self.changed, self.still = after, gain, True, 0
        self.merged_sum += gain
        self._spawn()
        return _merged(gain)

    def _ending(self) -> Outcome | None:
        if self.still >= self._stuck:
            return Outcome("stuck")
        if not self._movable():
            return Outcome("no_moves")
        if self.turns >= self._horizon:
            return Outcome("horizon", truncated=True)
        return None

    def _unchanged(self) -> None:
        self.gain, self.changed = 0, False
        self.invalid += 1
        self.still += 1

    def _movable(self) -> bool:
        board = self.board
        for row in board:
            if 0 in row:
                return True
        return any(slide(row)[1] for row in board) or any(
            slide(column)[1] for column in zip(*board, strict=True)
        )

    def _spawn(self) -> None:
        empty = [i for i, value in enumerate(chain.from_iterable(self.board)) if not value]
        r, c = divmod(empty[self._rng.below(len(empty))], self._size)
        value = 4 if self._rng.uniform() < self._four_rate else 2
        row = self.board[r]
        self.board = (*self.board[:r], (*row[:c], value, *row[c + 1 :]), *self.board[r + 1 :])
