"""Requests: what a command line changes in an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import msgspec
from pydantic import ValidationError

from polyathlon.agents.harness.config import words
from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError, unknown
from polyathlon.experiments.spec import (
    Bounds,
    Experiment,
    Group,
    Player,
    Schedule,
    Value,
    parse_seeds,
)


class Overrides(msgspec.Struct, frozen=True):
    """What the command line says; empty means what the experiment says.

    `agents` and `models` are `NAME` or `ROLE=NAME`; `harness` are presets and `name=value`;
    `options` are `name=value`; `conditions` are interventions that apply together.
    """

    agents: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    seeds: str = ""
    attempts: int = 0
    options: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    harness: tuple[str, ...] = ()
    scheduler: str = ""
    schedule: str = ""
    limits: Mapping[str, float] = {}


def override(experiment: Experiment, changes: Overrides) -> Experiment:
    """The experiment with the changes. Raises UserError where one cannot be read."""
    groups = tuple(_group(group, changes) for group in experiment.groups)
    return experiment.model_copy(update={"groups": groups})


def unseated(experiment: Experiment) -> Experiment:
    """The experiment with every `llm` player waiting for a model, as before any was named."""
    groups = tuple(
        group.model_copy(update={"lineups": _waiting(group.lineups)}) for group in experiment.groups
    )
    return experiment.model_copy(update={"groups": groups})


def _waiting(lineups: tuple[Mapping[str, Player], ...]) -> tuple[Mapping[str, Player], ...]:
    waiting: list[Mapping[str, Player]] = []
    for lineup in lineups:
        seats = {seat: Player() if p.kind == "llm" else p for seat, p in lineup.items()}
        if seats not in waiting:
            waiting.append(seats)
    return tuple(waiting)


def _group(group: Group, changes: Overrides) -> Group:
    update: dict[str, object] = {}
    if changes.levels:
        update["levels"] = changes.levels
    if changes.seeds:
        update["seeds"] = parse_seeds(changes.seeds)
    if changes.attempts:
        update["attempts"] = changes.attempts
    if changes.options:
        update["options"] = {**group.options, **_pairs(changes.options, "--set")}
    if changes.interventions:
        update["conditions"] = (changes.interventions,)
    if changes.harness:
        update["harnesses"] = _harnesses(changes.harness)
    if changes.scheduler:
        update["scheduler"] = group.scheduler.model_copy(update=parse_scheduler(changes.scheduler))
    if changes.schedule:
        if changes.schedule not in get_args(Schedule):
            raise unknown("schedule", changes.schedule, get_args(Schedule))
        update["schedule"] = changes.schedule
    if changes.limits:
        update["limits"] = group.limits.model_copy(update=dict(changes.limits))
    lineups = _lineups(group.lineups, changes)
    return group.model_copy(update={**update, "lineups": lineups})


def parse_scheduler(text: str) -> dict[str, object]:
    """`turns`, `stepped:3.0` (seconds an act), `virtual:2.5` (seconds a call) or `realtime`."""
    kind, _, value = text.partition(":")
    if kind not in ("turns", "stepped", "realtime", "virtual"):
        raise UserError(f"scheduler must be turns, stepped:DT, realtime or virtual, not {text!r}")
    if not value:
        return {"kind": kind}
    try:
        seconds = float(value)
    except ValueError:
        raise UserError(f"scheduler {kind} takes seconds after the colon, not {value!r}") from None
    return {"kind": kind, "latency_s" if kind == "virtual" else "dt_s": seconds}


def parse_limits(items: Sequence[str]) -> dict[str, int | float]:
    """Bounds of each episode from `NAME=VALUE` words. Raises UserError for a wrong one."""
    given = _pairs(items, "--limit")
    for name in given:
        if name not in Bounds.model_fields:
            raise unknown("limit", name, Bounds.model_fields)
    try:
        bounds = Bounds.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"--limit {first['loc'][0]}: {first['msg']}") from None
    return bounds.model_dump(exclude_unset=True)


def _pairs(items: Sequence[str], flag: str) -> dict[str, Value]:
    pairs: dict[str, Value] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise UserError(f"{flag} takes NAME=VALUE, not {item!r}")
        pairs[name] = value
    return pairs


def _harnesses(items: tuple[str, ...]) -> tuple[Mapping[str, JSON], ...]:
    presets = [item for item in items if "=" not in item] or ["off"]
    settings = [item for item in items if "=" in item]
    return tuple(words([preset, *settings]) for preset in presets)


def _lineups(
    lineups: tuple[Mapping[str, Player], ...], changes: Overrides
) -> tuple[Mapping[str, Player], ...]:
    if changes.agents:
        lineups = _seated([(seat, Player(kind=name)) for seat, name in map(_seat, changes.agents)])
    models = [_seat(text) for text in changes.models]
    if not models:
        return lineups
    filled = [
        {**lineup, **{seat: Player(kind="llm", model=name) for seat, name in models if seat != "*"}}
        for lineup in lineups
    ]
    free = [name for seat, name in models if seat == "*"]
    waiting = [lineup for lineup in filled if any(_waits(p) for p in lineup.values())]
    ready = [lineup for lineup in filled if lineup not in waiting]
    if not free:
        return tuple(filled)
    if not waiting and changes.agents:
        waiting = [{"*": Player()}]
    return tuple(ready) + tuple(
        {seat: Player(kind="llm", model=name) if _waits(p) else p for seat, p in lineup.items()}
        for lineup in waiting
        for name in free
    )


def _seated(players: list[tuple[str, Player]]) -> tuple[Mapping[str, Player], ...]:
    seated = {seat: player for seat, player in players if seat != "*"}
    free = [player for seat, player in players if seat == "*"]
    if seated:
        return tuple({"*": player, **seated} for player in free) or (seated,)
    return tuple({"*": player} for player in free)


def _seat(text: str) -> tuple[str, str]:
    head, equals, name = text.partition("=")
    if equals and "/" not in head and ":" not in head:
        return head, name
    return "*", text


def _waits(player: Player) -> bool:
    return player.kind == "llm" and not player.model
