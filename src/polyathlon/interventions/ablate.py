"""Ablation: a channel or modality is missing."""

from __future__ import annotations

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.interventions import Stage
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, find_target


class Ablate(msgspec.Struct, frozen=True):
    """Drops the targeted percepts. Nothing says that they are missing."""

    name: str
    where: Target
    stage: Stage = "ablate"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        left = tuple(percept for percept in obs.percepts if not self.where.hits(percept))
        return msgspec.structs.replace(obs, percepts=left)


def ablate(*, subject: str, spec: EnvSpec) -> Ablate:
    """ablate:TARGET

    Drop a channel or every channel of a modality.
    """
    return Ablate(f"ablate:{subject}", find_target(spec, subject))
