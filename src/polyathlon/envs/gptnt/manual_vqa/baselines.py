"""Manual questions: readers without a model.

`oracle` knows the answer. `first` and `longest` look at the form of the options only. The longest
option mostly is the one that declines to decide, so that `longest` shows what doubting everything
earns: nothing where there is an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.gptnt.bomb.questions import LETTERS, Choices


def random(observation: Observation, rng: Stream) -> str:
    """Uniform over the options."""
    letter: str = observation.actions.sample(rng)
    return letter


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The right option."""
    return LETTERS[state["question"]["answer"]]


def first(observation: Observation, rng: Stream) -> str:
    """Always the first option."""
    return LETTERS[0]


def longest(observation: Observation, rng: Stream) -> str:
    """The option of the most characters."""
    options = cast(Choices, observation.actions).options
    return LETTERS[max(range(len(options)), key=lambda index: len(options[index]))]
