"""Replays: single episodes step by step, as data for the page, within a budget of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from polyathlon.agents.harness.perception import LIGHT_PX
from polyathlon.analysis import labels
from polyathlon.analysis.cells import Cell
from polyathlon.analysis.report.format import number
from polyathlon.analysis.report.frames import Key, redraw
from polyathlon.analysis.report.gallery import CLIPS
from polyathlon.analysis.report.sheets import short_label
from polyathlon.analysis.report.steps import Pages, Turn, by_turn
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.core.parts import Modality
from polyathlon.experiments.rundir import RunDir

MOST_STEPS = 120
HEAVY: tuple[Modality, ...] = ("audio", "video")


class Replay(msgspec.Struct, frozen=True):
    """One episode for the page: a heading, and what the script shows of it (JSON data)."""

    title: str
    detail: str
    data: Mapping[str, Any]


def choose(cells: Sequence[Cell]) -> list[tuple[str, EpisodeRow]]:
    """The best and the worst episode of each cell by its leading metric, and a failed one; each
    once.
    """
    chosen: dict[tuple[str, str], tuple[list[str], EpisodeRow]] = {}
    for cell in cells:
        name = f"{labels.title(cell.env)} · {short_label(cell, cells)}"
        for what, row in (*_extremes(cell), *_failed(cell)):
            chosen.setdefault((row.run, row.id), ([], row))[0].append(f"{name} · {what}")
    return [(", ".join(names), row) for names, row in chosen.values()]


def replay(run: RunDir, row: EpisodeRow, title: str, budget: int, share: float = 1.0) -> Replay:
    """One episode, thinned out evenly so that its data takes about `budget` bytes at most.

    Sounds and videos get half of them each: beyond that, some are left out before any turn is.
    `share` in [0, 1] of the steps that may show sounds, videos and slow pictures do so.
    """
    events = list(run.events(row.id))
    turns = by_turn(events)
    keys = _spread(list(turns), MOST_STEPS)
    last = {role: max(turn for r, turn in turns if r == role) + 1 for role, _ in turns}
    drawn = redraw(events, {*keys, *last.items()})
    pages = Pages(run, events, drawn)
    most = {**CLIPS, "image": MOST_STEPS} if _draws_fast(row.env) else CLIPS
    shares = dict.fromkeys(CLIPS, share)
    while True:
        chosen = {key: turns[key] for key in keys}
        clips = _clips(chosen, most, shares)
        clips["image"].update(last.items())
        data = pages.data(row, chosen, last, clips)
        size = len(msgspec.json.encode(data))
        heavy = {kind: used for kind in HEAVY if (used := _used(data, kind)) > budget / 2}
        if size <= budget or (len(keys) <= 2 and not heavy):
            break
        for kind, used in heavy.items():
            shares[kind] *= min(0.9, budget / 2 / used)
        if not heavy:
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


def _draws_fast(env: str) -> bool:
    """Whether every picture of an env is small enough to be drawn on an event loop too."""
    spec = labels.known_env(env)
    pictures = [c for c in spec.channels if c.modality == "image"] if spec else []
    sizes = [channel.size_px or (0, 0) for channel in pictures]
    return all(width_px * height_px <= LIGHT_PX for width_px, height_px in sizes)


def _clips(
    turns: Mapping[Key, Turn], most: Mapping[Modality, int], shares: Mapping[Modality, float]
) -> dict[Modality, set[Key]]:
    """The turns that show a modality, evenly apart: a share of the most allowed."""
    found: dict[Modality, set[Key]] = {}
    for modality, share in shares.items():
        keys = [key for key, turn in turns.items() if _senses(turn, modality)]
        found[modality] = set(_spread(keys, round(most[modality] * share)))
    return found


def _used(data: Mapping[str, Any], kind: Modality) -> int:
    return sum(len(file["uri"]) for file in data["media"] if file["kind"] == kind)


def _senses(turn: Turn, modality: Modality) -> bool:
    percepts = (*turn.observed.percepts, *turn.observed.truth) if turn.observed else ()
    return any(percept.modality == modality for percept in percepts)


def _failed(cell: Cell) -> list[tuple[str, EpisodeRow]]:
    return [("failed", row) for row in cell.rows if row.status == "failed"][:1]


def _extremes(cell: Cell) -> list[tuple[str, EpisodeRow]]:
    scored = [
        (seat.metrics[cell.lead], row)
        for row, seat in cell.seats
        if row.counted and cell.lead in seat.metrics
    ]
    if not scored:
        return [("unfinished", row) for row in cell.rows[:1]]
    declared = labels.declared(cell.env).get(cell.lead)
    scored.sort(key=itemgetter(0), reverse=declared is None or declared.higher_is_better)
    rows = [row for _, row in scored]
    return (
        [("only episode", rows[0])] if len(rows) == 1 else [("best", rows[0]), ("worst", rows[-1])]
    )


def _spread(keys: list[Key], most: int) -> list[Key]:
    """At most `most` keys, evenly apart, the first and, of two or more, the last included."""
    if len(keys) <= most:
        return keys
    return [keys[round(n * (len(keys) - 1) / max(1, most - 1))] for n in range(most)]
