"""Runs that can go on: what is left of each, without starting anything."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from polyathlon.core.errors import UserError
from polyathlon.experiments import amendments
from polyathlon.experiments.rundir import MARKER, SCHEMA, open_run
from polyathlon.experiments.terms import current

MOST_LOOKED_AT = 1_000
"""So many folders are looked into, the newest first."""


class Unfinished(msgspec.Struct, frozen=True):
    """A run with episodes that have not ended; `problem` says why that is not known of it."""

    run: str
    ended: int = 0
    episodes: int = 0
    budget_usd: float | None = None
    problem: str = ""

    def text(self) -> str:
        """One line, with the command that goes on."""
        if self.problem:
            return f"{self.run}: {self.problem}"
        budget = "" if self.budget_usd is None else f", budget {self.budget_usd:g} USD"
        return (
            f"{self.run}: {self.ended} of {self.episodes} episodes ended{budget}; go on with: "
            f"polyathlon run --out {shlex.quote(self.run)} --resume"
        )


def unfinished(*folders: Path) -> list[Unfinished]:
    """The runs in these folders that can go on, the newest first."""
    runs = [marker.parent for folder in folders for marker in folder.glob(f"*/{MARKER}")]
    runs.sort(key=lambda path: (path / MARKER).stat().st_mtime, reverse=True)
    return list(_left(runs[:MOST_LOOKED_AT]))


def _left(runs: list[Path]) -> Iterator[Unfinished]:
    for path in runs:
        try:
            run = open_run(path)
            if run.request()["schema"] < SCHEMA:
                continue
            plan = {spec.id for spec in amendments.plan(run)}
            ended = sum(run.sealed_path(id).exists() for id in plan)
            if ended < len(plan):
                yield Unfinished(str(path), ended, len(plan), current(run).budget_usd)
        except UserError as error:
            yield Unfinished(str(path), problem=str(error))
