"""Substitution: the same content in another modality."""

from __future__ import annotations

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.interventions import Stage
from polyathlon.core.percepts import Percept, in_words
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, find_target


class Substitute(msgspec.Struct, frozen=True):
    """Gives the targeted percepts as their meaning in words instead of their signal."""

    name: str
    where: Target
    stage: Stage = "substitute"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        percepts = tuple(
            _in_words(percept, self.name) if self.where.hits(percept) else percept
            for percept in obs.percepts
        )
        return msgspec.structs.replace(obs, percepts=percepts)


def substitute(*, subject: str, value: str = "text", spec: EnvSpec) -> Substitute:
    """substitute:TARGET[=text]

    Replace a channel's or modality's signal by its meaning in words.
    """
    if value != "text":
        raise unknown("substitute modality", value, ["text"])
    return Substitute(
        f"substitute:{subject}", find_target(spec, subject, ("image", "audio", "video"))
    )


def _in_words(percept: Percept, name: str) -> Percept:
    try:
        return in_words(percept)
    except ValueError as error:
        raise UserError(f"{error}: leave {name} out or target another channel") from error
