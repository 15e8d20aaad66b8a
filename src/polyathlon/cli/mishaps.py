"""The last lines of a run: what failed, stopped or was cut, why, how often, and how to see one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polyathlon.analysis.mishaps import Example, of_run
from polyathlon.analysis.report.format import plain
from polyathlon.analysis.report.sheets import command
from polyathlon.core.console import counted, note
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Progress

MOST_CAUSES = 8
MOST_CHARACTERS = 400
_DONE = {"failed": "failed", "stopped": "stopped", "cut": "cut off"}


def tell_mishaps(run: RunDir, progress: Progress) -> None:
    """Say on stderr why episodes did not come to their end, with a command for one of each."""
    causes = {cause for _, cause in progress.mishaps}
    for problem in progress.problems:
        if problem not in causes:
            note(f"stopped: {_short(problem)}")
    for line in lines(of_run(run, progress.mishaps)):
        note(line)


def lines(found: Sequence[Example]) -> Iterable[str]:
    """Up to three lines a cause."""
    for one in found[:MOST_CAUSES]:
        yield f"{counted(one.count, 'episode')} {_DONE[one.what]}: {_short(one.cause)}"
        if one.detail:
            yield f"  {_short(one.detail)}"
        if one.id:
            yield f"  {command(one)}"
    if len(found) > MOST_CAUSES:
        rest = sum(one.count for one in found[MOST_CAUSES:])
        yield f"and {rest} for {len(found) - MOST_CAUSES} further causes: see the report"


def _short(text: str) -> str:
    shown = plain(text)
    return shown if len(shown) <= MOST_CHARACTERS else f"{shown[:MOST_CHARACTERS]} …"
