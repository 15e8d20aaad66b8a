"""Sokoban: the state machine."""

from __future__ import annotations

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.lmgame.sokoban.rules.board import DIRECTIONS, Level, cells
from polyathlon.envs.lmgame.sokoban.rules.deadlock import deadlocked
from polyathlon.envs.lmgame.sokoban.rules.generator import generate
from polyathlon.envs.lmgame.sokoban.rules.levels import built_in, load

ROLE = "player"
PUSHES = tuple(f"push {direction}" for direction in DIRECTIONS)
NO_OP = "no_op"
MOVES = {name: (index % 4, index >= 4) for index, name in enumerate((*DIRECTIONS, *PUSHES))}
STEP_COST, BOX_REWARD, LEVEL_REWARD = 0.1, 1.0, 10.0


class Rules:
    """One episode: a sequence of levels, played until the first deadlock.

    `number` counts levels from 1; `still` counts the turns since the position last changed;
    `best` is the largest number of boxes of the current level that were on docks at once;
    `banked` is the score of the levels before it.
    """

    level: Level
    worker: int
    boxes: int
    best: int
    banked: int

    def __init__(
        self,
        level: str,
        *,
        text: str,
        auto_push: bool,
        deadlock: bool,
        search: int,
        stuck: int,
        horizon: int,
        rows: int,
        cols: int,
        boxes: int,
        file: str,
    ) -> None:
        self.text = text
        self.auto_push = auto_push
        self.deadlock = deadlock
        self._search = search
        self.stuck = stuck
        self.horizon = horizon
        self._size = (rows, cols, boxes)
        self._fixed = _chosen(level, file)

    def reset(self, seed: int) -> None:
        self.levels = self._fixed or (generate(seed, *self._size),)
        self.solved = 0
        self.banked = 0
        self.turns = 0
        self.invalid = 0
        self.still = 0
        self.effective: bool | None = None
        self._outcome: Outcome | None = None
        self._enter()

    @property
    def score(self) -> int:
        """Boxes on docks, summed over levels, without those that started there."""
        return self.banked + self.best - started_on_docks(self.level)

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
        if isinstance(action, Malformed):
            self._unchanged()
            return Step.malformed({ROLE: -STEP_COST})
        reward = self._move(action)
        if reward is None:
            self._unchanged()
            return Step.ineffective({ROLE: -STEP_COST})
        self.effective, self.still = True, 0
        self._cut()
        return Step.ok({ROLE: reward})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return self._outcome

    def state(self) -> JSON:
        level = self.level
        return {
            "map": level.map,
            "worker": level.place(self.worker),
            "boxes": [level.place(cell) for cell in cells(self.boxes)],
            "number": self.number,
            "levels": len(self.levels),
            "solved": self.solved,
            "banked": self.banked,
            "best": self.best,
            "effective": self.effective,
            "turns": self.turns,
            "invalid": self.invalid,
            "still": self.still,
            "outcome": self._outcome.reason if self._outcome else None,
        }

    def _unchanged(self) -> None:
        self.effective = False
        self.invalid += 1
        self.still += 1
        if self.still >= self.stuck:
            self._outcome = Outcome("stuck")
        self._cut()

    def _cut(self) -> None:
        if self.turns >= self.horizon and not self._outcome:
            self._outcome = Outcome("horizon", truncated=True)

    def _move(self, action: str) -> float | None:
        """The reward of an action, or None when it changes nothing."""
        if action not in MOVES:
            return None
        direction, pushing = MOVES[action]
        step = self.level.steps[direction]
        ahead = self.worker + step
        if self.boxes >> ahead & 1:
            return self._push(ahead, step) if pushing or self.auto_push else None
        if pushing or not self.level.floor >> ahead & 1:
            return None
        self.worker = ahead
        return -STEP_COST

    def _push(self, box: int, step: int) -> float | None:
        level = self.level
        left, taken = 1 << box, 1 << (box + step)
        if not taken & level.floor & ~self.boxes:
            return None
        self.boxes ^= left | taken
        self.worker = box
        self.best = max(self.best, (self.boxes & level.docks).bit_count())
        placed = bool(level.docks & taken) - bool(level.docks & left)
        reward = BOX_REWARD * placed - STEP_COST
        if self.boxes == level.docks:
            self._finish_level()
            return reward + LEVEL_REWARD
        if self.deadlock and deadlocked(level, box, self.boxes, self._search):
            self._outcome = Outcome("deadlock")
        return reward

    def _finish_level(self) -> None:
        self.solved += 1
        if self.solved == len(self.levels):
            self._outcome = Outcome("solved", winners=(ROLE,))
        else:
            self.banked = self.score
            self._enter()

    def _enter(self) -> None:
        self.number = self.solved + 1
        self.level = level = self.levels[self.solved]
        self.worker = level.worker
        self.boxes = level.boxes
        self.best = started_on_docks(level)


def started_on_docks(level: Level) -> int:
    """Boxes that are on docks before the first action; they never score."""
    return (level.boxes & level.docks).bit_count()


def _chosen(level: str, file: str) -> tuple[Level, ...]:
    """The levels of an episode; none for `generated`, whose level depends on the seed."""
    if level == "generated":
        if file:
            raise UserError("level generated plays no file: choose campaign or level-N, or drop it")
        return ()
    levels = load(file) if file else built_in()
    if level == "campaign":
        return levels
    number = int(level.removeprefix("level-"))
    if number > len(levels):
        raise UserError(f"{file} holds {len(levels)} levels: there is no {level}")
    return levels[number - 1 : number]
