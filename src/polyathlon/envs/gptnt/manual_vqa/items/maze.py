"""Items about the Maze; cells are told as rows and columns from 1, from the top left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook import maze
from polyathlon.envs.gptnt.bomb.rulebook.book import Cell, MazeMap, MazeRules, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.maze import Direction
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    Draft,
    nth,
    others,
    said,
    series,
    shuffled,
)

_SHORTEST, _LONGEST = 3, 9
_DIRECTIONS: tuple[Direction, ...] = tuple(maze.STEPS)
_FIRST = ("Which arrow is pressed first?", "What is the first step?")
_WHOLE = ("Which way leads to the triangle?", "Give all the steps to the triangle.")
_CIRCLES, _LIGHT, _TRIANGLE = "where the circles are", "where the light is", "where the triangle is"
_NEEDS = (_CIRCLES, _LIGHT, _TRIANGLE)


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Where the other circle of a maze is."""
    one, other = nth((each.markers for each in book.maze.mazes), index, "mazes")
    rest = [cell for each in book.maze.mazes for cell in each.markers if cell not in (one, other)]
    right = capital(_cell(other))
    return Draft(
        text=f"One maze of the manual has a circle at {_cell(one)}. Where is its other circle?",
        right=right,
        wrong=others(right, (capital(_cell(cell)) for cell in shuffled(rest, rng))),
        why="read",
        given={"marker": one},
        needs=_NEEDS,
    )


