"""Levels, and what stands on the map: members, objectives, threats.

Level parameters are the proposals of the project's OmniPlay specification, section 6.6; the paper
states none. Distances are map units, speeds units a round.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE

STARTS = ((10.0, 10.0), (15.0, 8.0), (8.0, 15.0), (14.0, 14.0))
CALL_SIGNS = ("Alpha", "Bravo", "Charlie", "Delta")
FULL_HEALTH = 100
PLACE_DIGITS = 2
BORDER = 10.0
CAMP, CAMP_RADIUS = (12.0, 12.0), 25.0
PATROL_LENGTH, PATROL_SPEED = 15.0, 3.0
TYPICAL_SPEED = 7.0
POINTS = {"visible": 20, "hidden": 40, "late": 30}
WORK_ROUNDS = {"reach": 1, "secure": 3, "survey": 1, "eliminate": 2}
SECURE_ROUNDS = WORK_ROUNDS["secure"]
LATE_SHARE = 0.4


class Trade(msgspec.Struct, frozen=True):
    """A member's role. `error` scales movement errors, `finds` is its chance to discover."""

    name: str
    letter: str
    speed: float
    error: float
    sight: float = 12.0
    finds: float = 0.4


SCOUT = Trade("Scout", "S", 10.0, 0.01, 18.0, 0.8)
ASSAULT = Trade("Assault", "A", 7.0, 0.02)
MEDIC = Trade("Medic", "M", 7.0, 0.02)
HEAVY = Trade("Heavy", "H", 5.0, 0.04)


class Level(msgspec.Struct, frozen=True):
    """Who and what there is. `reach` is the radius of a reach objective."""

    squad: tuple[Trade, ...]
    visible: int
    hidden: int
    late: int
    threats: int
    patrols: int
    reach: float
    visible_kinds: tuple[str, ...]
    hidden_kinds: tuple[str, ...]

    @property
    def base_points(self) -> int:
        """The points of all objectives but late ones."""
        return self.visible * POINTS["visible"] + self.hidden * POINTS["hidden"]

    @property
    def late_points(self) -> int:
        """The points of late objectives."""
        return self.late * POINTS["late"]


LEVELS = {
    "easy": Level((SCOUT, HEAVY), 2, 1, 0, 2, 0, 10.0, ("reach", "secure"), ("reach", "secure")),
    "medium": Level((SCOUT, ASSAULT, HEAVY), 3, 2, 0, 4, 0, 12.0, ("reach",), ("secure",)),
    "hard": Level(
        (SCOUT, ASSAULT, HEAVY, MEDIC),
        4,
        2,
        1,
        6,
        2,
        10.0,
        ("reach", "survey", "eliminate"),
        ("secure",),
    ),
}


class Member(msgspec.Struct):
    """A soldier. `aim` is where the order says, `goal` where the movement error leads.

    `order` numbers the orders from 1; 0 means none yet. `ordered` is the round it was given in.
    """

    index: int
    trade: Trade
    x: float
    y: float
    health: int = FULL_HEALTH
    action: str = "idle"
    aim: tuple[float, float] = (0.0, 0.0)
    goal: tuple[float, float] = (0.0, 0.0)
    before: tuple[float, float] = (0.0, 0.0)
    order: int = 0
    ordered: int = 0

    @property
    def moving(self) -> bool:
        """Whether the goal lies ahead."""
        return (self.x, self.y) != self.goal

    def advance(self) -> None:
        """Walk towards the goal for one round; after a mere move, stand idle there."""
        x, y = self.before = (self.x, self.y)
        dx, dy = self.goal[0] - x, self.goal[1] - y
        left = math.sqrt(dx * dx + dy * dy)
        if left > self.trade.speed:
            share = self.trade.speed / left
            self.x, self.y = (
                round(x + dx * share, PLACE_DIGITS),
                round(y + dy * share, PLACE_DIGITS),
            )
            return
        self.x, self.y = self.goal
        if self.action == "move":
            self.action = "idle"


class Objective(msgspec.Struct):
    """A task at a place. `sort` is visible, hidden or late; `kind` what has to be done."""

    sort: str
    kind: str
    x: float
    y: float
    known: bool
    progress: int = 0
    done: bool = False


