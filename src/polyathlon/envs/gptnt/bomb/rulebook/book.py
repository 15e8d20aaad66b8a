"""The rules of the eleven modules as data: one frozen Struct per kind of module.

The simulator executes these tables and the manual prints them, so that both always agree. Rule
lists are read from the top and the first entry whose conditions all hold counts; the last entry
has no condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingCondition

WireColour: TypeAlias = Literal["black", "blue", "red", "white", "yellow"]
ButtonColour: TypeAlias = Literal["red", "blue", "yellow", "white"]
ButtonLabel: TypeAlias = Literal["press", "hold", "abort", "detonate"]
Do: TypeAlias = Literal["tap", "hold"]
Lamp: TypeAlias = Literal["red", "blue", "green", "yellow"]
Slot: TypeAlias = Literal[
    "top_left", "top_right", "middle_left", "middle_right", "bottom_left", "bottom_right"
]
Tint: TypeAlias = Literal["white", "red", "blue", "red+blue"]
Verdict: TypeAlias = Literal["C", "D", "S", "P", "B"]
SequenceColour: TypeAlias = Literal["red", "blue", "black"]
Cell: TypeAlias = tuple[int, int]


class WiresOf(Struct, frozen=True, tag="wires_of"):
    """The module has no, exactly one or more than one wire of a colour."""

    colour: WireColour
    count: Literal["none", "one", "several"]


class LastWire(Struct, frozen=True, tag="last_wire"):
    """The bottom wire has this colour."""

    colour: WireColour


WireCondition: TypeAlias = WiresOf | LastWire | CasingCondition


class Cut(Struct, frozen=True):
    """The wire to cut: the `place`-th from the top (1-based) or the last, of `colour` if given."""

    place: int | Literal["last"]
    colour: WireColour | None = None


class WireRule(Struct, frozen=True):
    """Cut that wire when all conditions hold."""

    cut: Cut
    when: tuple[WireCondition, ...] = ()


class WiresRules(Struct, frozen=True):
    """A rule list for each number of wires, 3 to 6."""

    by_count: Mapping[int, tuple[WireRule, ...]]


class ColourIs(Struct, frozen=True, tag="colour"):
    """The cap has this colour."""

    colour: ButtonColour


class LabelIs(Struct, frozen=True, tag="label"):
    """This word is written on the cap."""

    label: ButtonLabel


ButtonCondition: TypeAlias = ColourIs | LabelIs | CasingCondition


class ButtonRule(Struct, frozen=True):
    """Tap or hold when all conditions hold."""

    do: Do
    when: tuple[ButtonCondition, ...] = ()


class ButtonRules(Struct, frozen=True):
    """What to do with the button, and the digit to release a held one at, by its strip's colour.

    The digit, 0 to 9, may stand anywhere on the countdown; colours not in `release` have
    `release_otherwise`.
    """

    rules: tuple[ButtonRule, ...]
    release: Mapping[ButtonColour, int]
    release_otherwise: int


class KeypadRules(Struct, frozen=True):
    """Six columns of seven symbol names each; two columns share at most three symbols."""

    columns: tuple[tuple[str, ...], ...]


class SimonRules(Struct, frozen=True):
    """What to press for each flash: one map per number of strikes, 0, 1 and 2 or more."""

    vowel: tuple[Mapping[Lamp, Lamp], ...]
    no_vowel: tuple[Mapping[Lamp, Lamp], ...]


class WordsRules(Struct, frozen=True):
    """Who's On First: where to read for each display word, then which label comes first.

    `groups` are the two sets of 14 labels that appear together; `lists` orders, for each label
    read, the labels of its group. The empty display is the word "".
    """

    read: Mapping[str, Slot]
    groups: tuple[tuple[str, ...], ...]
    lists: Mapping[str, tuple[str, ...]]


class Position(Struct, frozen=True, tag="position"):
    """Press the button at this place from the left, 1 to 4."""

    place: int


class Label(Struct, frozen=True, tag="label"):
    """Press the button with this digit, 1 to 4."""

    digit: int


class SamePosition(Struct, frozen=True, tag="same_position"):
    """Press the place that was pressed in an earlier stage (1-based)."""

    stage: int


class SameLabel(Struct, frozen=True, tag="same_label"):
    """Press the digit that was pressed in an earlier stage (1-based)."""

    stage: int


Instruction: TypeAlias = Position | Label | SamePosition | SameLabel


class MemoryRules(Struct, frozen=True):
    """One row per stage (five) of one instruction per displayed digit, 1 to 4."""

    stages: tuple[tuple[Instruction, ...], ...]


class MazeMap(Struct, frozen=True):
    """One 6x6 maze; cells are (row, column), 0-based from the top left.

    `right[row][column]` is "1" if a wall stands right of that cell (six strings of five),
    `below[row][column]` if one stands below it (five strings of six). The border is closed.
    """

    markers: tuple[Cell, Cell]
    right: tuple[str, ...]
    below: tuple[str, ...]


class MazeRules(Struct, frozen=True):
    """Nine mazes; their 18 marker cells are all different."""

    mazes: tuple[MazeMap, ...]


class MorseRules(Struct, frozen=True):
    """Lower-case word to frequency, in kHz above 3 MHz: 505 is 3.505 MHz."""

    frequencies_khz: Mapping[str, int]


class ComplicatedRules(Struct, frozen=True):
    """A verdict by the wire's tint and what is beside it: nothing, star, LED, star and LED.

    C cut, D do not cut, S cut if the last serial digit is even, P if there is a parallel port,
    B if there are two or more batteries. White stripes do not change a tint.
    """

    verdicts: Mapping[Tint, tuple[Verdict, Verdict, Verdict, Verdict]]


class SequenceRules(Struct, frozen=True):
    """For the n-th wire of a colour (nine entries), the ends among A, B, C that have it cut."""

    cut_at: Mapping[SequenceColour, tuple[str, ...]]


class PasswordRules(Struct, frozen=True):
    """The 35 five-letter words."""

    words: tuple[str, ...]


class RuleBook(Struct, frozen=True):
    """One consistent set of rules for all eleven kinds of modules."""

    wires: WiresRules
    button: ButtonRules
    keypad: KeypadRules
    simon: SimonRules
    words: WordsRules
    memory: MemoryRules
    maze: MazeRules
    morse: MorseRules
    complicated: ComplicatedRules
    sequence: SequenceRules
    password: PasswordRules


@cache
def standard() -> RuleBook:
    """The standard rules."""
    text = files(__package__).joinpath("standard.json").read_bytes()
    return msgspec.json.decode(text, type=RuleBook)
