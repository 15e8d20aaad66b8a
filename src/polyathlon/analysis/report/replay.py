"""Replays: single episodes step by step, as data for the page, within a budget of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.cells import Cell
from polyathlon.analysis.report.format import number
from polyathlon.analysis.report.frames import Key, redraw
from polyathlon.analysis.report.sheets import short_label
from polyathlon.analysis.report.steps import Pages, by_turn
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.experiments.rundir import RunDir

MOST_STEPS = 120


class Replay(msgspec.Struct, frozen=True):
    """One episode for the page: a heading, and what the script shows of it (JSON data)."""

    title: str
    detail: str
    data: Mapping[str, Any]


def choose(cells: Sequence[Cell]) -> list[tuple[str, EpisodeRow]]:
    """The best and the worst episode of each cell by its leading metric, each once."""
    chosen: dict[tuple[str, str], tuple[list[str], EpisodeRow]] = {}
    for cell in cells:
        name = f"{labels.title(cell.env)} · {short_label(cell, cells)}"
        for what, row in _extremes(cell):
            chosen.setdefault((row.run, row.id), ([], row))[0].append(f"{name} · {what}")
    return [(", ".join(names), row) for names, row in chosen.values()]


def replay(run: RunDir, row: EpisodeRow, title: str, budget: int) -> Replay:
    """One episode, thinned out evenly so that its data takes about `budget` bytes at most."""
    events = list(run.events(row.id))
    turns = by_turn(events)
    keys = _spread(list(turns), MOST_STEPS)
    last = {role: max(turn for r, turn in turns if r == role) + 1 for role, _ in turns}
    drawn = redraw(events, {*keys, *last.items()})
    pages = Pages(run, events, drawn)
    while True:
        data = pages.data(row, {key: turns[key] for key in keys}, last)
        size = len(msgspec.json.encode(data))
        if size <= budget or len(keys) <= 2:
            break
        keys = _spread(keys, max(2, int(len(keys) * min(0.9, budget / size))))
    score = row.metrics.get(labels.lead_metric(row.env, row.metrics))
    shown = f", {len(keys)} shown" if len(keys) < len(turns) else ""
    parts = [
        f"seed {row.seed}",
        f"level {row.level}",
        row.status + (f" ({row.cause})" if row.cause else ""),
        "" if score is None else f"score {number(score)}",
        f"{row.turns} turn{'' if row.turns == 1 else 's'}{shown}",
    ]
    return Replay(title, " · ".join(filter(None, parts)), data)


def _extremes(cell: Cell) -> list[tuple[str, EpisodeRow]]:
    def score(row: EpisodeRow) -> float:
        return row.roles[cell.role].metrics[cell.lead]

    rows = [r for r in cell.rows if r.counted and cell.lead in r.roles[cell.role].metrics]
    if not rows:
        return [("unfinished", row) for row in cell.rows[:1]]
    declared = labels.declared(cell.env).get(cell.lead)
    rows.sort(key=score, reverse=declared is None or declared.higher_is_better)
    return (
        [("only episode", rows[0])] if len(rows) == 1 else [("best", rows[0]), ("worst", rows[-1])]
    )


def _spread(keys: list[Key], most: int) -> list[Key]:
    """At most `most` keys, evenly apart, the first and the last included."""
    if len(keys) <= most:
        return keys
    return [keys[round(n * (len(keys) - 1) / (most - 1))] for n in range(most)]
