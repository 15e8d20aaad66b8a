"""What runs were played under: budgets and amendments, and which episodes fell under which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from polyathlon.analysis.report.format import NONE, UNKNOWN, usd
from polyathlon.analysis.report.sheets import Sheet
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.terms import Entry, entries, episodes, played

MOST_NAMED = 4
"""So many episodes are named in a row of a table; `--json` names all."""
COLUMNS = ("since", "what changed", "played under it", "budget", "spent until then", "episodes")


class Era(msgspec.Struct, frozen=True):
    """A time that a run was played under the same terms and plan. `entry` None is before a record.

    An episode that was cut and went on counts in each era in which it was played.
    """

    entry: Entry | None
    episodes: tuple[str, ...]


def eras(run: RunDir) -> list[Era]:
    """The eras of a run, oldest first; empty where there is no record and so nothing to tell."""
    record = entries(run)
    if not record:
        return []
    if len(record) == 1 and not record[0].marks:
        return [Era(record[0], tuple(run.episode_ids()))]
    made = [tuple(episodes(found)) for found in played(run, record)]
    first = [Era(None, made[0])] if made[0] else []
    return first + [Era(entry, ids) for entry, ids in zip(record, made[1:], strict=True)]


def histories(runs: Iterable[RunDir]) -> list[Sheet]:
    """A table a run that had a budget or was changed."""
    return [_sheet(run, found) for run in runs if _tells(found := eras(run))]


def as_json(run: RunDir) -> list[dict[str, Any]]:
    """The eras of a run with all that was in force, without the plans."""
    return [_era(era) for era in eras(run)]


def _era(era: Era) -> dict[str, Any]:
    if era.entry is None:
        return {"at": None, "terms": None, "episodes": list(era.episodes)}
    told = msgspec.structs.asdict(era.entry)
    for name in ("marks", "experiment", "schema"):
        del told[name]
    told["terms"] = msgspec.structs.asdict(era.entry.terms)
    return {**msgspec.to_builtins(told), "episodes": list(era.episodes)}


def _tells(found: Sequence[Era]) -> bool:
    budgets = any(era.entry is not None and era.entry.terms.budget_usd is not None for era in found)
    return budgets or len(found) > 1


def _sheet(run: RunDir, found: Sequence[Era]) -> Sheet:
    return Sheet(
        f"What {run.path.name} was played under",
        COLUMNS,
        tuple(map(_row, found)),
        3,
        "An episode that was cut and went on counts in each row in which it was played.",
    )


def _row(era: Era) -> tuple[str, ...]:
    named = ", ".join(era.episodes[:MOST_NAMED])
    if len(era.episodes) > MOST_NAMED:
        named += f" and {len(era.episodes) - MOST_NAMED} more"
    entry = era.entry
    if entry is None:
        return ("before", UNKNOWN, named or NONE, UNKNOWN, NONE, str(len(era.episodes)))
    budget = NONE if entry.terms.budget_usd is None else usd(entry.terms.budget_usd)
    spent = usd(entry.spent_usd)
    if entry.unpriced:
        spent += f" and {entry.unpriced} replies of unknown price"
    changes = "; ".join(entry.changes) or NONE
    return (entry.at[:19], changes, named or NONE, budget, spent, str(len(era.episodes)))
