"""Memory: five stages whose instructions refer to what was pressed before."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Label,
    MemoryRules,
    Position,
    SameLabel,
    SamePosition,
)

STAGES, BUTTONS = 5, 4


class MemoryStage(Struct, frozen=True):
    """The displayed digit and the buttons' digits from the left, all 1 to 4."""

    display: int
    labels: tuple[int, ...]


class Memory(Struct, frozen=True):
    """Five stages; after a mistake the simulator draws all of them again."""

    stages: tuple[MemoryStage, ...]


class Pressed(Struct, frozen=True):
    """One button of one stage: its place from the left and its digit, both 1 to 4."""

    place: int
    digit: int


def draw(rng: Stream) -> Memory:
    """Every display and every order of the digits equally likely."""
    return Memory(tuple(_draw_stage(rng) for _ in range(STAGES)))


def press(rules: MemoryRules, stage: MemoryStage, history: Sequence[Pressed]) -> Pressed:
    """The button to press; `history` holds what was pressed in each stage before this one."""
    match rules.stages[len(history)][stage.display - 1]:
        case Position(place):
            return _at(stage, place)
        case Label(digit):
            return _labelled(stage, digit)
        case SamePosition(earlier):
            return _at(stage, history[earlier - 1].place)
        case SameLabel(earlier):
            return _labelled(stage, history[earlier - 1].digit)


def _draw_stage(rng: Stream) -> MemoryStage:
    labels = list(range(1, BUTTONS + 1))
    rng.shuffle(labels)
    return MemoryStage(1 + rng.below(BUTTONS), tuple(labels))


def _at(stage: MemoryStage, place: int) -> Pressed:
    return Pressed(place, stage.labels[place - 1])


def _labelled(stage: MemoryStage, digit: int) -> Pressed:
    return Pressed(stage.labels.index(digit) + 1, digit)
