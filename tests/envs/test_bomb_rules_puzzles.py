"""Puzzles drawn under standard and other rules: their ranges, and that each can be solved."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.rulebook import (
    button,
    complicated,
    keypad,
    maze,
    memory,
    morse,
    password,
    sequence,
    simon,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.bomb.rulebook.generate import draw
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

Situations = list[tuple[RuleBook, CasingFacts, int]]

CASINGS = (
    CasingFacts("AB1CD4"),
    CasingFacts("2B1CD5", batteries=3, lit=frozenset({"CAR", "FRK"}), ports=frozenset({"Serial"})),
    CasingFacts("EB1CD7", batteries=1, lit=frozenset({"BOB"}), ports=frozenset({"Parallel"})),
)


@pytest.fixture(scope="module")
def situations() -> Situations:
    return [(book(s % 9), facts, s) for s, facts in product(range(90), CASINGS)]


def drawn(kind: str, situations: Situations) -> Iterator[tuple[RuleBook, CasingFacts, object]]:
    for rules, facts, seed in situations:
        yield rules, facts, draw(kind, rules, facts, stream(seed, kind))


def test_wires(situations: Situations) -> None:
    counts: Counter[int] = Counter()
    for rules, facts, puzzle in drawn("wires", situations):
        assert isinstance(puzzle, wires.Wires)
        counts[len(puzzle.wires)] += 1
        assert 0 <= wires.wire_to_cut(rules.wires, puzzle, facts) < len(puzzle.wires)
    assert set(counts) == {3, 4, 5, 6}


def test_button(situations: Situations) -> None:
    answers = set()
    for rules, facts, puzzle in drawn("button", situations):
        assert isinstance(puzzle, button.Button)
        answers.add(button.to_do(rules.button, puzzle, facts))
    assert answers == {"tap", "hold"}
    assert {button.draw_strip(stream(seed)) for seed in range(40)} == set(button.COLOURS)


def test_a_release_digit_comes_within_ten_seconds() -> None:
    for rules, strip in product((book(seed) for seed in range(9)), button.COLOURS):
        shown = [f"03:{second:02}" for second in range(30, 40)]
        assert any(button.may_release(rules.button, strip, clock) for clock in shown)


def test_keypad(situations: Situations) -> None:
    for rules, _, puzzle in drawn("keypad", situations):
        assert isinstance(puzzle, keypad.Keypad)
        holding = [c for c in rules.keypad.columns if set(puzzle.symbols) <= set(c)]
        assert len(holding) == 1
        pressed = [puzzle.symbols[key] for key in keypad.order(rules.keypad, puzzle)]
        assert pressed == [symbol for symbol in holding[0] if symbol in puzzle.symbols]


def test_simon(situations: Situations) -> None:
    lengths = set()
    for rules, facts, puzzle in drawn("simon", situations):
        assert isinstance(puzzle, simon.Simon)
        lengths.add(len(puzzle.flashes))
        for flash, strikes in product(puzzle.flashes, range(3)):
            assert simon.press(rules.simon, flash, facts, strikes) in simon.LAMPS
    assert lengths == {3, 4, 5}


def test_words(situations: Situations) -> None:
    pressed = set()
    for rules, _, puzzle in drawn("words", situations):
        assert isinstance(puzzle, words.Words)
        assert len(puzzle.stages) == 3
        for stage in puzzle.stages:
            assert len(set(stage.labels)) == 6
            assert any(set(stage.labels) <= set(group) for group in rules.words.groups)
            pressed.add(words.slot_to_press(rules.words, stage))
    assert pressed == set(words.SLOTS)


def test_memory(situations: Situations) -> None:
    for rules, _, puzzle in drawn("memory", situations):
        assert isinstance(puzzle, memory.Memory)
        history: list[memory.Pressed] = []
        for stage in puzzle.stages:
            assert sorted(stage.labels) == [1, 2, 3, 4]
            pressed = memory.press(rules.memory, stage, history)
            assert stage.labels[pressed.place - 1] == pressed.digit
            history.append(pressed)
        assert len(history) == 5


def test_maze(situations: Situations) -> None:
    for rules, _, puzzle in drawn("maze", situations):
        assert isinstance(puzzle, maze.Maze)
        (row, column), (goal_row, goal_column) = puzzle.start, puzzle.goal
        assert abs(row - goal_row) >= 2 or abs(column - goal_column) >= 2
        walls, cell = maze.find(rules.maze, puzzle.markers), puzzle.start
        for direction in maze.path(walls, puzzle.start, puzzle.goal):
            assert not maze.blocked(walls, cell, direction)
            cell = maze.step(cell, direction)
        assert cell == puzzle.goal


def test_the_border_is_closed() -> None:
    walls = book(0).maze.mazes[0]
    for i in range(maze.SIZE):
        assert maze.blocked(walls, (0, i), "up")
        assert maze.blocked(walls, (maze.SIZE - 1, i), "down")
        assert maze.blocked(walls, (i, 0), "left")
        assert maze.blocked(walls, (i, maze.SIZE - 1), "right")


def test_morse(situations: Situations) -> None:
    for rules, _, puzzle in drawn("morse", situations):
        assert isinstance(puzzle, morse.Morse)
        assert morse.frequency_khz(rules.morse, puzzle) in morse.selectable_khz(rules.morse)
        assert len(morse.selectable_khz(rules.morse)) == 16


def test_complicated(situations: Situations) -> None:
    counts = set()
    for rules, facts, puzzle in drawn("complicated", situations):
        assert isinstance(puzzle, complicated.Complicated)
        counts.add(len(puzzle.wires))
        assert any(complicated.cut(rules.complicated, wire, facts) for wire in puzzle.wires)
    assert counts == {4, 5, 6}


def test_sequence(situations: Situations) -> None:
    counts = set()
    for rules, _, puzzle in drawn("sequence", situations):
        assert isinstance(puzzle, sequence.WireSequence)
        assert [len(panel) for panel in puzzle.panels] == [3] * 4
        assert any(puzzle.panels[0])
        listed = [wire for panel in puzzle.panels for wire in panel if wire]
        counts.add(len(listed))
        assert max(Counter(wire.colour for wire in listed).values()) <= 9
        for panel, cuts in zip(puzzle.panels, sequence.cuts(rules.sequence, puzzle), strict=True):
            assert all(wire for wire, cut in zip(panel, cuts, strict=True) if cut)
    assert counts == {9, 10}


def test_password(situations: Situations) -> None:
    for rules, _, puzzle in drawn("password", situations[::5]):
        assert isinstance(puzzle, password.Password)
        assert [len(set(column)) for column in puzzle.columns] == [6] * 5
        made = {"".join(letters) for letters in product(*puzzle.columns)}
        assert len(made & set(rules.password.words)) == 1
