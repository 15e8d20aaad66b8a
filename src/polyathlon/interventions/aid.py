"""Aid: extra help that the env offers on demand."""

from __future__ import annotations

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.errors import unknown
from polyathlon.core.interventions import Stage
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation


class Aid(msgspec.Struct, frozen=True):
    """Adds the aids of one channel behind the percepts, at the moments that offer them."""

    name: str
    channel: str
    stage: Stage = "aid"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        aids = tuple(
            aid for percept in obs.percepts for aid in percept.aids if aid.channel == self.channel
        )
        return msgspec.structs.replace(obs, percepts=obs.percepts + aids)


def aid(*, subject: str, spec: EnvSpec) -> Aid:
    """aid:CHANNEL

    Add help. An env declares each of its aids as a channel that is not default.
    """
    offered = [channel.name for channel in spec.channels if not channel.default]
    if subject not in offered:
        raise unknown(f"aid of {spec.id}", subject, offered)
    return Aid(f"aid:{subject}", subject)
