"""Interventions: pure functions of observations that an experiment puts before the senses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from polyathlon.core.chance import Stream, stream
from polyathlon.core.world import Observation

Stage: TypeAlias = Literal["conflict", "words", "aid", "substitute", "signal", "ablate"]
STAGES: tuple[Stage, ...] = ("conflict", "words", "aid", "substitute", "signal", "ablate")

LIE, NOISY = "lie", "noisy"
MARKS = frozenset({LIE, NOISY})
"""Facts by which interventions tell traces and reports what they did; no player is given them."""


class Intervention(Protocol):
    """Changes what is sensed, never what is. Applied in the fixed order of STAGES."""

    name: str
    stage: Stage

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        """The observation as delivered. Must not render and must not change `obs`."""
        ...


def in_order(interventions: list[Intervention]) -> list[Intervention]:
    """Interventions in the order of their stages; the given order decides within a stage."""
    return sorted(interventions, key=lambda item: STAGES.index(item.stage))


def delivered(obs: Observation, interventions: Sequence[Intervention], seed: int) -> Observation:
    """The observation of an episode's seed after its interventions, which are in order."""
    for item in interventions:
        rng = stream(seed, "intervention", item.name, obs.role, obs.turn)
        obs = item.apply(obs, rng)
    return obs
