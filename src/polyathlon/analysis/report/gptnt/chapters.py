"""Chapters: the order in which a report tells what GPTNT publishes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyathlon.analysis.gptnt.figures import Figures
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.report.chapters import Chapter, Family
from polyathlon.analysis.report.gptnt import answers, behaviour, modules, outcomes
from polyathlon.analysis.report.gptnt.charts import charts
from polyathlon.analysis.report.sheets import Sheet

BRIEF = ("outcomes", "pairs", "modules", "failures", "questions", "exposure")
"""The chapters that fit a terminal."""


def told(study: Study, figures: Figures | None) -> Family:
    """A study with its chapters; `figures` puts the published ones beside."""
    found = chapters(study, figures)
    brief = [sheet for chapter in found if chapter.id in BRIEF for sheet in chapter.sheets]
    return Family(
        "gptnt",
        "GPTNT",
        study,
        figures,
        tuple(found),
        tuple(brief),
        lambda chapter: charts(chapter, study, figures),
    )


def chapters(study: Study, figures: Figures | None) -> list[Chapter]:
    """All chapters that have something to tell."""
    return [
        Chapter(id, title, kept)
        for id, title, found in _planned(study, figures)
        if (kept := tuple(sheet for sheet in found if sheet is not None))
    ]


def _planned(
    study: Study, figures: Figures | None
) -> Iterator[tuple[str, str, Sequence[Sheet | None]]]:
    solved = [
        outcomes.outcomes(study, figures),
        *modules.success(study, figures),
        *outcomes.missions(study, figures),
    ]
    yield "outcomes", "Defusal", solved
    yield "pairs", "Pairs", list(outcomes.pairs(study, figures))
    yield "modules", "Single modules", list(modules.levels(study, figures))
    ended = [behaviour.failures(study, figures), behaviour.strikes(study)]
    yield "failures", "Failures", ended
    done = [
        behaviour.talk(study, figures),
        behaviour.actions(study, figures),
        behaviour.thirds(study),
    ]
    yield "behaviour", "Messages and actions", done
    yield "questions", "Questions", list(answers.categories(study, figures))
    parts = [*answers.modules(study, figures), *answers.difficulties(study)]
    yield "topics", "Questions by module", parts
    yield "exposure", "Prior exposure", [answers.exposure(study, figures)]
