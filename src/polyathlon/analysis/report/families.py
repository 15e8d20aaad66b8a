"""Families: the chapters of a report, for each publication whose envs were played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from polyathlon.analysis.gptnt import figures as gptnt_figures
from polyathlon.analysis.gptnt import study as gptnt_study
from polyathlon.analysis.omniplay import figures as omniplay_figures
from polyathlon.analysis.omniplay import study as omniplay_study
from polyathlon.analysis.report.chapters import Family
from polyathlon.analysis.report.gptnt import chapters as gptnt
from polyathlon.analysis.report.omniplay import chapters as omniplay
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.core import trace

NAMES = (omniplay_figures.NAME, gptnt_figures.NAME)
"""The families with published figures of their own."""


def families(
    rows: Sequence[EpisodeRow],
    events: Callable[[EpisodeRow], Iterable[trace.Event]],
    against: str | None,
) -> Iterator[Family]:
    """The families of which there are episodes.

    `events` reads the trace of an episode; `against` names the family whose published figures
    stand beside the own ones.
    """
    omni, bombs = omniplay_figures.load(), gptnt_figures.load()
    games = omniplay_study.study(rows, events, omni)
    if games is not None:
        yield omniplay.told(games, omni if against == omni.name else None)
    defusals = gptnt_study.study(rows, events, bombs)
    if defusals is not None:
        yield gptnt.told(defusals, bombs if against == bombs.name else None)
