"""polyathlon report: tables, statistics and plots of finished runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from polyathlon.analysis import reference as references
from polyathlon.analysis import table
from polyathlon.analysis.against import compare, own_study
from polyathlon.analysis.cells import Cell, cells
from polyathlon.analysis.omniplay.study import as_json as results_json
from polyathlon.analysis.probes import trusts
from polyathlon.analysis.reference import Reference
from polyathlon.analysis.report import families, history, sheets, trust
from polyathlon.analysis.report.chapters import Family
from polyathlon.analysis.report.sheets import Sheet
from polyathlon.analysis.standings import tournaments
from polyathlon.cli.output import print_json, tell_damaged, write_page
from polyathlon.core.console import say
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.extras import missing
from polyathlon.experiments.rundir import RunDir, open_run

REPORT_NAME = "report.html"
PUBLISHED = (*references.NAMES, *families.NAMES)
"""What `--against` knows."""


def report(
    *runs: Path,
    html: Path | None = None,
    md: bool = False,
    json: bool = False,
    against: str | None = None,
) -> None:
    """Show scores with intervals, validity, spend and replays of one or more runs.

    Prints tables and writes report.html into the (first) run directory, unless told otherwise.

    Parameters
    ----------
    runs
        Run directories.
    html
        Write the page to this file and print nothing but its path.
    md
        Print Markdown.
    json
        Print one JSON object.
    against
        Published figures to put beside the scores: lmgame, omniplay or gptnt.
    """
    if not runs:
        raise UserError("which run? give one or more run directories, such as runs/NAME")
    if (html is not None) + md + json > 1:
        raise UserError("choose one of --html, --md and --json")
    if against not in (None, *PUBLISHED):
        raise unknown("reference", str(against), PUBLISHED)
    reference = references.load(against) if against in references.NAMES else None
    with _report_extra():
        found, told = _told(table.episodes(*runs), partial(_tell, runs, reference, against))
        tell_damaged(found.damaged)
        if json:
            print_json({**as_json(runs, told.cells, reference, told.families), **_damaged(found)})
            return
        if md:
            say(_markdown(runs, told.cells, reference, told.families), end="")
            return
        if html is None:
            _print_tables(runs, told.cells, reference, told.families)
        page = _page([open_run(run) for run in runs], found, told, reference)
    target = html or runs[0] / REPORT_NAME
    _write(target, page)
    say(target)


def show_run(directory: RunDir, json: bool) -> None:
    """What `polyathlon run` says when it is through: the object, or the tables."""
    from polyathlon.analysis.report.text import print_sheets

    found, told = _told(
        table.episodes(directory.path), partial(_tell, [directory.path], None, None)
    )
    tell_damaged(found.damaged)
    if json:
        print_json({**as_json([directory.path], told.cells, None), **_damaged(found)})
        return
    summed = told.cells
    print_sheets(map(sheets.brief, sheets.by_env(summed).values()))
    say(f"{directory.path}: for plots and replays, polyathlon report {directory.path}")


def as_json(
    runs: Sequence[Path],
    summed: Sequence[Cell],
    reference: Reference | None,
    own: Sequence[Family] = (),
) -> dict[str, Any]:
    """The object of `run --json` and `report --json`."""
    objects = []
    for cell in summed:
        comparison = compare(cell, reference) if reference else None
        published = {"against": msgspec.to_builtins(comparison)} if comparison else {}
        objects.append({**cell.to_json(), **published})
    more = {
        "history": _histories(runs),
        "trust": results_json(trusts(map(open_run, runs))),
        "standings": {env: results_json(found) for env, found in tournaments(summed).items()},
        **{family.name: _results(family) for family in own},
    }
    return {
        "run": str(runs[0]),
        "runs": [str(run) for run in runs],
        "cells": objects,
        **{key: value for key, value in more.items() if value},
    }


class _Told(msgspec.Struct, frozen=True):
    """What a report says: cells of all episodes, and the families that were played."""

    cells: list[Cell]
    families: list[Family]


def _told(found: table.Tables, tell: Callable[[table.Tables], _Told]) -> tuple[table.Tables, _Told]:
    """What is told of the episodes, without those of which nothing can be told.

    A trace may be read without fault and hold what its game cannot bring about. Whatever that
    raises must not cost the report: episodes are tried one by one then.
    """
    try:
        return found, tell(found)
    except UserError:
        raise
    except Exception:
        rows, damaged = [], list(found.damaged)
        for row in found.episodes:
            try:
                tell(table.Tables((row,), ()))
                rows.append(row)
            except Exception as error:
                damaged.append(f"{row.run} {row.id}: {type(error).__name__}: {error}")
        kept = table.Tables(tuple(rows), (), tuple(damaged))
        return kept, tell(kept)


def _tell(
    runs: Sequence[Path], reference: Reference | None, against: str | None, found: table.Tables
) -> _Told:
    """Raises whatever tables of these episodes would raise."""
    told = _Told(cells(found.episodes), _families(found, against))
    as_json(runs, told.cells, reference, told.families)
    return told


def _damaged(found: table.Tables) -> dict[str, tuple[str, ...]]:
    return {"damaged": found.damaged} if found.damaged else {}


def _histories(runs: Sequence[Path]) -> dict[str, Any]:
    """What each run was played under; those without a record have nothing to tell."""
    found = {str(run): history.as_json(open_run(run)) for run in runs}
    return {run: eras for run, eras in found.items() if eras}


def _families(found: table.Tables, against: str | None) -> list[Family]:
    """The results of the families played, from the episodes and their traces."""
    runs = {path: open_run(Path(path)) for path in {row.run for row in found.episodes}}
    read = families.families(found.episodes, lambda row: runs[row.run].events(row.id), against)
    return list(read)


def _results(family: Family) -> dict[str, Any]:
    published = {"published": results_json(family.figures)} if family.figures else {}
    return {**results_json(family.study), **published}


def _markdown(
    runs: Sequence[Path],
    summed: Sequence[Cell],
    reference: Reference | None,
    own: Sequence[Family],
) -> str:
    from polyathlon.analysis.report.history import histories
    from polyathlon.analysis.report.page import common
    from polyathlon.analysis.report.text import markdown

    found = [
        sheet
        for group in sheets.by_env(summed).values()
        for sheet in (sheets.scores(group), sheets.metrics(group))
    ]
    title = ", ".join(str(run) for run in runs)
    told = [*trust.sheets(map(open_run, runs)), *histories(map(open_run, runs))]
    return markdown(title, [*found, *_sheets(own), *common(summed, reference), *told])


def _sheets(own: Sequence[Family]) -> list[Sheet]:
    return [sheet for family in own for chapter in family.chapters for sheet in chapter.sheets]


def _print_tables(
    runs: Sequence[Path],
    summed: Sequence[Cell],
    reference: Reference | None,
    own: Sequence[Family],
) -> None:
    from polyathlon.analysis.report.history import histories
    from polyathlon.analysis.report.page import published, tournament_sheets
    from polyathlon.analysis.report.text import print_sheets

    print_sheets(map(sheets.brief, sheets.by_env(summed).values()))
    if reference is not None:
        print_sheets(map(sheets.baselines, published(summed, reference)))
    print_sheets(sheet for family in own for sheet in family.headlines)
    print_sheets(tournament_sheets(summed))
    print_sheets(sheets.effect(own_study(summed, reference)))
    probed = trust.sheets(map(open_run, runs))
    print_sheets(probed)
    print_sheets(histories(map(open_run, runs)))
    if not summed and not probed:
        say("no episodes yet")


def _page(
    runs: Sequence[RunDir], found: table.Tables, told: _Told, reference: Reference | None
) -> str:
    from polyathlon.analysis.report.page import html

    return html(runs, found.episodes, told.cells, reference, found.damaged, told.families)


def _write(target: Path, page: str) -> None:
    try:
        write_page(target, page)
    except OSError as error:
        raise UserError(
            f"cannot write {target} ({error.strerror}): choose another file with --html"
        ) from None


@contextmanager
def _report_extra() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("jinja2", "scipy", "vl_convert"):
            raise
        raise missing(f"reports need {error.name}", "report", ", or use --json") from None
