"""Keypad symbols: describers without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.gptnt.bomb.questions import LETTERS, Choices
from polyathlon.envs.gptnt.bomb.symbols import NAMES
from polyathlon.envs.gptnt.keypad import gold


def random(observation: Observation, rng: Stream) -> str:
    """Any of the letters, or a gold description of any symbol."""
    if isinstance(observation.actions, Choices):
        return observation.actions.sample(rng)
    return rng.choice(gold.symbols()[rng.choice(NAMES)].gold)


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The right letter, or a description of the symbol that is none of the gold ones."""
    if "question" in state:
        return LETTERS[state["question"]["answer"]]
    return gold.symbols()[state["shown"]].paraphrase
