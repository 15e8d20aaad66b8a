"""What needy modules have in common: they sleep for a while that nobody can foresee."""

from __future__ import annotations

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.clock import SECOND_US

SHORTEST_S, LONGEST_S = 20, 40


def sleep_us(rng: Stream) -> int:
    """How long a needy module sleeps: 20 to 40 s in whole seconds, each equally likely."""
    return (SHORTEST_S + rng.below(LONGEST_S - SHORTEST_S + 1)) * SECOND_US