def grounding(book: RuleBook, index: int, rng: Stream) -> Draft:
    """On which sides of a circle's cell there are walls."""
    cells = [(each, cell) for each in book.maze.mazes for cell in each.markers]
    found, cell = nth(cells, index, "circles")
    right = _walls(side for side in _DIRECTIONS if maze.blocked(found, cell, side))
    sizes = shuffled(range(1, 4), rng)
    sides = [each for size in sizes for each in shuffled(combinations(_DIRECTIONS, size), rng)]
    return Draft(
        text=(
            f"Find the maze that has a circle at {_cell(cell)}. On which sides of that circle's "
            "cell is a wall or the border?"
        ),
        right=right,
        wrong=others(right, map(_walls, shuffled(sides, rng))),
        why="read",
        given={"marker": cell},
        needs=_NEEDS,
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The first step, or the whole way (hard)."""
    hard = index % 2 == 1
    puzzle, way = _draw(book.maze, rng)
    if hard:
        wrong = map(_steps, _slips(book.maze, puzzle, way, rng))
    else:
        wrong = map(capital, shuffled(_DIRECTIONS, rng))
    right = _steps(way) if hard else capital(way[0])
    return Draft(
        text=f"{said(_tell(puzzle, rng), rng)} {rng.choice(_WHOLE if hard else _FIRST)}",
        right=right,
        wrong=others(right, wrong),
        why=_steps(way),
        given=_given(puzzle),
        needs=_NEEDS,
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The circles or the triangle are not told."""
    missing = (_CIRCLES, _TRIANGLE)[index % 2]
    while True:
        puzzle, _ = _draw(book.maze, rng)
        answers = dict(_first_steps(book.maze, puzzle, missing))
        if len(set(answers.values())) > 1:
            break
    return Draft(
        text=f"{said(_tell(puzzle, rng, missing), rng)} {rng.choice(_FIRST)}",
        missing=missing,
        wrong=others("", map(capital, [*answers.values(), *shuffled(_DIRECTIONS, rng)])),
        why="; ".join(f"{case}: {step}" for case, step in answers.items()),
        given=_given(puzzle, missing),
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Circles that no maze has together."""
    puzzle, way = _draw(book.maze, rng)
    markers = {cell for each in book.maze.mazes for cell in each.markers}
    free = [cell for cell in maze.CELLS if cell not in markers]
    if index % 2:
        second = rng.choice([cell for cell in sorted(markers) if cell not in puzzle.markers])
    else:
        second = rng.choice(free)
    strange = maze.Maze((puzzle.markers[0], second), puzzle.start, puzzle.goal)
    return Draft(
        text=f"{said(_tell(strange, rng), rng)} {rng.choice(_WHOLE)}",
        wrong=others("", map(_steps, [way, *_slips(book.maze, puzzle, way, rng)])),
        why="no maze has these two circles",
        given=_given(strange),
        needs=_NEEDS,
    )


def _draw(rules: MazeRules, rng: Stream) -> tuple[maze.Maze, tuple[Direction, ...]]:
    """A maze whose way to the triangle can be said, and that way."""
    while True:
        puzzle = maze.draw(rules, rng)
        way = maze.path(maze.find(rules, puzzle.markers), puzzle.start, puzzle.goal)
        if _SHORTEST <= len(way) <= _LONGEST:
            return puzzle, way


def _first_steps(
    rules: MazeRules, puzzle: maze.Maze, missing: str
) -> Iterator[tuple[str, Direction]]:
    """The first step for each place of what is missing."""
    if missing == _CIRCLES:
        for each in rules.mazes:
            case = f"circles {series(map(_cell, each.markers))}"
            yield case, maze.path(each, puzzle.start, puzzle.goal)[0]
    else:
        found = maze.find(rules, puzzle.markers)
        for goal in maze.CELLS[::7]:
            if goal != puzzle.start:
                yield f"triangle {_cell(goal)}", maze.path(found, puzzle.start, goal)[0]


def _slips(
    rules: MazeRules, puzzle: maze.Maze, way: Sequence[Direction], rng: Stream
) -> Iterator[tuple[Direction, ...]]:
    """Ways through other mazes, straight through walls, and with two steps exchanged."""
    found = maze.find(rules, puzzle.markers)
    rows, columns = (b - a for a, b in zip(puzzle.start, puzzle.goal, strict=True))
    down: tuple[Direction, ...] = ("down" if rows > 0 else "up",) * abs(rows)
    across: tuple[Direction, ...] = ("right" if columns > 0 else "left",) * abs(columns)
    ways = [maze.path(each, puzzle.start, puzzle.goal) for each in shuffled(rules.mazes, rng)]
    exchanged = [(*way[:i], way[i + 1], way[i], *way[i + 2 :]) for i in range(len(way) - 1)]
    short = [each for each in ways if len(each) <= _LONGEST + 2]
    for wrong in (*short, down + across, across + down, *exchanged, *_turned(way)):
        if not _leads(found, puzzle, wrong):
            yield wrong


def _turned(way: Sequence[Direction]) -> Iterator[tuple[Direction, ...]]:
    """The way with one step turned into another."""
    for i in range(len(way)):
        for step in _DIRECTIONS:
            yield (*way[:i], step, *way[i + 1 :])


def _leads(found: MazeMap, puzzle: maze.Maze, way: Iterable[Direction]) -> bool:
    cell = puzzle.start
    for step in way:
        if maze.blocked(found, cell, step):
            return False
        cell = maze.step(cell, step)
    return cell == puzzle.goal


def _tell(puzzle: maze.Maze, rng: Stream, missing: str = "") -> str:
    told: Mapping[str, str] = {
        _CIRCLES: f"green circles at {series(map(_cell, puzzle.markers))}",
        _LIGHT: f"the white light at {_cell(puzzle.start)}",
        _TRIANGLE: f"the red triangle at {_cell(puzzle.goal)}",
    }
    marks = series(shuffled((words for name, words in told.items() if name != missing), rng))
    return rng.choice(
        (
            f"A square of six by six dots. Counted from the top left I see {marks}.",
            f"It is a grid with arrows around it, six rows and six columns: {marks}.",
            f"Six by six cells and four arrows; {marks}, counting from the top left.",
        )
    )


def _given(puzzle: maze.Maze, missing: str = "") -> dict[str, JSON]:
    return {
        "markers": None if missing == _CIRCLES else puzzle.markers,
        "start": puzzle.start,
        "goal": None if missing == _TRIANGLE else puzzle.goal,
    }


def _cell(cell: Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def _steps(way: Iterable[Direction]) -> str:
    return capital(", ".join(way))


def _walls(sides: Iterable[Direction]) -> str:
    names = {"up": "above", "down": "below", "left": "on the left", "right": "on the right"}
    return capital(series([names[side] for side in sides] or ["on no side"]))
