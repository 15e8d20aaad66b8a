"""Episodes as data: what exactly is played, by whom, under what."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import digest
from polyathlon.core.world import Role

EpisodeStatus: TypeAlias = Literal["done", "truncated", "failed", "stopped"]
Ending: TypeAlias = Literal["running"] | EpisodeStatus


class SchedulerSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """How time passes: `turns`, `stepped` by `dt_s`, `realtime` or `virtual`.

    `latency_s` replaces the latency of model calls (`modelled`); None keeps the measured one.
    """

    kind: Literal["turns", "stepped", "realtime", "virtual"] = "turns"
    dt_s: float = 0.0
    latency_s: float | None = None


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bounds of one episode; None means none. Reaching one ends it as `truncated`.

    `turns` counts the decisions of each role, `calls` the model calls of all. `turn_s` bounds one
    decision, which then counts as malformed.
    """

    turns: int | None = None
    turn_s: float | None = None
    wall_s: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    calls: int | None = None


class Moment(msgspec.Struct, frozen=True, omit_defaults=True):
    """One decision of a role, counted from 0, and the interventions that it alone is given."""

    role: Role
    turn: int
    interventions: tuple[str, ...] = ()


class Branch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where an episode leaves another one.

    It shares the first `at` events after the header of the episode `parent`; `differs` says what is
    done differently from there on, and tells branches at one event apart. A probe of a `moment`
    ends after it.
    """

    parent: str
    at: int
    differs: str = ""
    moment: Moment | None = None


class EpisodeSpec(msgspec.Struct, frozen=True, dict=True):
    """Everything that decides an episode. Its id is the hash of exactly this."""

    env: str
    level: str
    options: Mapping[str, bool | int | float | str]
    seed: int
    lineup: Mapping[Role, AgentSpec]
    attempt: int = 0
    interventions: tuple[str, ...] = ()
    scheduler: SchedulerSpec = SchedulerSpec()
    limits: Limits = Limits()
    branch: Branch | None = None

    @cached_property
    def id(self) -> str:
        """16 hex digits of the hash of this spec."""
        return digest(self)[:16]
