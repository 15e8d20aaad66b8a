"""Items about Memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook import memory
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Instruction,
    Label,
    MemoryRules,
    Position,
    RuleBook,
    SameLabel,
    SamePosition,
)
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    TRIES,
    Draft,
    nth,
    ordinal,
    others,
    said,
    shuffled,
)

_BUTTONS = (1, 2, 3, 4)
_STAGES = (1, 2, 3, 4, 5)
_ASKS = ("Which button is pressed now?", "Which button do you name?")
_UNKNOWN = (5, 0, 7, 6, 9, 8)
_DISPLAY = "the number on the display"


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    stage, display = nth(product(_STAGES, _BUTTONS), index, "memory")
    rows = book.memory.stages
    right = _instruction(rows[stage - 1][display - 1])
    same_stage = shuffled(rows[stage - 1], rng)
    same_display = shuffled((row[display - 1] for row in rows), rng)
    any_other: list[Instruction] = [*map(Position, _BUTTONS), *map(Label, _BUTTONS)]
    rng.shuffle(any_other)
    wrong = map(_instruction, [*same_stage, *same_display, *any_other])
    return Draft(
        text=f"What does the manual say for stage {stage} when the display shows {display}?",
        right=right,
        wrong=others(right, wrong),
        why="read",
        given={"stage": stage, "display": display},
        needs=_needs(rng),
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Stages 1 and 2, or later ones, which look further back (hard)."""
    hard = index % 2 == 1
    stage = 3 + rng.below(3) if hard else 1 + rng.below(2)
    puzzle = memory.draw(rng)
    history = _played(book.memory, puzzle, stage - 1)
    now = puzzle.stages[stage - 1]
    answer = memory.press(book.memory, now, history)
    by_place = bool(rng.below(2))
    right = _button(answer, by_place)
    wrong = [_button(_at(now, place), by_place) for place in shuffled(_BUTTONS, rng)]
    instruction = book.memory.stages[stage - 1][now.display - 1]
    return Draft(
        text=f"{said(_tell(now.display, now.labels, history, rng), rng)} {rng.choice(_ASKS)}",
        right=right,
        wrong=others(right, wrong),
        why=_instruction(instruction),
        given=_given(now.display, now.labels, history),
        needs=_needs(rng),
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """What was pressed in a stage that counts is not told, or the display."""
    for _ in range(TRIES if index % 3 else 0):
        puzzle = memory.draw(rng)
        stage = 2 + rng.below(4)
        now, history = puzzle.stages[stage - 1], _played(book.memory, puzzle, stage - 1)
        match book.memory.stages[stage - 1][now.display - 1]:
            case SamePosition(earlier) | SameLabel(earlier):
                return _forgotten(book.memory, now, history, earlier, rng)
    while True:
        puzzle = memory.draw(rng)
        stage = 1 + rng.below(5)
        now, history = puzzle.stages[stage - 1], _played(book.memory, puzzle, stage - 1)
        shown = [memory.MemoryStage(display, now.labels) for display in _BUTTONS]
        answers = [memory.press(book.memory, each, history) for each in shown]
        if len(set(answers)) > 1:
            break
    return Draft(
        text=f"{said(_tell(None, now.labels, history, rng), rng)} {rng.choice(_ASKS)}",
        missing=_DISPLAY,
        wrong=[_button(_at(now, place), True) for place in shuffled(_BUTTONS, rng)],
        why="; ".join(f"{n}: place {a.place}" for n, a in zip(_BUTTONS, answers, strict=True)),
        given=_given(None, now.labels, history),
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A display or a button with a number beyond 1 to 4."""
    puzzle = memory.draw(rng)
    stage = 1 + rng.below(4)
    now, history = puzzle.stages[stage], _played(book.memory, puzzle, stage)
    strange = _UNKNOWN[index % len(_UNKNOWN)]
    labels = now.labels
    if index % 2:
        labels = tuple(strange if digit == now.display else digit for digit in labels)
        now = memory.MemoryStage(now.display, labels)
    else:
        now = memory.MemoryStage(strange, labels)
    return Draft(
        text=f"{said(_tell(now.display, now.labels, history, rng), rng)} {rng.choice(_ASKS)}",
        wrong=[_button(_at(now, place), True) for place in shuffled(_BUTTONS, rng)],
        why=f"there is no {strange}",
        given=_given(now.display, labels, history),
        needs=_needs(rng),
    )


def _forgotten(
    rules: MemoryRules,
    now: memory.MemoryStage,
    history: Sequence[memory.Pressed],
    earlier: int,
    rng: Stream,
) -> Draft:
    """An item that hides what was pressed in an earlier stage."""
    told = [each if n != earlier else None for n, each in enumerate(history, 1)]
    answers = {}
    for place in _BUTTONS:
        full = [each or memory.Pressed(place, place) for each in told]
        answers[place] = memory.press(rules, now, full)
    return Draft(
        text=f"{said(_tell(now.display, now.labels, told, rng), rng)} {rng.choice(_ASKS)}",
        missing=_pressed_in(earlier),
        wrong=[_button(_at(now, place), True) for place in shuffled(_BUTTONS, rng)],
        why="; ".join(f"pressed {n}: place {answer.place}" for n, answer in answers.items()),
        given=_given(now.display, now.labels, told),
    )


def _played(rules: MemoryRules, puzzle: memory.Memory, stages: int) -> list[memory.Pressed]:
    """What a right solution presses in the first stages."""
    history: list[memory.Pressed] = []
    for stage in puzzle.stages[:stages]:
        history.append(memory.press(rules, stage, history))
    return history


def _tell(
    display: int | None,
    labels: Sequence[int],
    history: Sequence[memory.Pressed | None],
    rng: Stream,
) -> str:
    """All stages in words; what is None is not told."""
    past = [
        f"Stage {n}: I pressed the {ordinal(each.place - 1)} button, it said {each.digit}."
        if each
        else f"Stage {n}: done, but I did not write down what I pressed."
        for n, each in enumerate(history, 1)
    ]
    buttons = ", ".join(map(str, labels))
    shown = f"shows {display}" if display is not None else "is out of my view"
    present = rng.choice(
        (
            f"Now stage {len(history) + 1}: the display {shown}, the buttons read {buttons}.",
            f"Stage {len(history) + 1} is on. Buttons from the left: {buttons}. "
            f"The big display {shown}.",
        )
    )
    return " ".join([*past, present])


def _given(
    display: int | None, labels: Sequence[int], history: Sequence[memory.Pressed | None]
) -> dict[str, JSON]:
    pressed = [(each.place, each.digit) if each else None for each in history]
    return {"display": display, "labels": labels, "history": pressed}


def _at(stage: memory.MemoryStage, place: int) -> memory.Pressed:
    return memory.Pressed(place, stage.labels[place - 1])


def _button(pressed: memory.Pressed, by_place: bool) -> str:
    if by_place:
        return f"The {ordinal(pressed.place - 1)} button from the left"
    return f"The button that says {pressed.digit}"


def _pressed_in(stage: int) -> str:
    return f"what was pressed in stage {stage}"


def _needs(rng: Stream) -> tuple[str, ...]:
    return (_pressed_in(1 + rng.below(4)), _DISPLAY)


def _instruction(found: Instruction) -> str:
    match found:
        case Position(place):
            return f"The {ordinal(place - 1)} place from the left"
        case Label(digit):
            return f"The button with the digit {digit}"
        case SamePosition(stage):
            return f"The place pressed in stage {stage}"
        case SameLabel(stage):
            return f"The digit pressed in stage {stage}"
