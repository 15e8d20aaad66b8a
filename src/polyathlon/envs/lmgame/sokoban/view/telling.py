"""Sokoban in words: a table of objects, a map of symbols, and the way back."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from polyathlon.envs.lmgame.sokoban.rules.board import (
    BOX,
    BOX_ON_DOCK,
    DOCK,
    FLOOR,
    WALL,
    WORKER,
    WORKER_ON_DOCK,
    Level,
    cells,
    draw_map,
)

NAMES = {
    "Worker": WORKER,
    "Worker on dock": WORKER_ON_DOCK,
    "Box": BOX,
    "Box on dock": BOX_ON_DOCK,
    "Dock": DOCK,
}
_SAID = {None: "none yet", True: "yes", False: "no"}
_HEADER = re.compile(r"grid (\d{1,3})x(\d{1,3}), ")
_OBJECT = re.compile(r"([A-Z][a-z ]+) at \((\d+),(\d+)\)")
_WALLS = re.compile(r"Wall at row (\d+): cols ([\d, -]+)")
_ROW = re.compile(r"[#?$*@+ ]{3,}")


class Scene(msgspec.Struct, frozen=True):
    """A position: `number` of `levels` levels; `effective` is None before the first action."""

    level: Level
    worker: int
    boxes: int
    number: int
    levels: int
    effective: bool | None


def tell_table(scene: Scene) -> str:
    """Grid size, every object and wall with (row, col), and what the last action did."""
    return f"{_table(scene.level, scene.worker, scene.boxes)}\n{_status(scene)}"


def tell_map(scene: Scene) -> str:
    """The rows of symbols, and what the last action did."""
    level = scene.level
    rows = draw_map(level, scene.worker, scene.boxes)
    return "\n".join([_words(level)[0], *rows, _status(scene)])


def tell_both(scene: Scene) -> str:
    """The map, then the table."""
    rows = draw_map(scene.level, scene.worker, scene.boxes)
    header, _, table = tell_table(scene).partition("\n")
    return "\n".join([header, *rows, table])


def read(text: str) -> tuple[str, ...]:
    """The rows of symbols that any `tell_*` wrote: their inverse.

    Raises ValueError for any other text.
    """
    header = _HEADER.match(text)
    if not header:
        raise ValueError("not a Sokoban level: it begins with its grid size")
    rows, cols = int(header[1]), int(header[2])
    lines = text.splitlines()[1:]
    drawn = tuple(line for line in lines if _ROW.fullmatch(line))
    if not drawn:
        drawn = _placed(lines, rows, cols)
    if len(drawn) != rows or any(len(row) != cols for row in drawn):
        raise ValueError(f"not a {rows}x{cols} level")
    return drawn


def _placed(lines: list[str], rows: int, cols: int) -> tuple[str, ...]:
    symbols = [[FLOOR] * cols for _ in range(rows)]
    try:
        for line in lines:
            if match := _OBJECT.fullmatch(line):
                symbols[int(match[2])][int(match[3])] = NAMES[match[1]]
            elif match := _WALLS.fullmatch(line):
                for span in match[2].split(", "):
                    first, _, last = span.partition("-")
                    for col in range(int(first), int(last or first) + 1):
                        symbols[int(match[1])][col] = WALL
    except (IndexError, KeyError, ValueError):
        raise ValueError(f"no such object or cell in a {rows}x{cols} level: {line}") from None
    return tuple("".join(row) for row in symbols)


@lru_cache(maxsize=4096)
def _table(level: Level, worker: int, boxes: int) -> str:
    header, walls, spots, docks = _words(level)
    mask, free = level.docks, ~boxes & ~(1 << worker)
    return "\n".join(
        [
            header,
            ("Worker on dock" if mask >> worker & 1 else "Worker") + spots[worker],
            *[("Box on dock" if mask >> box & 1 else "Box") + spots[box] for box in cells(boxes)],
            *["Dock" + spots[dock] for dock in docks if free >> dock & 1],
            walls,
        ]
    )


@lru_cache(maxsize=256)
def _words(level: Level) -> tuple[str, str, tuple[str, ...], tuple[int, ...]]:
    """What every position of a level shares: header, walls, " at (r,c)" by cell, docks."""
    walls = "\n".join(
        f"Wall at row {number}: cols {_spans(row)}"
        for number, row in enumerate(level.map)
        if WALL in row
    )
    places = map(level.place, range(level.rows * level.cols))
    spots = tuple(f" at ({row},{col})" for row, col in places)
    header = f"grid {level.rows}x{level.cols}, coordinates (row, col), (0,0) top-left"
    return header, walls, spots, tuple(cells(level.docks))


def _spans(row: str) -> str:
    """The columns of the walls of a row, as in "0-2, 5"."""
    runs = [(run.start(), run.end() - 1) for run in re.finditer(f"{WALL}+", row)]
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _status(scene: Scene) -> str:
    placed = (scene.boxes & scene.level.docks).bit_count()
    return (
        f"boxes on docks {placed}/{scene.level.boxes.bit_count()}; "
        f"level {scene.number} of {scene.levels}; last action effective: {_SAID[scene.effective]}"
    )
