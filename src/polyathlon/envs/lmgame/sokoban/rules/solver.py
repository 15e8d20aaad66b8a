"""A push-optimal Sokoban solver: A* over box positions and the worker's reachable region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from polyathlon.envs.lmgame.sokoban.rules.board import DIRECTIONS, Level, cells, reach, walk
from polyathlon.envs.lmgame.sokoban.rules.pushing import (
    UNREACHABLE,
    Push,
    distances,
    frozen,
    nearest_dock,
    pushes,
)

Status: TypeAlias = Literal["solved", "unsolvable", "unknown"]
MATCHED_BOXES = 8


class Position(NamedTuple):
    """Boxes, and the lowest cell the worker reaches as the name of his region."""

    boxes: int
    region: int


class Solution(msgspec.Struct, frozen=True):
    """What a search found: `unknown` means that its limit was reached first."""

    status: Status
    pushes: tuple[Push, ...] = ()


def position(level: Level, worker: int, boxes: int) -> Position:
    """A position with the worker anywhere in his region made one."""
    return Position(boxes, _lowest(reach(level.floor & ~boxes, level.cols, worker)))


def solve(level: Level, worker: int, boxes: int, limit: int = 200_000, weight: int = 1) -> Solution:
    """The shortest solution in pushes, within `limit` stored positions.

    A* with the cheapest assignment of boxes to docks as its bound, which is consistent. A
    `weight` above 1 multiplies the bound: faster, not always shortest. A search that ends
    without a solution is a proof that there is none.
    """
    start = position(level, worker, boxes)
    bounds: dict[int, int] = {}
    cost: dict[Position, int] = {start: 0}
    parents: dict[Position, tuple[Position, Push]] = {}
    queue: list[tuple[int, int, int, Position]] = []
    if (estimate := lower_bound(level, boxes)) < UNREACHABLE:
        queue.append((weight * estimate, 0, 0, start))
    while queue:
        _, _, paid, here = heappop(queue)
        if paid > cost[here]:
            continue
        if here.boxes == level.docks:
            return Solution("solved", _trail(parents, here))
        if len(cost) > limit:
            return Solution("unknown")
        paid += 1
        for push, there in _hopeful(level, here, bounds):
            if paid < cost.get(there, UNREACHABLE):
                cost[there] = paid
                parents[there] = (here, push)
                guess = paid + weight * bounds[there.boxes]
                heappush(queue, (guess, len(parents), paid, there))
    return Solution("unsolvable")


def labels(level: Level, worker: int, boxes: int, plan: Iterable[Push]) -> tuple[str, ...]:
    """A plan as actions: the walk to each push, and the push."""
    actions: list[str] = []
    for box, direction in plan:
        step = level.steps[direction]
        actions += [DIRECTIONS[d] for d in walk(level, boxes, worker, box - step)]
        actions.append(f"push {DIRECTIONS[direction]}")
        worker, boxes = box, boxes ^ 1 << box ^ 1 << (box + step)
    return tuple(actions)


def lower_bound(level: Level, boxes: int) -> int:
    """Pushes that are needed at least; UNREACHABLE or more when the boxes fit no docks.

    The cheapest assignment of boxes to docks, or, above MATCHED_BOXES boxes, where the
    assignment would cost more than it saves, every box's way to its nearest dock.
    """
    if boxes.bit_count() > MATCHED_BOXES:
        nearest = nearest_dock(level)
        return sum(nearest[cell] for cell in cells(boxes))
    tables = distances(level)
    return cheapest_assignment([[table[cell] for table in tables] for cell in cells(boxes)])


def cheapest_assignment(costs: Sequence[Sequence[int]]) -> int:
    """The least sum of one cost a row and column of a square matrix; UNREACHABLE where none is.

    Dynamic programming over the sets of columns taken so far; UNREACHABLE costs are never taken.
    """
    cheapest = {0: 0}
    for row in costs:
        extended: dict[int, int] = {}
        for taken, paid in cheapest.items():
            for column, cost in enumerate(row):
                if cost < UNREACHABLE and not taken >> column & 1:
                    more = taken | 1 << column
                    extended[more] = min(paid + cost, extended.get(more, UNREACHABLE))
        cheapest = extended
    return min(cheapest.values(), default=UNREACHABLE)


def _hopeful(
    level: Level, here: Position, bounds: dict[int, int]
) -> Iterator[tuple[Push, Position]]:
    """Pushes that freeze no box and the positions after them; notes their bounds."""
    reached = reach(level.floor & ~here.boxes, level.cols, here.region)
    for push, after in pushes(level, here.boxes, reached):
        if after not in bounds:
            bounds[after] = UNREACHABLE if frozen(level, after) else lower_bound(level, after)
        if bounds[after] < UNREACHABLE:
            yield push, position(level, push.box, after)


def _trail(parents: dict[Position, tuple[Position, Push]], end: Position) -> tuple[Push, ...]:
    trail: list[Push] = []
    while end in parents:
        end, push = parents[end]
        trail.append(push)
    return tuple(reversed(trail))


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1
