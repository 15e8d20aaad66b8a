"""Keypad symbols: the drawing of a symbol, and what is asked."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.core.actions import ActionSpace, FreeText
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb import questions
from polyathlon.envs.gptnt.keypad.bank import Sample
from polyathlon.envs.gptnt.keypad.rules import Choice, Description

SIDE_PX = 256
MARGIN_PX = 28
MOST_CHARACTERS = 1_000


def percepts(rules: Choice | Description, role: Role) -> tuple[Percept, ...]:
    """The drawing; for a choice also the descriptions."""
    facts = {"symbol": rules.sample.symbol}
    drawing = Percept("symbol", "image", rules.sample, draw, facts=facts)
    if isinstance(rules, Choice):
        return drawing, questions.percept(rules.question)
    return (drawing,)


def actions(rules: Choice | Description, role: Role) -> ActionSpace[str]:
    """The letters of the descriptions, or words of one's own."""
    if isinstance(rules, Choice):
        return questions.Choices(rules.question.options)
    return FreeText(MOST_CHARACTERS)


@lru_cache(maxsize=64)
def draw(sample: Sample) -> Image:
    """The symbol on a square."""
    import numpy as np

    from polyathlon.envs.gptnt.bomb.symbols import mask

    ink = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    inside = slice(MARGIN_PX, SIDE_PX - MARGIN_PX)
    ink[inside, inside] = mask(sample.symbol, SIDE_PX - 2 * MARGIN_PX)
    grey = ink if sample.inverted else 255 - ink
    return Image(SIDE_PX, SIDE_PX, np.repeat(grey[..., None], 3, axis=2).tobytes())
