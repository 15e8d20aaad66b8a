"""Scorers: the trace of an ended episode goes in, scores come out; the trace never changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from polyathlon.core import trace
from polyathlon.core.models import Abilities, Reply, Request
from polyathlon.core.parts import Part
from polyathlon.core.world import Role


class Scores(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a scorer found in one episode. Raises ValueError for a value that is not finite.

    `values` are of the whole episode, `roles` by role where the env has several. What an episode
    gives no ground for (a share of nothing) is left out. `notes` are lines for a person.
    """

    values: Mapping[str, float] = {}
    roles: Mapping[Role, Mapping[str, float]] = {}
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for values in (self.values, *self.roles.values()):
            for name, value in values.items():
                if not math.isfinite(value):
                    raise ValueError(f"score {name} is {value}: leave it out instead")


class ScorerContext(Protocol):
    """A scorer's only way to the model it was given and to the media that a trace names."""

    abilities: Abilities

    async def complete(self, request: Request, purpose: str) -> Reply:
        """Ask the model. Rate limits, retries and recording happen underneath."""
        ...

    def media(self, ref: trace.Ref) -> Part:
        """The part that a trace names. Raises UserError when its medium was not kept."""
        ...


class Scorer(Protocol):
    """Scores episodes one at a time.

    A change that can move a score raises `version`. `asks` says that it needs a model; `envs`
    are the ids it understands, () for all.
    """

    name: str
    version: int
    asks: bool
    envs: tuple[str, ...]

    async def score(self, events: Sequence[trace.Event], ctx: ScorerContext) -> Scores:
        """The scores of an ended episode. What it raises becomes the cause of a missing score."""
        ...
