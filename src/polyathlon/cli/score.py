"""`polyathlon score`: run a scorer over the ended episodes of a run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polyathlon.analysis import table
from polyathlon.analysis.cells import Cell, cells
from polyathlon.analysis.report.format import plus_minus, span, usd
from polyathlon.analysis.rows import EpisodeRow, tally
from polyathlon.cli.output import print_json, tell_damaged
from polyathlon.cli.terms import Budget, Given, settled
from polyathlon.core.console import note, say
from polyathlon.core.scoring import Scores
from polyathlon.experiments.rundir import open_run
from polyathlon.experiments.scoring import Scored, score_run

DONE, FAILED = 0, 1


def score(
    run: Path,
    /,
    *,
    scorer: str,
    model: str = "",
    concurrency: int = 8,
    budget_usd: Budget | None = None,
    price: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    again: bool = False,
    json: bool = False,
) -> int:
    """Score the ended episodes of a run from their traces, which never change.

    Writes scores/SCORER/ID.json into the run directory. Scores that are there and fit are used
    again; those that failed are tried again.

    Parameters
    ----------
    run
        A run directory.
    scorer
        loops, reflections, judge, descriptions, or one of another package.
    model
        The model that a scorer asks, PROVIDER/NAME.
    concurrency
        Episodes scored at once.
    budget_usd
        Stop before the scorer costs more in this run, all times together. It is remembered; none
        drops it.
    price
        MODEL=INPUT,OUTPUT in US dollars per million tokens; remembered too.
    again
        Make every score anew.
    json
        Print one JSON object.
    """
    directory = open_run(run)
    given = Given(budget_usd, price)
    scored = score_run(
        directory,
        scorer,
        model,
        concurrency=concurrency,
        again=again,
        given=lambda remembered: settled(given, remembered),
        on_forecast=lambda forecast: note(forecast.text()),
        on_scored=_progress,
    )
    summed = cells(rows(table.episodes(run).episodes, scored))
    if json:
        print_json(as_json(run, scored, summed))
    else:
        _print(run, scored, summed)
    tell_damaged(scored.damaged)
    if scored.left:
        note(
            f"stopped: {scored.left} episodes are left, for {scored.spent_usd:.4f} of "
            f"{scored.budget_usd} USD is spent and another call could pass that: raise it with "
            "--budget-usd, or drop it with --budget-usd none"
        )
    return FAILED if scored.failed or scored.left or scored.damaged else DONE


def rows(episodes: Iterable[EpisodeRow], scored: Scored) -> list[EpisodeRow]:
    """The scored episodes, with scores in place of the env's metrics."""
    found = {file.episode: file.scores for file in scored.files if not file.cause}
    return [_row(row, found[row.id]) for row in episodes if row.id in found]


def _row(row: EpisodeRow, scores: Scores) -> EpisodeRow:
    replace = msgspec.structs.replace
    roles = {
        role: replace(seat, metrics={**scores.values, **scores.roles.get(role, {})})
        for role, seat in row.roles.items()
    }
    return replace(row, metrics=scores.values, roles=roles)


def as_json(run: Path, scored: Scored, summed: Sequence[Cell]) -> dict[str, Any]:
    """The object of `--json`; `cost_usd` is null where a price is unknown."""
    return {
        "run": str(run),
        "scorer": scored.scorer,
        "version": scored.version,
        "model": scored.model,
        "episodes": len(scored.files),
        "reused": scored.reused,
        "failed": len(scored.failed),
        "damaged": scored.damaged,
        "left": scored.left,
        "budget_usd": scored.budget_usd,
        "spent_usd": scored.spent_usd,
        "causes": _causes(scored),
        "cells": [_cell(cell) for cell in summed],
        "usage": {**msgspec.structs.asdict(scored.usage), "cost_usd": scored.cost_usd},
    }


def _cell(cell: Cell) -> dict[str, Any]:
    names = ("env", "level", "lineup", "role", "model", "condition", "episodes", "metrics")
    return {name: msgspec.to_builtins(getattr(cell, name)) for name in names}


def _print(run: Path, scored: Scored, summed: Sequence[Cell]) -> None:
    from polyathlon.analysis.report.sheets import Sheet
    from polyathlon.analysis.report.text import print_sheets

    head = ("env", "level", "role", "model", "condition", "score")
    lines = [
        (
            *(cell.env, cell.level, cell.role, cell.model, cell.condition, name),
            *(plus_minus(found), span(found.interval), str(found.n)),
        )
        for cell in summed
        for name, found in cell.metrics.items()
    ]
    columns = (*head, "mean ± sd", "95 % interval", "n")
    title = " by ".join(filter(None, (scored.scorer, scored.model)))
    print_sheets([Sheet(title, columns, tuple(lines), len(head))])
    say(
        f"{run / 'scores' / scored.scorer}: {len(scored.files)} episodes, {scored.reused} reused, "
        f"{len(scored.failed)} failed, cost {usd(scored.cost_usd)}"
    )
    for cause, count in _causes(scored).items():
        note(f"failed {count}: {cause}")


def _causes(scored: Scored) -> dict[str, int]:
    return tally({file.cause: 1} for file in scored.failed)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        note(f"{done}/{total} episodes scored", end=end)
