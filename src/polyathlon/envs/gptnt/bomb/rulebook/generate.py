"""Puzzles of any kind under any rule book."""

from __future__ import annotations

from typing import Literal, TypeAlias

from polyathlon.core.chance import Stream
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

Kind: TypeAlias = Literal[
    "wires",
    "button",
    "keypad",
    "simon",
    "words",
    "memory",
    "maze",
    "morse",
    "complicated",
    "sequence",
    "password",
]
Puzzle: TypeAlias = (
    wires.Wires
    | button.Button
    | keypad.Keypad
    | simon.Simon
    | words.Words
    | memory.Memory
    | maze.Maze
    | morse.Morse
    | complicated.Complicated
    | sequence.WireSequence
    | password.Password
)


def draw(kind: Kind, book: RuleBook, facts: CasingFacts, rng: Stream) -> Puzzle:
    """A puzzle that can be solved under `book` on a bomb with this casing."""
    match kind:
        case "wires":
            return wires.draw(rng)
        case "button":
            return button.draw(rng)
        case "keypad":
            return keypad.draw(book.keypad, rng)
        case "simon":
            return simon.draw(rng)
        case "words":
            return words.draw(book.words, rng)
        case "memory":
            return memory.draw(rng)
        case "maze":
            return maze.draw(book.maze, rng)
        case "morse":
            return morse.draw(book.morse, rng)
        case "complicated":
            return complicated.draw(book.complicated, facts, rng)
        case "sequence":
            return sequence.draw(rng)
        case "password":
            return password.draw(book.password, rng)
