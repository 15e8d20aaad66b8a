"""Tetris: the state machine."""

from __future__ import annotations

from collections.abc import Iterable

from polyathlon.core.actions import Malformed, Repeat
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.lmgame.tetris.pieces import (
    BLANK,
    PIECES,
    TURNS,
    Active,
    Rows,
    grid,
    painted,
    spawned,
)

HARD_DROP = "hard_drop"
COMMANDS = ("no_op", "left", "right", *TURNS, "soft_drop", HARD_DROP)
ROLE = "player"
LINE_SCORE = 10
SIZES = {"standard": (10, 20), "narrow": (6, 20), "wide": (14, 20), "low": (10, 12)}
LEAST_WIDTH, LEAST_HEIGHT = 4, 6


def size(level: str, width: int, height: int) -> tuple[int, int]:
    """Columns and rows of a well; 0 takes the level's. Raises UserError for one too small."""
    usual_width, usual_height = SIZES[level]
    chosen = (width or usual_width, height or usual_height)
    if chosen[0] < LEAST_WIDTH or chosen[1] < LEAST_HEIGHT:
        raise UserError(
            f"a well of {chosen[0]}x{chosen[1]} is too small: use at least width={LEAST_WIDTH} "
            f"and height={LEAST_HEIGHT}, or 0 for the level's"
        )
    return chosen


class Rules:
    """One game. `rows` holds the locked cells as letters, `board` the same as bits."""

    def __init__(
        self,
        level: str,
        *,
        width: int,
        height: int,
        preview: int,
        previews: str,
        gravity: bool,
        count_final_piece: bool,
        stuck: int,
        horizon: int,
    ) -> None:
        self.width, self.height = size(level, width, height)
        self.previews = previews
        self._grid = grid(self.width, self.height)
        self._preview = preview
        self.gravity = gravity
        self._count_final_piece = count_final_piece
        self._stuck = stuck
        self._horizon = horizon

    def reset(self, seed: int) -> None:
        self._rng = stream(seed, "lmgame/tetris", "bag")
        self.board = self._grid.empty
        self.rows: Rows = (BLANK * self.width,) * self.height
        self.queue = ""
        self.pieces = 0
        self.lines = 0
        self.topped_out = False
        self.turns = 0
        self.invalid = 0
        self.still = 0
        self.active = self._next_piece()

    @property
    def next(self) -> str:
        """The letters of the next pieces that are shown."""
        return self.queue[: self._preview]

    @property
    def score(self) -> int:
        """Pieces + 10 x lines (LMGame-Bench, raw score of Tetris)."""
        uncounted = self.topped_out and not self._count_final_piece
        return self.pieces - uncounted + LINE_SCORE * self.lines

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else (ROLE,)

    def act(self, role: Role, action: Iterable[Repeat] | Malformed) -> Step:
        if self.outcome():
            return Step.illegal()
        self.turns += 1
        if isinstance(action, Malformed):
            self._unchanged()
            return Step.malformed({ROLE: 0.0})
        before, score = (self.active, self.pieces), self.score
        for pair in action:
            self._repeat(pair)
        if (self.active, self.pieces) == before:
            self._unchanged()
            return Step.ineffective({ROLE: 0.0})
        self.still = 0
        return Step.ok({ROLE: float(self.score - score)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        if self.topped_out:
            return Outcome("topped_out")
        if self.still >= self._stuck:
            return Outcome("stuck")
        if self.turns >= self._horizon:
            return Outcome("horizon", truncated=True)
        return None

    def state(self) -> JSON:
        return {
            "rows": self.rows,
            "active": self.active,
            "queue": self.queue,
            "pieces": self.pieces,
            "lines": self.lines,
            "topped_out": self.topped_out,
            "gravity": self.gravity,
            "turns": self.turns,
            "invalid": self.invalid,
            "still": self.still,
            "drawn": self._rng.drawn,
        }

    def _unchanged(self) -> None:
        self.invalid += 1
        self.still += 1

    def _repeat(self, pair: Repeat) -> None:
        for _ in range(pair.times):
            if self.topped_out:
                return
            self._execute(pair.name)

    def _execute(self, command: str) -> None:
        if command == HARD_DROP:
            self.active = self._grid.lowest(self.board, self.active)
            self._lock()
            return
        self.active = self._grid.moved(self.board, self.active, command)
        if self.gravity:
            self._fall()

    def _fall(self) -> None:
        below = self._grid.moved(self.board, self.active, "soft_drop")
        if below is self.active:
            self._lock()
        else:
            self.active = below

    def _lock(self) -> None:
        self.board, cleared = self._grid.locked(self.board, self.active)
        self.rows = _cleared(painted(self.rows, self.active))
        self.pieces += 1
        self.lines += cleared
        self.active = self._next_piece()
        self.topped_out = not self._grid.fits(self.board, self.active)

    def _next_piece(self) -> Active:
        while len(self.queue) <= self._preview:
            bag = list(PIECES)
            self._rng.shuffle(bag)
            self.queue += "".join(bag)
        piece, self.queue = self.queue[0], self.queue[1:]
        return spawned(piece, self.width)


def _cleared(rows: Rows) -> Rows:
    kept = [row for row in rows if BLANK in row]
    return (*[BLANK * len(rows[0])] * (len(rows) - len(kept)), *kept)
