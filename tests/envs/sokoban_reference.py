"""A second, slow Sokoban on sets of coordinates, to check the fast one against."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

Cell = tuple[int, int]
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def fewest_pushes(rows: Sequence[str]) -> int | None:
    """The pushes of a shortest solution by breadth-first search; None when there is none."""
    at = {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}
    floor = {cell for cell, symbol in at.items() if symbol != "#"}
    docks = frozenset(cell for cell, symbol in at.items() if symbol in "?*+")
    boxes = frozenset(cell for cell, symbol in at.items() if symbol in "$*")
    worker = next(cell for cell, symbol in at.items() if symbol in "@+")
    todo = deque([(boxes, worker, 0)])
    seen = {(boxes, min(walkable(floor - boxes, worker)))}
    while todo:
        boxes, worker, pushes = todo.popleft()
        if boxes == docks:
            return pushes
        reached = walkable(floor - boxes, worker)
        for r, c in sorted(boxes):
            for dr, dc in STEPS:
                ahead = (r + dr, c + dc)
                if (r - dr, c - dc) not in reached or ahead not in floor or ahead in boxes:
                    continue
                after = boxes - {(r, c)} | {ahead}
                key = (after, min(walkable(floor - after, (r, c))))
                if key not in seen:
                    seen.add(key)
                    todo.append((after, (r, c), pushes + 1))
    return None


def walkable(free: set[Cell] | frozenset[Cell], start: Cell) -> set[Cell]:
    """The cells that can be walked to over `free` from `start`, itself included."""
    reached, todo = {start}, [start]
    while todo:
        r, c = todo.pop()
        for dr, dc in STEPS:
            near = (r + dr, c + dc)
            if near in free and near not in reached:
                reached.add(near)
                todo.append(near)
    return reached
