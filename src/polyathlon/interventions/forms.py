"""What every intervention needs to be built: its target among the percepts, and its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import msgspec

from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.parts import Modality
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation

MODALITIES: tuple[Modality, ...] = get_args(Modality)


class Target(msgspec.Struct, frozen=True):
    """The percepts of one channel, of one modality, or all of them when both are empty."""

    channel: str = ""
    modality: str = ""

    @property
    def text(self) -> str:
        """How a command line writes it."""
        return self.channel or self.modality

    def hits(self, percept: Percept) -> bool:
        """Whether the percept is meant."""
        if self.channel:
            return percept.channel == self.channel
        return not self.modality or percept.modality == self.modality


def find_target(spec: EnvSpec, name: str, allowed: tuple[Modality, ...] = MODALITIES) -> Target:
    """The channel or else the modality that `name` is; "" means every percept.

    Raises UserError when the env has neither, or when it is of no `allowed` modality.
    """
    if not name:
        return Target()
    modalities = {channel.name: channel.modality for channel in spec.channels}
    if name not in modalities and name not in modalities.values():
        raise unknown(f"channel or modality of {spec.id}", name, _names(modalities, allowed))
    if modalities.get(name, name) not in allowed:
        usable = ", ".join(_names(modalities, allowed)) or "none here"
        raise UserError(f"{name} of {spec.id} is not {' or '.join(allowed)}; usable: {usable}")
    return Target(channel=name) if name in modalities else Target(modality=name)


def number(text: str, what: str, low: float, high: float) -> float:
    """A number in [low, high]. Raises UserError with the bounds."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise UserError(f"{what} takes a number from {low:g} to {high:g}, not {text!r}")
    return value


def suffix(where: Target) -> str:
    """The `@TARGET` of an intervention's name, or nothing."""
    return f"@{where.text}" if where.text else ""


def change(
    obs: Observation, where: Target, rng: Stream, edit: Callable[[Percept, Stream], Percept]
) -> Observation:
    """The observation with its targeted percepts edited.

    Takes one word of `rng`; every percept has its own stream, so that none shifts another.
    """
    key = rng.word()
    percepts = tuple(
        edit(percept, stream(key, percept.channel, place)) if where.hits(percept) else percept
        for place, percept in enumerate(obs.percepts)
    )
    return msgspec.structs.replace(obs, percepts=percepts)


def _names(modalities: dict[str, Modality], allowed: tuple[Modality, ...]) -> list[str]:
    usable = {name: kind for name, kind in modalities.items() if kind in allowed}
    return sorted({*usable, *usable.values()})
