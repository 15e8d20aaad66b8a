"""Names to things: built-ins and third parties' entry points, imported only when used.

Groups are `polyathlon.envs` (entry points load to an EnvSpec), `polyathlon.agents`,
`polyathlon.models`, `polyathlon.tools`, `polyathlon.interventions` and `polyathlon.scorers`
(entry points load to a factory).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeAlias

import msgspec

from polyathlon.core.compose import ComposedEnv
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Env

Kind: TypeAlias = Literal["agents", "models", "tools", "interventions", "scorers"]
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_ENV_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*-v\d+")

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


class Problem(msgspec.Struct, frozen=True):
    """A plug-in that is left out: its kind and name, the package it comes from, and why."""

    kind: Kind | Literal["envs"]
    name: str
    package: str
    why: str


def problems(kind: Kind | Literal["envs"]) -> tuple[Problem, ...]:
    """The plug-ins of a kind that are left out, all of which are imported for that."""
    if kind == "envs":
        return _third_party_envs()[1]
    found = []
    for entry in _entry_points(kind):
        why = _refusal(kind, entry)
        if not why:
            try:
                _loaded(entry)
            except UserError as error:
                why = str(error)
        found += [_problem(kind, entry, why)] if why else []
    return tuple(found)


@cache
def _third_party_envs() -> tuple[Mapping[str, EnvSpec], tuple[Problem, ...]]:
    specs: dict[str, EnvSpec] = {}
    left_out: list[Problem] = []
    for entry in _entry_points("envs"):
        try:
            spec = _checked(_loaded(entry))
            if spec.id in built_in_env_specs() or spec.id in specs:
                raise UserError(f"the id {spec.id} is taken: it needs another family or version")
            specs[spec.id] = spec
        except UserError as error:
            left_out.append(_problem("envs", entry, str(error)))
    return specs, tuple(left_out)


def _checked(spec: object) -> EnvSpec:
    """Raises UserError for what is no EnvSpec, or one whose fields are not what they should be."""
    if not isinstance(spec, EnvSpec):
        raise UserError(f"it is a {type(spec).__name__}, not an EnvSpec")
    try:
        msgspec.convert(msgspec.to_builtins(spec), EnvSpec)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(f"its spec is wrong: {error}") from None
    if not _ENV_ID.fullmatch(spec.id):
        raise UserError(f"its id {spec.id!r} does not look like family/name-v0")
    return spec


def _loaded(entry: EntryPoint) -> Any:
    """What an entry point names. Raises UserError, whatever its package raises on import."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise UserError(f"{entry.value} cannot be imported ({why}): mend or remove it") from error


def _refusal(kind: Kind, entry: EntryPoint) -> str:
    """Why an entry point is not used, whatever it holds; nothing where it is."""
    if entry.name in _BUILT_IN[kind]:
        return f"the name {entry.name} is built in: it needs another one"
    if not _NAME.fullmatch(entry.name):
        return "its name is no word of letters, digits, `.`, `_` and `-`"
    first = next(other for other in _entry_points(kind) if other.name == entry.name)
    return "" if first is entry else f"{_package(first)} has this name too, and comes first"


def _problem(kind: Kind | Literal["envs"], entry: EntryPoint, why: str) -> Problem:
    return Problem(kind, entry.name, _package(entry), why)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else "an unknown package"


def env_specs() -> Mapping[str, EnvSpec]:
    """Every known env by id; imports no rules."""
    return {**built_in_env_specs(), **_third_party_envs()[0], **_registered_envs}


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
    third = [entry.name for entry in _entry_points(kind) if not _refusal(kind, entry)]
    return tuple(sorted({*_BUILT_IN[kind], *_registered.get(kind, {}), *third}))


def factory(kind: Kind, name: str) -> Callable[..., Any]:
    """The factory of a name. Raises UserError with the nearest names."""
    registered = _registered.get(kind, {})
    if name in registered:
        return registered[name]
    if name in _BUILT_IN[kind]:
        return _load(_BUILT_IN[kind][name])
    for entry in _entry_points(kind):
        if entry.name == name and not _refusal(kind, entry):
            try:
                loaded: Callable[..., Any] = _loaded(entry)
            except UserError as error:
                raise UserError(f"{kind[:-1]} {name} of {_package(entry)}: {error}") from error
            return loaded
    raise unknown(kind[:-1], name, names(kind))


@cache
def _entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Read once, in order of name and package: every reading opens all metadata installed."""
    found = entry_points(group=f"polyathlon.{group}")
    return tuple(sorted(found, key=lambda entry: (entry.name, _package(entry))))


def _load(path: str) -> Callable[..., Any]:
    module, _, attribute = path.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return loaded
