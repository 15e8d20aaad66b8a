"""Who's On First in words."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, listed, quoted
from polyathlon.envs.gptnt.bomb.rulebook.words import SLOTS, WordsStage, slot_to_press

_OPENING = "six words in two columns"


def describe(sight: Sight) -> str:
    """The display and the labels row by row."""
    stage = sight.module.current
    labels = listed(f'"{label}"' for label in stage.labels)
    return f'Under a display that says "{stage.display}" are {_OPENING}. Row by row: {labels}.'


def advice(text: str, notes: Notes) -> str | None:
    """Which label to press."""
    if _OPENING not in text:
        return None
    display, *labels = quoted(text) or ("?",)
    rules = notes.book.words
    known = display in rules.read and all(label in rules.lists for label in labels)
    if not known or len(labels) != len(SLOTS):
        return UNCLEAR
    stage = WordsStage(display, tuple(labels))
    if not any(set(labels) <= set(group) for group in rules.groups):
        return UNCLEAR
    return f'Press the label "{labels[SLOTS.index(slot_to_press(rules, stage))]}".'


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """That label."""
    labels = sight.module.current.labels
    return tuple(f"label{labels.index(word) + 1}" for word in quoted(reply)[:1] if word in labels)
