"""Plans: the episodes an experiment amounts to, in order."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from polyathlon import registry
from polyathlon.agents.build import check_kind
from polyathlon.agents.harness.config import normalised, words
from polyathlon.core.addresses import bare, bared
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import EpisodeSpec, Limits, SchedulerSpec
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.spec import EnvSpec
from polyathlon.experiments import suites
from polyathlon.experiments.schedules import crossplay, drawn, rotated
from polyathlon.experiments.spec import Experiment, Group, Player, load, parse
from polyathlon.interventions.build import build as build_intervention

MAX_EPISODES = 1_000_000


def resolve(targets: tuple[str, ...]) -> Experiment:
    """Targets as typed: env ids, globs, suite names or experiment files, as one experiment."""
    groups: list[Group] = []
    name = source = title = ""
    for target in targets:
        if target.endswith((".yaml", ".yml")):
            found = load(Path(target))
        elif target in suites.names():
            found = suites.suite(target)
        else:
            groups.append(Group(targets=env_ids(target)))
            name = name or target.replace("/", "-").replace("*", "all")
            continue
        groups += found.groups
        name, title, source = name or found.name, title or found.title, source or found.source
    return Experiment(name=name, title=title, source=source, groups=tuple(groups))


def env_ids(target: str) -> tuple[str, ...]:
    """The env ids that an id or a glob names. Raises UserError when there are none."""
    known = sorted(registry.env_specs())
    matching = tuple(id for id in known if fnmatch.fnmatchcase(id, target))
    if matching:
        return matching
    if any(sign in target for sign in "*?["):
        raise UserError(f"no env matches {target!r}: see `polyathlon list envs`")
    try:
        registry.env_spec(target)
    except UserError as error:
        if "these versions exist" in str(error):
            raise
    raise unknown("env or suite", target, [*known, *suites.names()])


def episodes(experiment: Experiment) -> list[EpisodeSpec]:
    """Every episode once, grouped as written. Raises UserError for what cannot be played."""
    found: dict[str, EpisodeSpec] = {}
    for group in experiment.groups:
        for spec in _group(group):
            found.setdefault(spec.id, spec)
            if len(found) > MAX_EPISODES:
                raise _too_many()
    return list(found.values())


def _too_many() -> UserError:
    return UserError(f"more than {MAX_EPISODES} episodes: run fewer seeds at a time")


def planned(request: Mapping[str, Any], where: str) -> list[EpisodeSpec]:
    """The episodes of a run's request: what its experiment amounts to, or one by one.

    Raises UserError for a request that cannot be read.
    """
    experiment = request.get("experiment")
    if not isinstance(experiment, Mapping) or "episodes" not in experiment:
        return episodes(parse(experiment, where))
    try:
        return msgspec.convert(experiment["episodes"], list[EpisodeSpec])
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: episodes: {error}") from None


def _group(group: Group) -> Iterator[EpisodeSpec]:
    targets = [id for target in group.targets for id in env_ids(target)]
    scheduler = SchedulerSpec(**group.scheduler.model_dump())
    limits = Limits(**group.limits.model_dump())
    for id in dict.fromkeys(targets):
        env = registry.env_spec(id)
        options = env.configure(_known_options(group.options, env, len(targets)))
        levels = env.levels if group.levels is None else tuple(map(env.level, group.levels))
        for condition in group.conditions:
            for text in condition:
                build_intervention(text, env)
        seated = list(itertools.islice(_schedule(group, env), MAX_EPISODES + 1))
        if len(levels) * len(seated) * len(group.conditions) * group.attempts > MAX_EPISODES:
            raise _too_many()
        for level, (lineup, seed), condition, attempt in itertools.product(
            levels, seated, group.conditions, range(group.attempts)
        ):
            yield EpisodeSpec(
                id, level, options, seed, lineup, attempt, condition, scheduler, limits
            )


def _known_options(options: Mapping[str, Any], env: EnvSpec, targets: int) -> Mapping[str, Any]:
    """The options an env has; a glob's options need to be known by the envs that have them."""
    if targets == 1:
        return options
    names = {option.name for option in env.options}
    return {name: value for name, value in options.items() if name in names}


def _schedule(group: Group, env: EnvSpec) -> Iterator[tuple[Mapping[str, AgentSpec], int]]:
    """Who plays which seed, in order."""
    if group.schedule == "product":
        yield from ((lineup, seed) for lineup in _lineups(group, env) for seed in group.seeds)
        return
    pool = list(_pool(group, env))
    if group.schedule == "crossplay":
        lineups = crossplay(pool, env.roles)
        yield from ((lineup, seed) for lineup in lineups for seed in group.seeds)
        return
    pick = rotated if group.schedule == "rotated" else drawn
    yield from ((lineup, seed) for seed in group.seeds for lineup in pick(pool, env.roles, seed))


def _pool(group: Group, env: EnvSpec) -> Iterator[AgentSpec]:
    """The players of a tournament: each lineup is one of them."""
    for lineup in group.lineups:
        if set(lineup) != {"*"}:
            raise UserError(f"schedule {group.schedule} seats players itself: name no roles")
        harnesses = group.harnesses if lineup["*"].kind == "llm" else ("off",)
        for harness in harnesses:
            yield _agent(lineup["*"], harness, env)


def _lineups(group: Group, env: EnvSpec) -> Iterator[Mapping[str, AgentSpec]]:
    for lineup in group.lineups:
        for role in lineup:
            if role != "*" and role not in env.roles:
                raise unknown(f"role of {env.id}", role, env.roles)
        players = {role: lineup.get(role, lineup.get("*")) for role in env.roles}
        missing = [role for role, player in players.items() if player is None]
        if missing:
            raise UserError(f"{env.id} needs an agent for {', '.join(missing)}: --agent ROLE=NAME")
        model = any(player and player.kind == "llm" for player in players.values())
        for harness in group.harnesses if model else ("off",):
            yield {
                role: _agent(player, harness, env)
                for role, player in players.items()
                if player is not None
            }


def _agent(player: Player, harness: str | Mapping[str, Any], env: EnvSpec) -> AgentSpec:
    if player.kind != "llm":
        check_kind(player.kind, env)
        return AgentSpec(player.kind, bare(player.model), dict(player.profile), player.weights)
    if not player.model:
        raise UserError("which model? add --model PROVIDER/NAME, for example embedded/smollm2")
    provider, _, name = player.model.partition("/")
    if provider not in registry.names("models") or not name:
        raise unknown("model provider", provider, registry.names("models"), "in PROVIDER/NAME")
    settings: Mapping[str, JSON] = words([harness]) if isinstance(harness, str) else harness
    return AgentSpec("llm", bare(player.model), bared(normalised(settings)), player.weights)
