"""Localisation: pointers without a model.

`none` always declines: what it scores is the share of instructions that nothing or too much fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.gptnt.bomb.bomb import elements
from polyathlon.envs.gptnt.bomb.play.actions import marks, pointed
from polyathlon.envs.gptnt.localisation import bank
from polyathlon.envs.gptnt.localisation.answers import NONE, Answer, Nothing


def random(observation: Observation, rng: Stream) -> Answer:
    """A random marker or place, or none."""
    answer: Answer = observation.actions.sample(rng)
    return answer


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Answer:
    """The right marker, or the middle of the right element."""
    target = state["target"]
    if target is None:
        return NONE
    item = bank.items(bank.category(state["category"]), state["module"])[state["number"]]
    bomb = item.moment.bomb
    if state["paradigm"] == "markers":
        return next(mark for mark in marks(elements(bomb)) if mark.element == target)
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot, centroid

    middle = centroid(Shot(bomb), target)
    if middle is None:
        raise ValueError(f"{target} is not to be seen")
    width_px, height_px = state["size_px"]
    return pointed(*middle, state["paradigm"], (width_px, height_px))


def none(observation: Observation, rng: Stream) -> Nothing:
    """Always none."""
    return NONE
