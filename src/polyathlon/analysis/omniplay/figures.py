"""The published figures of OmniPlay, as data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

import msgspec

Row: TypeAlias = Mapping[str, float]
Who: TypeAlias = Literal["human", "random"]

TASKS = (
    "pathfinding/easy",
    "pathfinding/medium",
    "pathfinding/hard",
    "echoes/easy",
    "echoes/medium",
    "echoes/hard",
    "alchemist/medium",
    "phantom/easy",
    "phantom/medium",
    "phantom/hard",
)
"""The ten tasks that have an NPS (section 9.2); Blasting Showdown has none."""

NAME = "omniplay"
FULL_RESULTS = {"pathfinding": "21", "echoes": "22", "alchemist": "23", "phantom": "24"}


class Figures(msgspec.Struct, frozen=True):
    """`tables` are the paper's by number: nested mappings down to columns, keyed by agent,
    condition and level as printed; what was not printed is absent."""

    name: str
    title: str
    source: str
    models: Mapping[str, str]
    tables: Mapping[str, Mapping[str, Any]]

    def row(self, task: str, who: str) -> Row:
        """The full results of one agent on a task (Tables 21 to 24)."""
        game, _, level = task.partition("/")
        results = self.tables[FULL_RESULTS[game]][who]
        row: Row = results if game == "alchemist" else results[level]
        return row

    def raw(self, task: str, who: str) -> float:
        """The raw score of one agent on a task, see `raw_score`."""
        return raw_score(task.partition("/")[0], self.row(task, who))

    def nps(self, task: str, who: str) -> tuple[float, float, float]:
        """Published mean, sd and sem of a model's NPS on a task (Table 18)."""
        row = self.tables["18"][task][who]
        return row["nps_mean"], row["nps_sd"], row["nps_sem"]


def raw_score(game: str, row: Row) -> float:
    """The score that NPS maps, from a printed row (section 9.2).

    Pathfinding: trimmed mean steps, lower is better. Echoes: half the score and a quarter each
    of coordinate and icon accuracy. Alchemist: the composite score. Phantom: half the success
    rate in percent and half the normalized score.
    """
    match game:
        case "pathfinding":
            return row["trimmed_mean_steps"]
        case "echoes":
            accuracy = row["mean_coordinate_accuracy"] + row["mean_icon_accuracy"]
            return 0.5 * row["mean_score"] + 0.25 * accuracy
        case "alchemist":
            return row["composite_score"]
        case "phantom":
            return 50 * row["success_rate"] + 0.5 * row["normalized_score"]
    raise KeyError(game)


def task_of(env: str, level: str) -> str | None:
    """The task an env and level are, whatever the env's version; None for what has no NPS."""
    family, _, game = env.rsplit("-v", 1)[0].partition("/")
    task = f"{game}/{level}"
    return task if family == "omniplay" and task in TASKS else None


@cache
def load() -> Figures:
    """The published figures."""
    data = (files("polyathlon.analysis.reference") / "omniplay.json").read_bytes()
    return msgspec.json.decode(data, type=Figures)
