"""An env described: its spec as table rows, and what its roles are told and sense first."""

from __future__ import annotations

import msgspec

from polyathlon.core.parts import Modality
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.core.world import Brief, Env, Observation, Role

CHANNEL_HEAD = ("channel", "modality", "size", "sent", "what it carries")
METRIC_HEAD = ("metric", "unit", "better", "if failed", "what it counts")
OPTION_HEAD = ("option", "default", "range", "what it sets")


class Sensed(msgspec.Struct, frozen=True):
    """A percept in words; `meaning` is None where words cannot say it."""

    channel: str
    modality: Modality
    meaning: str | None


class Seat(msgspec.Struct, frozen=True):
    """What one role is told and senses first."""

    role: Role
    brief: Brief
    percepts: tuple[Sensed, ...]
    ask: str
    actions: str


class Description(msgspec.Struct, frozen=True):
    """An env at the start of one episode, seen by the roles whose action it waits for."""

    spec: EnvSpec
    level: str
    seed: int
    seats: tuple[Seat, ...]


def describe(env: Env, level: str, seed: int) -> Description:
    """The description of an env that was reset to `seed`."""
    seats = tuple(_seat(env.brief(role), env.observe(role)) for role in env.pending())
    return Description(env.spec, level, seed, seats)


def _seat(brief: Brief, observation: Observation) -> Seat:
    percepts = tuple(Sensed(p.channel, p.modality, p.meaning) for p in observation.percepts)
    actions = observation.actions.describe()
    return Seat(observation.role, brief, percepts, observation.ask, actions)


def fact_rows(spec: EnvSpec) -> list[tuple[str, str]]:
    """What a spec says in single lines."""
    facts = [
        ("roles", ", ".join(spec.roles)),
        ("levels", ", ".join(spec.levels)),
        ("clock", spec.clock),
        ("horizon", f"{spec.horizon} decisions a role"),
        ("score bounds", " to ".join("none" if b is None else f"{b:g}" for b in spec.bounds)),
        ("baselines", ", ".join(spec.policies)),
        ("tools", ", ".join(spec.tools)),
        ("reproducible", ", ".join(spec.promises)),
    ]
    return [(name, value) for name, value in facts if value]


def channel_row(channel: Channel) -> tuple[str, ...]:
    """A channel under CHANNEL_HEAD."""
    size = "x".join(map(str, channel.size_px)) if channel.size_px else ""
    sent = "always" if channel.default else "on request"
    return (channel.name, channel.modality, size, sent, channel.doc)


def metric_row(metric: Metric) -> tuple[str, ...]:
    """A metric under METRIC_HEAD."""
    better = "higher" if metric.higher_is_better else "lower"
    return (metric.name, metric.unit, better, f"{metric.failed:g}", metric.doc)


def option_row(option: Option) -> tuple[str, ...]:
    """An option under OPTION_HEAD."""
    bounds = ["" if bound is None else f"{bound:g}" for bound in (option.low, option.high)]
    span = "..".join(bounds) if any(bounds) else ", ".join(option.choices)
    return (option.name, str(option.default), span, option.doc)
