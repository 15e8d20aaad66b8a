"""Conflict: a channel contradicts the others."""

from __future__ import annotations

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.errors import unknown
from polyathlon.core.interventions import LIE, Stage
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, change, find_target


class Conflict(msgspec.Struct, frozen=True):
    """Puts the percept a channel would carry if it lied in the place of the true one.

    `lie` names the counterfactual; "" takes one of those offered at the moment, uniformly. A
    percept that offers none stays as it is. `facts["lie"]` is the name of what was told; the
    trace keeps the true percept's facts beside it.
    """

    name: str
    where: Target
    lie: str = ""
    stage: Stage = "conflict"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        return change(obs, self.where, rng, self._contradicted)

    def _contradicted(self, percept: Percept, rng: Stream) -> Percept:
        lies = percept.counterfactuals
        if not lies:
            return percept
        if self.lie and self.lie not in lies:
            raise unknown(f"counterfactual of channel {percept.channel}", self.lie, lies)
        name = self.lie or rng.choice(sorted(lies))
        told = lies[name]
        facts = {**told.facts, LIE: name}
        return msgspec.structs.replace(told, facts=facts, aids=told.aids or percept.aids)


def conflict(*, subject: str, value: str = "", spec: EnvSpec) -> Conflict:
    """conflict:TARGET[=LIE]

    Let a channel or modality lie, in the way the env calls LIE.
    """
    name = f"conflict:{subject}={value}" if value else f"conflict:{subject}"
    return Conflict(name, find_target(spec, subject), value)
