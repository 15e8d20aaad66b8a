"""What tables call things: models, harnesses, conditions, and the metric that leads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal, TypeAlias

import msgspec

from polyathlon import registry
from polyathlon.agents.harness.config import label as llm_label
from polyathlon.core.agents import Access, AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import EpisodeSpec, Limits, SchedulerSpec
from polyathlon.core.errors import UserError
from polyathlon.core.spec import EnvSpec, Metric

DEFAULT = "default"
JOIN = " · "

Stamp: TypeAlias = Access | Literal["unstamped"]
"""What an agent was given, as far as its trace says."""
_ALWAYS: Mapping[str, Access] = {
    **dict.fromkeys(("llm", "random", "human"), "plain"),
    "oracle": "privileged",
}
"""Kinds of agents of which that is known without a stamp."""


@cache
def known_env(id: str) -> EnvSpec | None:
    """The spec of an env, or None where it is not installed: a report needs its traces alone."""
    try:
        return registry.env_spec(id)
    except (UserError, ImportError):
        return None


def lineup(episode: EpisodeSpec) -> str:
    """Who plays what, such as `defuser=A, expert=B`."""
    return ", ".join(f"{role}={agent.label}" for role, agent in sorted(episode.lineup.items()))


def stamp(agent: AgentSpec, given: Access | None) -> Stamp:
    """What an agent was given: as its trace says, or what is known of its kind."""
    return _ALWAYS.get(agent.kind, "unstamped") if given is None else given


def marked(who: str, access: Stamp) -> str:
    """Who plays, marked unless nothing but delivered percepts was given."""
    return who if access == "plain" else f"{who} ({access})"


def harness(agent: AgentSpec) -> str:
    """The toggles of an agent: for `llm` the name of its preset and what else is set, else all."""
    if agent.kind == "llm":
        try:
            return llm_label(agent.harness)
        except UserError:  # settings of another version of the package
            return _listed(agent.harness)
    kind = [] if agent.kind == agent.label else [f"agent={agent.kind}"]
    return ", ".join([*kind, *filter(None, [_listed(agent.harness)])])


def condition(episode: EpisodeSpec) -> str:
    """All that was chosen besides env, level, seed and models; `default` when nothing was.

    Harness, options that differ from the env's defaults, interventions, scheduler and limits.
    """
    parts = [
        _harnesses(episode.lineup),
        _listed(_changed_options(episode)),
        " + ".join(episode.interventions),
        _listed(_set(episode.scheduler)),
        _listed({f"limit {key}": value for key, value in _set(episode.limits).items()}),
    ]
    return JOIN.join(part for part in parts if part) or DEFAULT


def lead_metric(env: str, metrics: Iterable[str]) -> str:
    """The metric an env declares first; for an unknown env the first one in its traces."""
    spec = known_env(env)
    if spec is not None and spec.metrics:
        return spec.metrics[0].name
    return next(iter(metrics), "")


def declared(env: str) -> dict[str, Metric]:
    """The metrics an env declares, by name; empty where it is not installed."""
    spec = known_env(env)
    return {} if spec is None else {metric.name: metric for metric in spec.metrics}


def is_event(env: str, metric: str) -> bool:
    """Whether a metric says if something happened, so that its mean is a rate."""
    found = declared(env).get(metric)
    return found is not None and found.event


def is_outcome(env: str, metric: str) -> bool:
    """Whether a metric says how the rules ended or judged an episode, such as a deadlock.

    A failed episode has no such thing. Success is none: an episode that failed was not won.
    """
    found = declared(env).get(metric)
    return found is not None and found.event and not found.higher_is_better


def title(env: str) -> str:
    """The name of an env for people."""
    spec = known_env(env)
    return env if spec is None else spec.title


def _harnesses(lineup: Mapping[str, AgentSpec]) -> str:
    labels = {role: harness(agent) for role, agent in sorted(lineup.items())}
    if len(set(labels.values())) == 1:
        return next(iter(labels.values()))
    return "; ".join(f"{role}: {label or DEFAULT}" for role, label in labels.items())


def _changed_options(episode: EpisodeSpec) -> Mapping[str, JSON]:
    spec = known_env(episode.env)
    defaults = {} if spec is None else {option.name: option.default for option in spec.options}
    return {
        name: value
        for name, value in sorted(episode.options.items())
        if name not in defaults or defaults[name] != value
    }


def _set(chosen: SchedulerSpec | Limits) -> dict[str, JSON]:
    """The fields that differ from their defaults."""
    defaults = type(chosen)()
    fields: dict[str, JSON] = msgspec.structs.asdict(chosen)
    return {name: value for name, value in fields.items() if value != getattr(defaults, name)}


def _listed(values: Mapping[str, JSON]) -> str:
    return ", ".join(_toggle(key, value) for key, value in values.items())


def _toggle(key: str, value: JSON) -> str:
    if value is True:
        return key
    if value is False:
        return f"no {key}"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return f"{key}={text}"
