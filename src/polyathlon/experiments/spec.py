"""Experiments as data: what a YAML file or a command line asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_serializer,
    field_validator,
)

from polyathlon.core.errors import UserError, unknown
from polyathlon.experiments.yamls import written_by_people

MAX_SEEDS = 1_000_000
MAX_GROUPS = 1_000
TOLD_CHARACTERS = 60
Value: TypeAlias = bool | int | float | str
Schedule: TypeAlias = Literal["product", "crossplay", "drawn", "rotated"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Player(_Model):
    """One agent: its kind and, for `llm`, the model it asks. No model means the caller fills it.

    `profile` says who a person is; it is recorded with the agent. `weights` tells models of one
    name apart: a digest, or a step of training.
    """

    kind: str = "llm"
    model: str = ""
    profile: Mapping[str, str] = {}
    weights: str = ""


class SchedulerChoice(_Model):
    """How time passes; see core.episodes.SchedulerSpec."""

    kind: str = Field("turns", pattern="^(turns|stepped|realtime|virtual)$")
    dt_s: float = Field(0.0, ge=0.0)
    latency_s: float | None = Field(None, ge=0.0)


class Bounds(_Model):
    """Limits of each episode; see core.episodes.Limits."""

    turns: int | None = Field(None, ge=1)
    turn_s: float | None = Field(None, gt=0)
    wall_s: float | None = Field(None, gt=0)
    tokens: int | None = Field(None, ge=1)
    cost_usd: float | None = Field(None, ge=0)
    calls: int | None = Field(None, ge=1)


class Group(_Model):
    """A product: every target x level x lineup x harness x condition x seed x attempt.

    `lineups` maps roles to players; the role `*` stands for every role. `levels` None means all.
    `harnesses` are presets (`off`, `memory`, `perception`, `both`) or mappings of settings, and
    concern `llm` players only. `conditions` are lists of interventions. `seeds` is `N`, `A:B`
    (B excluded) or a list. With a `schedule` other than `product` the lineups are a pool of
    players, who are seated as experiments.schedules says.
    """

    targets: tuple[str, ...] = Field(min_length=1)
    levels: tuple[str, ...] | None = Field(None, min_length=1)
    lineups: tuple[Mapping[str, Player], ...] = Field(({"*": Player()},), min_length=1)
    schedule: Schedule = "product"
    harnesses: tuple[str | Mapping[str, Any], ...] = Field(("off",), min_length=1)
    conditions: tuple[tuple[str, ...], ...] = Field(((),), min_length=1)
    seeds: tuple[int, ...] = Field((0,), min_length=1)
    attempts: int = Field(1, ge=1, le=MAX_SEEDS)
    options: Mapping[str, Value] = {}
    scheduler: SchedulerChoice = SchedulerChoice()
    limits: Bounds = Bounds()

    @field_validator("seeds", mode="before")
    @classmethod
    def _seeds(cls, value: object) -> object:
        if isinstance(value, int | str) and not isinstance(value, bool):
            return parse_seeds(str(value))
        return value

    @field_serializer("seeds")
    def _short_seeds(self, seeds: tuple[int, ...]) -> str:
        """The form of a command line: a list of a million would be too long a file to read."""
        first, end = seeds[0], seeds[0] + len(seeds)
        if len(seeds) > 1 and seeds == tuple(range(first, end)):
            return f"{first}:{end}"
        return ",".join(map(str, seeds))


class Experiment(_Model):
    """A named list of groups: a suite, an experiment file, or what a command line amounts to."""

    name: str = "run"
    title: str = ""
    source: str = ""
    groups: tuple[Group, ...] = Field(min_length=1, max_length=MAX_GROUPS)


def parse_seeds(text: str) -> tuple[int, ...]:
    """`7` is one seed, `0:50` fifty, `1,4,9` three. Raises UserError for anything else."""
    try:
        if ":" in text:
            start, end = (int(piece) for piece in text.split(":"))
            seeds = tuple(range(start, end)) if 0 < end - start <= MAX_SEEDS else ()
        else:
            seeds = tuple(int(piece) for piece in text.split(","))
    except ValueError:
        seeds = ()
    if not seeds or any(not 0 <= seed < 2**63 for seed in seeds):
        told = repr(text[:TOLD_CHARACTERS])
        raise UserError(f"seeds must look like 7, 0:50 or 1,4,9 and not be negative, not {told}")
    return seeds


def load(path: Path) -> Experiment:
    """An experiment from a YAML file. Raises UserError with the key that is wrong."""
    return parse(written_by_people(path), str(path))


def parse(raw: object, where: str) -> Experiment:
    """An experiment from parsed YAML. Raises UserError with the key that is wrong."""
    if sum(map(_seeds_of, _listed(raw, "groups"))) > MAX_SEEDS:
        raise UserError(f"{where}: more than {MAX_SEEDS} seeds in all: run fewer at a time")
    try:
        return Experiment.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(piece) for piece in first["loc"]) or "top level"
        if first["type"] == "extra_forbidden":
            known = {*Experiment.model_fields, *Group.model_fields, *Bounds.model_fields}
            raise unknown(f"key in {where} at {key}:", str(first["loc"][-1]), known) from None
        raise UserError(f"{where}: {key}: {first['msg']}") from None


def _listed(raw: object, key: str) -> list[object]:
    found = raw.get(key) if isinstance(raw, dict) else None
    return found if isinstance(found, list) else []


def _seeds_of(group: object) -> int:
    """How many seeds a group asks for, before they are made; 0 where that is no range."""
    text = group.get("seeds") if isinstance(group, dict) else None
    found = re.fullmatch(r"(\d{1,19}):(\d{1,19})", text) if isinstance(text, str) else None
    return max(0, int(found[2]) - int(found[1])) if found else 0
