"""Names to things: built-ins and third parties' entry points, imported only when used.

Groups are `polyathlon.envs` (entry points load to an EnvSpec), `polyathlon.agents`,
`polyathlon.models`, `polyathlon.tools`, `polyathlon.interventions` and `polyathlon.scorers`
(entry points load to a factory).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeAlias

from polyathlon.core.compose import ComposedEnv
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Env

Kind: TypeAlias = Literal["agents", "models", "tools", "interventions", "scorers"]

_ENV_PACKAGES = (
    "polyathlon.envs.lmgame.twenty48",
    "polyathlon.envs.lmgame.sokoban",
    "polyathlon.envs.lmgame.tetris",
    "polyathlon.envs.lmgame.candy",
    "polyathlon.envs.omniplay.pathfinding",
    "polyathlon.envs.omniplay.echoes",
    "polyathlon.envs.omniplay.alchemist",
    "polyathlon.envs.omniplay.phantom",
    "polyathlon.envs.omniplay.showdown",
    "polyathlon.envs.gptnt.defusal",
    "polyathlon.envs.gptnt.solo",
    "polyathlon.envs.gptnt.manual_vqa",
    "polyathlon.envs.gptnt.simulator_vqa",
    "polyathlon.envs.gptnt.localisation",
    "polyathlon.envs.gptnt.keypad",
    "polyathlon.envs.gptnt.exposure",
)

_BUILT_IN: Mapping[Kind, Mapping[str, str]] = {
    "agents": {
        "random": "polyathlon.agents.baselines:random_agent",
        "oracle": "polyathlon.agents.baselines:oracle_agent",
        "human": "polyathlon.agents.human:human_agent",
        "llm": "polyathlon.agents.llm:llm_agent",
    },
    "models": {
        "openai": "polyathlon.agents.models.openai:openai",
        "openrouter": "polyathlon.agents.models.openai:openrouter",
        "vllm": "polyathlon.agents.models.openai:vllm",
        "llamacpp": "polyathlon.agents.models.openai:llamacpp",
        "transformers": "polyathlon.agents.models.openai:transformers",
        "anthropic": "polyathlon.agents.models.anthropic:anthropic",
        "google": "polyathlon.agents.models.google:google",
        "embedded": "polyathlon.agents.models.embedded:embedded",
        "scripted": "polyathlon.agents.models.scripted:scripted",
    },
    "tools": {"calculator": "polyathlon.tools.calculator:calculator"},
    "interventions": {
        "conflict": "polyathlon.interventions.conflict:conflict",
        "words": "polyathlon.interventions.words:words",
        "aid": "polyathlon.interventions.aid:aid",
        "substitute": "polyathlon.interventions.substitute:substitute",
        "noise": "polyathlon.interventions.signal:noise",
        "ablate": "polyathlon.interventions.ablate:ablate",
    },
    "scorers": {
        "loops": "polyathlon.scorers.loops:loops",
        "reflections": "polyathlon.scorers.reflections:reflections",
        "judge": "polyathlon.scorers.judge:judge",
        "descriptions": "polyathlon.scorers.descriptions:descriptions",
    },
}

_registered_envs: dict[str, EnvSpec] = {}
_factories: dict[str, Callable[..., Env]] = {}
_registered: dict[Kind, dict[str, Callable[..., Any]]] = {}


def register_env(spec: EnvSpec, factory: Callable[..., Env] | None = None) -> EnvSpec:
    """Add an env for this process. Raises UserError when its id is taken by another.

    `factory(level=..., **options)` makes it; None means what the spec's `entry` names.
    """
    taken = {**built_in_env_specs(), **_registered_envs}
    if taken.get(spec.id, spec) != spec:
        raise UserError(f"env {spec.id} is registered already: give the new one another version")
    _registered_envs[spec.id] = spec
    if factory is not None:
        _factories[spec.id] = factory
    return spec


def register(kind: Kind, name: str, factory: Callable[..., Any]) -> None:
    """Add an agent, model provider, tool, intervention or scorer for this process."""
    _registered.setdefault(kind, {})[name] = factory


@cache
def built_in_env_specs() -> Mapping[str, EnvSpec]:
    """The envs of this package by id; imports no rules."""
    specs: list[EnvSpec] = [importlib.import_module(name).SPEC for name in _ENV_PACKAGES]
    return {spec.id: spec for spec in specs}


@cache
def _third_party_envs() -> Mapping[str, EnvSpec]:
    specs: list[EnvSpec] = [entry.load() for entry in _entry_points("envs")]
    return {spec.id: spec for spec in specs}


def env_specs() -> Mapping[str, EnvSpec]:
    """Every known env by id; imports no rules."""
    return {**built_in_env_specs(), **_third_party_envs(), **_registered_envs}


def env_spec(id: str) -> EnvSpec:
    """The spec of an env. Raises UserError with the nearest ids or the versions that exist."""
    specs = env_specs()
    if id in specs:
        return specs[id]
    base = id.rsplit("-v", 1)[0]
    versions = [name for name in specs if name.rsplit("-v", 1)[0] == base]
    if versions:
        raise UserError(f"unknown env {id!r}: these versions exist: {', '.join(sorted(versions))}")
    raise unknown("env", id, specs)


def make(id: str, level: str | None = None, options: Mapping[str, object] | None = None) -> Env:
    """A fresh env, not reset yet. Raises UserError for a wrong id, level or option."""
    spec = env_spec(id)
    chosen = spec.level(level)
    values = spec.configure(options or {})
    if spec.id in _factories or ":" in spec.entry:
        factory = _factories.get(spec.id) or _load(spec.entry)
        env: Env = factory(level=chosen, **values)
        return env
    rules, view, prompts, scoring = (
        importlib.import_module(f"{spec.entry}.{part}")
        for part in ("rules", "view", "prompts", "scoring")
    )
    return ComposedEnv(spec, rules.Rules(chosen, **values), view, prompts, scoring)


def policy(id: str, name: str) -> Callable[..., Any] | None:
    """A baseline policy of an env (`random`, `oracle`), or None where the env has none.

    `random(observation, rng)` senses what a player senses; `oracle(state, role, rng)` does not. One
    that is a class is made anew for every seat of an episode, and remembers.
    """
    spec = env_spec(id)
    module = spec.baselines or (f"{spec.entry}.baselines" if ":" not in spec.entry else "")
    if not module or name not in spec.policies:
        return None
    return _load(f"{module}:{name}")


def names(kind: Kind) -> tuple[str, ...]:
    """The known names of a kind, sorted."""
    third = [entry.name for entry in _entry_points(kind)]
    return tuple(sorted({*_BUILT_IN[kind], *_registered.get(kind, {}), *third}))


def factory(kind: Kind, name: str) -> Callable[..., Any]:
    """The factory of a name. Raises UserError with the nearest names."""
    registered = _registered.get(kind, {})
    if name in registered:
        return registered[name]
    if name in _BUILT_IN[kind]:
        return _load(_BUILT_IN[kind][name])
    for entry in _entry_points(kind):
        if entry.name == name:
            loaded: Callable[..., Any] = entry.load()
            return loaded
    raise unknown(kind[:-1], name, names(kind))


@cache
def _entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Read once: every reading opens the metadata of all that is installed."""
    return tuple(entry_points(group=f"polyathlon.{group}"))


def _load(path: str) -> Callable[..., Any]:
    module, _, attribute = path.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return loaded
