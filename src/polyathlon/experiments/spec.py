"""Experiments as data: what a YAML file or a command line asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from polyathlon.core.errors import UserError, unknown

MAX_SEEDS = 1_000_000
Value: TypeAlias = bool | int | float | str
Schedule: TypeAlias = Literal["product", "crossplay", "drawn", "rotated"]


class _CoreSchema(yaml.SafeLoader):
    """YAML 1.2's core schema: `off` is a word and `42:45` no number in base sixty."""


_CoreSchema.yaml_implicit_resolvers = {}
for _tag, _pattern in (
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?[0-9]+"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"),
    ("null", r"~|null|Null|NULL|"),
    ("merge", r"<<"),
):
    _CoreSchema.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), None
    )


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
    attempts: int = Field(1, ge=1)
    options: Mapping[str, Value] = {}
    scheduler: SchedulerChoice = SchedulerChoice()
    limits: Bounds = Bounds()

    @field_validator("seeds", mode="before")
    @classmethod
    def _seeds(cls, value: object) -> object:
        if isinstance(value, int | str) and not isinstance(value, bool):
            return parse_seeds(str(value))
        return value


class Experiment(_Model):
    """A named list of groups: a suite, an experiment file, or what a command line amounts to."""

    name: str = "run"
    title: str = ""
    source: str = ""
    groups: tuple[Group, ...] = Field(min_length=1)


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
        raise UserError(f"seeds must look like 7, 0:50 or 1,4,9 and not be negative, not {text!r}")
    return seeds


def load(path: Path) -> Experiment:
    """An experiment from a YAML file. Raises UserError with the key that is wrong."""
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=_CoreSchema)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    except yaml.YAMLError as error:
        problem = str(error).replace("\n", " ")
        raise UserError(f"{path} is no YAML: {problem}") from None
    return parse(raw, str(path))


def parse(raw: object, where: str) -> Experiment:
    """An experiment from parsed YAML. Raises UserError with the key that is wrong."""
    try:
        return Experiment.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(piece) for piece in first["loc"]) or "top level"
        if first["type"] == "extra_forbidden":
            known = {*Experiment.model_fields, *Group.model_fields, *Bounds.model_fields}
            raise unknown(f"key in {where} at {key}:", str(first["loc"][-1]), known) from None
        raise UserError(f"{where}: {key}: {first['msg']}") from None
