"""Players that neither see nor plan."""

from __future__ import annotations

from polyathlon.core.actions import Malformed
from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation
from polyathlon.envs.omniplay.phantom.rules.command import STATUS, Command


def random(observation: Observation, rng: Stream) -> Command:
    """Uniform over command form, members, action and integer coordinates."""
    command: Command = observation.actions.sample(rng)
    return command


def passive(observation: Observation, rng: Stream) -> Command:
    """Asks for the status and orders nothing."""
    return STATUS


def invalid(observation: Observation, rng: Stream) -> Malformed:
    """Never answers with a command."""
    return Malformed("no COMMAND: in the reply", "Hold the line.")
