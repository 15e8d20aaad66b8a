"""Picture questions: observers without a model.

`oracle` knows the answer. `several` and `none` always decline: what they score is the share of
items of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.gptnt.bomb.questions import LETTERS, Choices
from polyathlon.envs.gptnt.simulator_vqa.bank import NONE, SEVERAL


def random(observation: Observation, rng: Stream) -> str:
    """Uniform over the options."""
    letter: str = observation.actions.sample(rng)
    return letter


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The right option."""
    return LETTERS[state["question"]["answer"]]


def several(observation: Observation, rng: Stream) -> str:
    """Always that several answers fit."""
    return _saying(SEVERAL, observation)


def none(observation: Observation, rng: Stream) -> str:
    """Always that it is not there."""
    return _saying(NONE, observation)


def _saying(words: str, observation: Observation) -> str:
    return LETTERS[cast(Choices, observation.actions).options.index(words)]
