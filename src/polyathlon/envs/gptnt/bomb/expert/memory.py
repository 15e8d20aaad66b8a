"""Memory in words: the expert remembers what was pressed."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, indices, listed, numbers, ordinals
from polyathlon.envs.gptnt.bomb.rulebook.memory import BUTTONS, STAGES, MemoryStage, press

_OPENING = "buttons with digits under a display"


def describe(sight: Sight) -> str:
    """The stage, the display and the digits from the left."""
    module = sight.module
    stage, digits = module.current, listed(module.current.labels)
    return (
        f"There are four {_OPENING}. At stage {module.stage} it shows {stage.display}, "
        f"and the buttons from the left read {digits}."
    )


def advice(text: str, notes: Notes) -> str | None:
    """Which button to press."""
    if _OPENING not in text:
        return None
    stage, display, *labels = (*numbers(text), 0, 0)[: BUTTONS + 2]
    sound = sorted(labels) == list(range(1, BUTTONS + 1)) and 1 <= display <= BUTTONS
    if not sound or not 1 <= stage <= min(STAGES, len(notes.pressed) + 1):
        return UNCLEAR
    del notes.pressed[stage - 1 :]
    pressed = press(notes.book.memory, MemoryStage(display, tuple(labels)), notes.pressed)
    notes.pressed.append(pressed)
    return f"Press the {ordinals([pressed.place - 1])} button from the left."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """That button."""
    return tuple(f"button{index + 1}" for index in indices(reply)[:1])
