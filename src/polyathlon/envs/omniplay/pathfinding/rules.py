"""Whispered Pathfinding: the state machine."""

from __future__ import annotations

import math

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.omniplay.pathfinding.maze import (
    METRE,
    START,
    UNKNOWN,
    Point,
    Rows,
    cell_at,
    centre,
    generate,
    open_cells,
    revealed,
    target_cell,
    visible,
    walk,
    within_reach,
)
from polyathlon.envs.omniplay.pathfinding.moves import (
    DISTANCE_M,
    ROTATION_DEG,
    Move,
)

ROLE = "player"
SIZES = {"easy": 7, "medium": 9, "hard": 11}
HEADINGS = (0.0, 90.0, 180.0, 270.0)
REACHED = Outcome("reached", winners=(ROLE,))
CAPPED = Outcome("cap", truncated=True)


class Rules:
    """One maze. `position` is in micrometres, `heading` in degrees in [0, 360).

    `known` is the map of what has been seen: the open cells whose middle has been in sight at
    the end of some step, and the walls around them.
    """

    def __init__(self, level: str, *, cap: int, voice: str, spatial: bool) -> None:
        self._size = SIZES[level]
        self.cap = cap
        self.voice = voice
        self.spatial = spatial

    def reset(self, seed: int) -> None:
        rng = stream(seed, "omniplay/pathfinding", "world", self._size)
        self.rows = generate(self._size, rng)
        self.target = centre(target_cell(self.rows))
        self.position: Point = centre(START)
        self.heading = rng.choice(HEADINGS)
        self.last: Move | None = None
        self.steps = 0
        self.invalid = 0
        self.blocked = 0
        self.walked = 0
        self.known: Rows = (UNKNOWN * self._size,) * self._size
        self._unseen = set(open_cells(self.rows))
        self._outcome: Outcome | None = None
        self._look()

    def turn(self, role: Role) -> int:
        return self.steps

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self._outcome else (ROLE,)

    def act(self, role: Role, action: Move | Malformed) -> Step:
        if self._outcome:
            return Step.illegal()
        self.steps += 1
        step = self._step(action)
        if self.reached:
            self._outcome = REACHED
        elif self.steps >= self.cap:
            self._outcome = CAPPED
        return step

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def reached(self) -> bool:
        """Whether the beacon has been reached."""
        return within_reach(self.position, self.target)

    def state(self) -> JSON:
        x, y = self.position
        return {
            "maze": self.rows,
            "x": x / METRE,
            "y": y / METRE,
            "heading": self.heading,
            "last": None if self.last is None else [self.last.distance_m, self.last.rotation_deg],
            "steps": self.steps,
            "invalid": self.invalid,
            "blocked": self.blocked,
            "walked": self.walked / METRE,
            "known": self.known,
        }

    def _step(self, action: Move | Malformed) -> Step:
        if isinstance(action, Malformed) or not _legal(action):
            self.invalid += 1
            self.last = None
            malformed = isinstance(action, Malformed)
            return Step.malformed({ROLE: 0.0}) if malformed else Step.illegal({ROLE: 0.0})
        before = self.position, self.heading
        self.last = action
        self.heading = round((self.heading + action.rotation_deg) % 360.0, 6) % 360.0
        distance = round(action.distance_m * METRE)
        self.position, covered, blocked = walk(self.rows, self.position, self.heading, distance)
        self.walked += covered
        self.blocked += blocked
        if (self.position, self.heading) == before:
            return Step.ineffective({ROLE: 0.0})
        self._look()
        return Step.ok({ROLE: float(self.reached)})

    def _look(self) -> None:
        """Add what is in sight now to what is known."""
        found = visible(self.rows, self.position, self.heading, self._unseen)
        here = cell_at(self.position)
        if here in self._unseen:
            found.append(here)
        if found:
            self._unseen.difference_update(found)
            self.known = revealed(self.rows, self.known, found)


def _legal(action: object) -> bool:
    return (
        isinstance(action, Move)
        and _within(action.distance_m, DISTANCE_M)
        and _within(action.rotation_deg, ROTATION_DEG)
    )


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return math.isfinite(value) and bounds[0] <= value <= bounds[1]
