"""Mishaps that speak: why episodes failed, were cut at a limit or stopped, and one of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from polyathlon.analysis.fold import fold
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Group, Mishap, mishap
from polyathlon.experiments.traces import DamagedTrace


class Example(msgspec.Struct, frozen=True):
    """`count` episodes that ended in one way (`what`) for one `cause`.

    `id` is that of one of them, in the run directory `run`; "" where it has no trace. `detail` says
    more of it: what a server said, where a fault was raised, what a budget lacked.
    """

    what: Mishap
    cause: str
    count: int
    run: str
    id: str
    detail: str = ""


def examples(rows: Iterable[EpisodeRow]) -> list[Example]:
    """Why episodes failed or were cut at a limit, failures first, then the most frequent."""
    found: dict[tuple[Mishap, str], list[EpisodeRow]] = {}
    for row in rows:
        what = mishap(row.status, row.cause)
        if what is not None:
            found.setdefault((what, row.cause), []).append(row)
    return _in_order(
        Example(what, cause, len(those), those[0].run, those[0].id, _detail(those[0]))
        for (what, cause), those in found.items()
    )


def of_run(run: RunDir, mishaps: Mapping[tuple[Mishap, str], Group]) -> list[Example]:
    """The same from what was counted while a run was played; opens one trace a cause."""
    return _in_order(_example(run, what, cause, group) for (what, cause), group in mishaps.items())


def _example(run: RunDir, what: Mishap, cause: str, group: Group) -> Example:
    id, path = group.example, str(run.path)
    if not (run.trace_path(id).exists() or run.sealed_path(id).exists()):
        return Example(what, cause, group.count, path, "", group.detail)
    detail = _recorded(run, id) if what == "failed" else group.detail
    return Example(what, cause, group.count, path, id, detail)


def _recorded(run: RunDir, id: str) -> str:
    try:
        row, _ = fold(str(run.path), id, run.events(id))
    except DamagedTrace as damage:
        return str(damage)
    return _detail(row)


def _in_order(found: Iterable[Example]) -> list[Example]:
    order: tuple[Mishap, ...] = ("failed", "stopped", "cut")
    return sorted(found, key=lambda one: (order.index(one.what), -one.count, one.cause))


def _detail(row: EpisodeRow) -> str:
    """What a server said, or the call in a traceback that the user can mend: the last of theirs."""
    calls = [line for line in row.traceback.splitlines() if " in " in line and ".py:" in line]
    own = [line for line in calls if not line.startswith(("polyathlon/", "python/"))]
    return row.detail or (own or calls or [""])[-1]
