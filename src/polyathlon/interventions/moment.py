"""Interventions at one decision alone."""

from __future__ import annotations

from polyathlon.core.chance import Stream
from polyathlon.core.interventions import Intervention, Stage
from polyathlon.core.world import Observation, Role


class AtMoment:
    """Does what `inner` does at one decision of a role, counted from 0, and nothing else."""

    def __init__(self, inner: Intervention, role: Role, turn: int) -> None:
        self.name: str = inner.name
        self.stage: Stage = inner.stage
        self._inner = inner
        self._moment = (role, turn)

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        """The observation as delivered, changed where it is of that decision."""
        here = (obs.role, obs.turn) == self._moment
        return self._inner.apply(obs, rng) if here else obs
