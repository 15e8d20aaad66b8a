"""Published figures to compare with, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from polyathlon.analysis.effects import Pair, Study
from polyathlon.core.errors import unknown

Setting = Literal["no_harness", "memory", "perception", "harness"]
Figure = tuple[float, float]
Baseline = tuple[float, float, int]
Table = Mapping[str, Mapping[Setting, Mapping[str, Figure]]]

NAMES = ("lmgame",)


class GameReference(msgspec.Struct, frozen=True):
    """A published game beside our env.

    `env` has no version; `level` is the one that plays the published protocol; `caveats` say what
    to know before comparing. Games without an env of ours have "" for both.
    """

    title: str
    env: str
    level: str
    metric: str
    caveats: tuple[str, ...]


class VariationTable(msgspec.Struct, frozen=True):
    """Coefficients of variation in percent."""

    random: Mapping[str, float]
    models: Mapping[str, Mapping[Setting, Mapping[str, float]]]


class Reference(msgspec.Struct, frozen=True):
    """The figures of one publication. A Figure is mean and sd (standard error in table 19).

    `runs` and `random_runs` are single scores as published: for the games of `log2_of_sum` the
    sum of merged values, whose score is 10 log2 of it. A Baseline is mean, sd and runs.
    """

    name: str
    title: str
    source: str
    games: Mapping[str, GameReference]
    log2_of_sum: tuple[str, ...]
    vision_models: tuple[str, ...]
    random_runs: Mapping[str, tuple[float, ...]]
    runs: Mapping[str, Mapping[Setting, Mapping[str, tuple[float, ...]]]]
    table1: Table
    random: Mapping[str, Baseline]
    human: Mapping[str, Baseline]
    table4: Mapping[str, Mapping[str, Mapping[Setting, Figure]]]
    table5: Mapping[str, Mapping[Setting, Mapping[str, float]]]
    table6: Mapping[str, tuple[float, float, float]]
    table7: VariationTable
    table19: Table
    misprints: tuple[str, ...]

    def scores(self, game: str, runs: Sequence[float]) -> tuple[float, ...]:
        """Published runs as scores."""
        if game not in self.log2_of_sum:
            return tuple(runs)
        return tuple(10 * math.log2(run) if run else 0.0 for run in runs)

    def random_scores(self) -> dict[str, tuple[float, ...]]:
        """The published random runs of every game as scores."""
        return {game: self.scores(game, runs) for game, runs in self.random_runs.items()}

    def study(self) -> Study:
        """The vision models' runs and random play as scores."""
        models = {
            model: Pair(self._runs(model, "harness"), self._runs(model, "no_harness"))
            for model in self.vision_models
        }
        return Study(models, self.random_scores())

    def game_of(self, env: str, level: str) -> str | None:
        """The published game that a level of an env plays, whatever the env's version."""
        place = (env.rsplit("-v", 1)[0], level)
        return next((name for name, g in self.games.items() if (g.env, g.level) == place), None)

    def _runs(self, model: str, setting: Setting) -> dict[str, tuple[float, ...]]:
        runs = self.runs[model].get(setting, {})
        return {game: self.scores(game, values) for game, values in runs.items()}


@cache
def load(name: str) -> Reference:
    """A reference by its name. Raises UserError with the names there are."""
    if name not in NAMES:
        raise unknown("reference", name, NAMES)
    data = (files(__package__) / f"{name}.json").read_bytes()
    return msgspec.json.decode(data, type=Reference)
