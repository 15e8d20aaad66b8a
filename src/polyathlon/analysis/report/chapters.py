"""Chapters: what a report tells of a family of envs, beyond what it tells of every env."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from polyathlon.analysis.report.plots import Plot
from polyathlon.analysis.report.sheets import Sheet


class Chapter(msgspec.Struct, frozen=True):
    """Sheets that belong together; `id` is a short word."""

    id: str
    title: str
    sheets: tuple[Sheet, ...]


class Family(msgspec.Struct, frozen=True):
    """The results of a family of envs, and how they are told.

    `study` and the published `figures` beside it, if any, are structs; `headlines` are the sheets
    that fit a terminal; `charts` draws those of a chapter by its id.
    """

    name: str
    title: str
    study: Any
    figures: Any
    chapters: tuple[Chapter, ...]
    headlines: tuple[Sheet, ...]
    charts: Callable[[str], Iterable[Plot]]
