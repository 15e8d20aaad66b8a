"""Charts."""

from __future__ import annotations

from collections.abc import Iterator

from polyathlon.analysis.gptnt.figures import Figures
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.report.plots import Plot


def charts(chapter: str, study: Study, figures: Figures | None) -> Iterator[Plot]:
    yield from ()
