"""The oracle: reads the state, also what is hidden, and gives legal commands.

It spreads the open objectives over the members so that the last one ends early, sends each member
to its next objective by one order that does the work there, and never replaces an order that can
still succeed: so nearly all its orders are effective.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.world import Role
from polyathlon.envs.omniplay.phantom.rules.command import STATUS, Command
from polyathlon.envs.omniplay.phantom.rules.world import (
    ASSAULT,
    HEAVY,
    MEDIC,
    SCOUT,
    WORK_ROUNDS,
    late_round,
)

SPEEDS = {trade.name: trade.speed for trade in (SCOUT, ASSAULT, HEAVY, MEDIC)}
ACTIONS = {"reach": "defend", "secure": "defend", "survey": "recon", "eliminate": "attack"}
RADII = {"reach": 10.0, "secure": 5.0, "survey": 13.0, "eliminate": 12.0}


class Task(msgspec.Struct, frozen=True):
    """An open objective; `start` is in how many rounds it can begin."""

    at: tuple[float, float]
    kind: str
    start: int


class Soldier(msgspec.Struct):
    """A living member with the tasks planned for it, and when and where they end."""

    index: int
    speed: float
    at: tuple[float, float]
    tasks: list[Task]
    ready: float = 0.0
    busy: bool = False

    def finish(self, task: Task) -> float:
        """In how many rounds it would be done with one more task."""
        arrival = self.ready + math.dist(self.at, task.at) / self.speed
        return max(arrival, task.start) + WORK_ROUNDS[task.kind]

    def take(self, task: Task) -> None:
        """Plan one more task."""
        self.ready = self.finish(task)
        self.at = task.at
        self.tasks.append(task)


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Command:
    """The order for the member with most to do that waits for one, else `all status`."""
    tasks = _open_tasks(state)
    soldiers = [
        Soldier(index, SPEEDS[member["trade"]], tuple(member["at"]), [])
        for index, member in enumerate(state["members"])
        if member["health"] > 0
    ]
    for soldier in soldiers:
        current = _current(state["members"][soldier.index], tasks)
        if current is not None:
            soldier.busy = True
            soldier.take(current)
            tasks.remove(current)
    _share_out(tasks, soldiers)
    waiting = [soldier for soldier in soldiers if soldier.tasks and not soldier.busy]
    if not waiting:
        return STATUS
    chosen = max(waiting, key=lambda soldier: soldier.ready)
    task = chosen.tasks[0]
    return Command((chosen.index,), ACTIONS[task.kind], *task.at)


def _open_tasks(state: Mapping[str, Any]) -> list[Task]:
    tasks = []
    for target in state["objectives"]:
        if not target["done"]:
            waits = target["sort"] == "late" and not target["known"]
            start = late_round(state["rounds"]) - state["round"] - 1 if waits else 0
            tasks.append(Task(tuple(target["at"]), target["kind"], start))
    return tasks


def _current(member: Mapping[str, Any], tasks: Sequence[Task]) -> Task | None:
    """The open task that a member is on and can still do without a new order."""
    for task in tasks:
        if tuple(member["aim"]) == task.at and member["action"] == ACTIONS[task.kind]:
            goal = tuple(member["goal"])
            return task if math.dist(goal, task.at) <= RADII[task.kind] else None
    return None


def _share_out(tasks: list[Task], soldiers: Sequence[Soldier]) -> None:
    """Give each task, the one that ends first before others, to whom it takes least time."""
    left = list(tasks)
    while left and soldiers:
        _, place, number = min(
            (soldier.finish(task), place, number)
            for place, soldier in enumerate(soldiers)
            for number, task in enumerate(left)
        )
        soldiers[place].take(left.pop(number))
