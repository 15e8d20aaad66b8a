"""Sokoban levels: the built-in campaign and the reader of level files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.sokoban.rules.board import Level, cells

MAX_BYTES = 1_000_000
MAX_LEVELS = 1_000
MAX_SIDE = 64
MAX_BOXES = 64

_CAMPAIGN = """\
#######
#.  .##
#@$   #
# $#  #
#  #  #
#### ##
#######

#########
## @#####
## $ ####
### #####
### #####
#      .#
#       #
#       #
#########

########
#    ###
#  $@###
## $####
##  ####
##  ####
##   ###
## . ###
##.    #
########

#######
#   ###
#  $ ##
#  $@##
#  ####
#   ..#
#######

#########
###  ####
## .    #
##  $@$ #
##  #####
##  #####
## .  $ #
##.     #
#########

######
## .@#
##$$*#
##   #
##$$ #
#.   #
#  ..#
######
"""

_WALL, _WORKERS, _BOXES, _DOCKS = "#", "@+", "$*", ".?*+"
_SYMBOLS = frozenset("# -_@+$*.?")


@cache
def built_in() -> tuple[Level, ...]:
    """The six levels of the campaign."""
    return parse_file(_CAMPAIGN)


def load(path: str) -> tuple[Level, ...]:
    """The levels of a file, in order. Raises UserError when it cannot be read as levels."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read level file {path!r}: {error}") from None
    if len(data) > MAX_BYTES:
        raise UserError(f"level file {path!r} is longer than {MAX_BYTES} bytes: split it")
    return parse_file(data.decode("utf-8", "replace"))


def parse_file(text: str) -> tuple[Level, ...]:
    """The levels of a text in XSB notation, in order.

    `#` wall, space, `-` or `_` floor, `.` or `?` dock, `$` box, `*` box on dock, `@` worker,
    `+` worker on dock. Lines that are no rows (titles, comments, blank lines) part the levels.
    Raises UserError, with the line, for text that holds no level or a wrong one.
    """
    levels: list[Level] = []
    for line, rows in _blocks(text):
        if len(levels) == MAX_LEVELS:
            raise UserError(f"more than {MAX_LEVELS} levels: split the file")
        try:
            levels.append(parse(rows))
        except UserError as error:
            raise UserError(f"level {len(levels) + 1} (line {line}): {error}") from None
    if not levels:
        raise UserError("no level found: draw each as lines of # walls, $ boxes, . docks and one @")
    return tuple(levels)


def parse(rows: Sequence[str]) -> Level:
    """One level from its rows. What the worker cannot reach becomes wall.

    Raises UserError unless the level is closed, has one worker, as many boxes as docks, all
    within the worker's reach, and is not solved already.
    """
    width = max(map(len, rows), default=0)
    if not 3 <= len(rows) <= MAX_SIDE or not 3 <= width <= MAX_SIDE:
        raise UserError(f"{len(rows)}x{width} cells: a level has 3 to {MAX_SIDE} rows and columns")
    text = "".join(row.ljust(width) for row in rows)
    for symbol in text:
        if symbol not in _SYMBOLS:
            raise UserError(f"symbol {symbol!r}: rows are made of # space - _ . ? $ * @ +")
    workers = _mask(text, _WORKERS)
    if workers.bit_count() != 1:
        raise UserError(f"{workers.bit_count()} workers: a level has one, @ or +")
    worker = workers.bit_length() - 1
    floor = _closed_floor(text, width, worker)
    docks, boxes = _mask(text, _DOCKS), _mask(text, _BOXES)
    if docks.bit_count() != boxes.bit_count():
        raise UserError(f"{boxes.bit_count()} boxes, {docks.bit_count()} docks: make them equal")
    if boxes.bit_count() > MAX_BOXES:
        raise UserError(f"{boxes.bit_count()} boxes: a level has at most {MAX_BOXES}")
    for outside in cells((docks | boxes) & ~floor):
        row, col = divmod(outside, width)
        raise UserError(f"the worker cannot reach the box or dock at ({row},{col}): open the wall")
    if boxes == docks:
        raise UserError("every box is on a dock: leave one to push")
    return Level(len(rows), width, floor, docks, worker, boxes)


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each run of level rows with the number of its first line."""
    start, rows = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        row = line.rstrip()
        if row.lstrip(" -_").startswith(_WALL) or (row and _SYMBOLS.issuperset(row)):
            start = start if rows else number
            rows.append(row)
        elif rows:
            yield start, rows
            rows = []


def _mask(text: str, symbols: str) -> int:
    return sum(1 << cell for cell, symbol in enumerate(text) if symbol in symbols)


def _closed_floor(text: str, width: int, worker: int) -> int:
    """The cells the worker reaches when no box is in the way."""
    edge = len(text) - width
    seen, todo = {worker}, [worker]
    while todo:
        cell = todo.pop()
        if not width <= cell < edge or cell % width in (0, width - 1):
            row, col = divmod(cell, width)
            raise UserError(f"not closed: the worker can walk out at ({row},{col}): add walls")
        for near in (cell - width, cell + width, cell - 1, cell + 1):
            if text[near] != _WALL and near not in seen:
                seen.add(near)
                todo.append(near)
    return sum(1 << cell for cell in seen)
