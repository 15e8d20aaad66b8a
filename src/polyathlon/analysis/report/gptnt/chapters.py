"""Chapters: the order in which a report tells what GPTNT publishes."""

from __future__ import annotations

from collections.abc import Iterator

from polyathlon.analysis.gptnt.figures import Figures
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.report.gptnt import answers, behaviour, outcomes
from polyathlon.analysis.report.omniplay.chapters import Chapter
from polyathlon.analysis.report.sheets import Sheet

BRIEF = ("outcomes", "failures", "answers", "memory")
