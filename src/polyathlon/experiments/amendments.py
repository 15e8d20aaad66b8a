"""Amendments: how the plan of a run differs from the one it was begun with, and what it is now."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.core.addresses import bare, bared
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.plan import episodes, planned, resolve
from polyathlon.experiments.request import Overrides, override, unseated
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.spec import Experiment, parse
from polyathlon.experiments.terms import Amendment, entries

MOST_SHOWN = 4
"""So many values of one kind are named in a difference."""


def experiment(run: RunDir) -> Any:
    """What a run plays: the experiment of its last amendment, or the one it was begun with."""
    amended = [entry.experiment for entry in entries(run) if entry.experiment is not None]
    return amended[-1] if amended else run.request().get("experiment")


def plan(run: RunDir) -> list[EpisodeSpec]:
    """The episodes that a run plays. Raises UserError where its experiment cannot be read."""
    return planned({"experiment": experiment(run)}, str(run.path))


def resumed(
    run: RunDir, targets: tuple[str, ...], changes: Overrides, amend: bool
) -> tuple[list[EpisodeSpec], Amendment | None]:
    """The episodes of a run that goes on as the command line says, and how that amends it.

    Raises UserError for another plan than the run's, unless it is meant to `amend` that.
    """
    if not targets and not amend:
        changes = _without_known(changes, plan(run))
    if not targets and changes == Overrides():
        return plan(run), None
    wanted = override(resolve(targets), changes) if targets else _changed(run, changes)
    after = episodes(wanted)
    difference = _from_plan(run, after)
    if difference and not amend:
        raise UserError(
            f"{run.path} plays something else ({'; '.join(difference)}): leave these flags out, "
            "choose another --out, or change the run's plan for good with --amend"
        )
    if not difference:
        return after, None
    return after, Amendment(bared(wanted.model_dump(mode="json")), difference)


def difference(before: Sequence[EpisodeSpec], after: Sequence[EpisodeSpec]) -> tuple[str, ...]:
    """In words how one plan differs from another; empty where they hold the same episodes."""
    old, new = {spec.id for spec in before}, {spec.id for spec in after}
    if old == new:
        return ()
    one, other = _values(before), _values(after)
    return (
        *(
            f"{name} {_named(one.get(name))} -> {_named(other.get(name))}"
            for name in {**one, **other}
            if one.get(name) != other.get(name)
        ),
        f"{len(new - old)} more episodes and {len(old - new)} fewer",
    )


def _without_known(changes: Overrides, specs: Iterable[EpisodeSpec]) -> Overrides:
    """The changes but agents and models that are played already: named again, they are trusted."""
    agents = [agent for spec in specs for agent in spec.lineup.values()]
    return msgspec.structs.replace(
        changes,
        agents=_unknown(changes.agents, {agent.kind for agent in agents}),
        models=_unknown(changes.models, {agent.model for agent in agents}),
    )


def _unknown(named: Iterable[str], known: Container[str]) -> tuple[str, ...]:
    return tuple(text for text in named if bare(text.rpartition("=")[2]) not in known)


def _changed(run: RunDir, changes: Overrides) -> Experiment:
    """What a run plays, with changes. Raises UserError for a run that lists its episodes."""
    known = experiment(run)
    if isinstance(known, Mapping) and "episodes" in known:
        raise UserError(
            f"{run.path} lists its episodes one by one: leave out the flags that change episodes"
        )
    found = parse(known, str(run.path))
    return override(unseated(found) if changes.models else found, changes)


def _from_plan(run: RunDir, after: Sequence[EpisodeSpec]) -> tuple[str, ...]:
    try:
        before = plan(run)
    except UserError as error:
        return (f"what it played until now cannot be planned any more: {error}",)
    return difference(before, after)


def _values(specs: Sequence[EpisodeSpec]) -> dict[str, dict[str, None]]:
    """The values of each setting in a plan, in order."""
    found: dict[str, dict[str, None]] = {}
    for spec in specs:
        for name, value in _settings(spec):
            found.setdefault(name, {})[value] = None
    return found


def _settings(spec: EpisodeSpec) -> Iterator[tuple[str, str]]:
    """Everything that decides an episode, by the name that a user knows it under."""
    yield "env", spec.env
    yield "level", spec.level
    yield "seed", str(spec.seed)
    yield "attempt", str(spec.attempt)
    yield "interventions", " + ".join(spec.interventions) or "none"
    for role, agent in spec.lineup.items():
        yield f"{role}'s agent", agent.kind
        yield f"{role}'s model", agent.model or "none"
        yield f"{role}'s weights", agent.weights or "none"
        for name, value in agent.harness.items():
            yield f"{role}'s {name}", str(value)
    for name, value in spec.options.items():
        yield f"option {name}", str(value)
    for of, settings in (("scheduler", spec.scheduler), ("limit", spec.limits)):
        for name, value in msgspec.structs.asdict(settings).items():
            yield f"{of} {name}", "none" if value is None else str(value)


def _named(values: Mapping[str, None] | None) -> str:
    """Some of the values, and how many there are."""
    listed = list(values or ("none",))
    more = f" and {len(listed) - MOST_SHOWN} more" if len(listed) > MOST_SHOWN else ""
    return ", ".join(listed[:MOST_SHOWN]) + more