class Threat(msgspec.Struct):
    """An enemy post; one with `legs` walks to and fro between them.

    `guards` is the index of the objective it was put on, else -1. `seen` is where it was seen
    last, `sighted` whether it is in sight now.
    """

    x: float
    y: float
    guards: int = -1
    health: int = FULL_HEALTH
    legs: tuple[tuple[float, float], ...] = ()
    leg: int = 0
    seen: tuple[float, float] | None = None
    sighted: bool = False

    def patrol(self) -> None:
        """Walk one round along the beat."""
        if not self.legs:
            return
        end = self.legs[self.leg]
        dx, dy = end[0] - self.x, end[1] - self.y
        left = math.sqrt(dx * dx + dy * dy)
        if left > PATROL_SPEED:
            share = PATROL_SPEED / left
            self.x = round(self.x + dx * share, PLACE_DIGITS)
            self.y = round(self.y + dy * share, PLACE_DIGITS)
        else:
            self.x, self.y = end
            self.leg = 1 - self.leg


def squad(level: Level) -> list[Member]:
    """The members at their starts."""
    return [
        Member(i, trade, *STARTS[i], aim=STARTS[i], goal=STARTS[i], before=STARTS[i])
        for i, trade in enumerate(level.squad)
    ]


def objectives(level: Level, rng: Stream) -> list[Objective]:
    """The level's objectives: kinds uniform, places uniform away from the camp."""
    sorts = ["visible"] * level.visible + ["hidden"] * level.hidden + ["late"] * level.late
    found = []
    for sort in sorts:
        kinds = level.visible_kinds if sort == "visible" else level.hidden_kinds
        found.append(Objective(sort, rng.choice(kinds), *_place(rng), known=sort == "visible"))
    return found


def threats(level: Level, targets: Sequence[Objective], rng: Stream) -> list[Threat]:
    """The level's threats, the last of them patrols, and one on each objective to eliminate."""
    posts = [Threat(*_place(rng)) for _ in range(level.threats)]
    for post in posts[len(posts) - level.patrols :]:
        angle = 2 * math.pi * rng.uniform()
        far = (
            _on_map(round(post.x + PATROL_LENGTH * math.cos(angle), 1)),
            _on_map(round(post.y + PATROL_LENGTH * math.sin(angle), 1)),
        )
        post.legs = ((post.x, post.y), far)
    guards = [
        Threat(target.x, target.y, index)
        for index, target in enumerate(targets)
        if target.kind == "eliminate"
    ]
    return posts + guards


def optimal_rounds(level: Level, targets: Iterable[Objective], rounds: int) -> int:
    """R_opt: a heuristic least number of rounds, at most 0.9 of all (specification 6.7).

    `ceil(sum over visible (distance to the nearest start / 7 + work) / team + 8 hidden /
    (1 + 0.5 scouts) + 0.1 rounds)`. With a late objective it is at least the round in which that
    one can be complete; without this bound no mission could earn the full bonus for pace.
    """
    team = len(level.squad)
    starts = STARTS[:team]
    visible = sum(
        min(math.dist(start, (target.x, target.y)) for start in starts) / TYPICAL_SPEED
        + WORK_ROUNDS[target.kind]
        for target in targets
        if target.sort == "visible"
    )
    scouts = sum(trade is SCOUT for trade in level.squad)
    search = 8 * level.hidden / (1 + 0.5 * scouts)
    estimate = math.ceil(visible / team + search + 0.1 * rounds)
    if level.late:
        estimate = max(estimate, late_round(rounds) + SECURE_ROUNDS - 1)
    return min(estimate, int(0.9 * rounds))


def late_round(rounds: int) -> int:
    """The round in which late objectives appear."""
    return math.ceil(LATE_SHARE * rounds)


def _place(rng: Stream) -> tuple[float, float]:
    """Uniform on the map but for its border and the surroundings of the camp, to 0.1."""
    while True:
        span = MAP_SIZE - 2 * BORDER
        x, y = BORDER + span * rng.uniform(), BORDER + span * rng.uniform()
        if math.dist((x, y), CAMP) >= CAMP_RADIUS:
            return round(x, 1), round(y, 1)


def _on_map(value: float) -> float:
    return min(MAP_SIZE - BORDER, max(BORDER, value))
