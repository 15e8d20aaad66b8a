"""Who's On First: a display says which label to read, and that label says which one to press."""

from __future__ import annotations

from typing import get_args

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import Slot, WordsRules

SLOTS: tuple[Slot, ...] = get_args(Slot)
STAGES = 3


class WordsStage(Struct, frozen=True):
    """A display word and six labels in the order of SLOTS (reading order of a 3x2 grid)."""

    display: str
    labels: tuple[str, ...]


class Words(Struct, frozen=True):
    """Three stages; after a mistake the simulator draws the current one again."""

    stages: tuple[WordsStage, ...]


def draw(rules: WordsRules, rng: Stream) -> Words:
    """Three independent stages."""
    return Words(tuple(draw_stage(rules, rng) for _ in range(STAGES)))


def draw_stage(rules: WordsRules, rng: Stream) -> WordsStage:
    """A random display word over six labels of a random group."""
    labels = list(rng.choice(rules.groups))
    rng.shuffle(labels)
    return WordsStage(rng.choice(sorted(rules.read)), tuple(labels[: len(SLOTS)]))


def slot_to_read(rules: WordsRules, stage: WordsStage) -> Slot:
    """Where the label to look up stands."""
    return rules.read[stage.display]


def slot_to_press(rules: WordsRules, stage: WordsStage) -> Slot:
    """Where the label to press stands: the first visible one in the list of the label read."""
    read = stage.labels[SLOTS.index(slot_to_read(rules, stage))]
    word = next(word for word in rules.lists[read] if word in stage.labels)
    return SLOTS[stage.labels.index(word)]
