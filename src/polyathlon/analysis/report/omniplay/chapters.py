"""Chapters: the order in which a report tells what OmniPlay publishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from polyathlon.analysis.omniplay.figures import Figures
from polyathlon.analysis.omniplay.study import Study
from polyathlon.analysis.report.chapters import Chapter, Family
from polyathlon.analysis.report.omniplay import behaviour, sheets
from polyathlon.analysis.report.omniplay.charts import charts
from polyathlon.analysis.report.sheets import OWN, Sheet


def told(study: Study, figures: Figures | None) -> Family:
    """A study with its chapters; `figures` puts the published ones beside."""
    found = chapters(study, figures)
    return Family(
        "omniplay",
        "OmniPlay",
        study,
        figures,
        tuple(found),
        tuple(_headlines(found)),
        lambda chapter: charts(chapter, study, figures),
    )


def chapters(study: Study, figures: Figures | None) -> list[Chapter]:
    """All chapters that have something to tell."""
    return [
        Chapter(id, title, kept)
        for id, title, found in _planned(study, figures)
        if (kept := tuple(_unsourced(sheet) for sheet in found if sheet is not None))
    ]


def _headlines(found: Iterable[Chapter]) -> Iterator[Sheet]:
    """What fits a terminal: NPS by task, the studies, the tournament and people."""
    for chapter in found:
        if chapter.id == "nps":
            yield chapter.sheets[0]
        elif chapter.id not in ("results", "memory"):
            yield from chapter.sheets


def _unsourced(sheet: Sheet) -> Sheet:
    """A sheet without the column that names its source where all rows are of this run."""
    if sheet.columns[0] != "source" or any(row[0] != OWN for row in sheet.rows):
        return sheet
    return msgspec.structs.replace(
        sheet,
        columns=sheet.columns[1:],
        rows=tuple(row[1:] for row in sheet.rows),
        words=sheet.words - 1,
        best=frozenset((row, column - 1) for row, column in sheet.best),
    )


def _planned(
    study: Study, figures: Figures | None
) -> Iterator[tuple[str, str, list[Sheet | None]]]:
    found = [sheets.overview(study, figures), sheets.nps(study, figures)]
    yield "nps", "Normalised performance", found
    yield "results", "Full results", list(sheets.results(study, figures))
    for kind, title in sheets.STUDY_TITLES.items():
        tables: list[Sheet | None] = list(sheets.studies(study, kind, figures))
        if kind == "ablation":
            tables.append(sheets.verdicts(study))
        yield kind, title, tables
    recalled = [behaviour.memory(study), behaviour.patterns(study), behaviour.cases(study)]
    yield "memory", "Memory", recalled
    games = [behaviour.tournament(study, figures), behaviour.passive(study)]
    yield "tournament", "Tournament", games
    yield "people", "People", [behaviour.people(study, figures)]
