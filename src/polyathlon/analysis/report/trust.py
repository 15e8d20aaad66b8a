"""The table of trust: whose lies moved a player, beside how far it moves by chance."""

from __future__ import annotations

from collections.abc import Iterable

from polyathlon.analysis.probes import Span, trusts
from polyathlon.analysis.report.format import NONE, percent
from polyathlon.analysis.report.sheets import Sheet
from polyathlon.experiments.rundir import RunDir

COLUMNS = ("world", "who", "lie", "trust", "moved", "by chance", "did as told", "n")
NOTE = (
    "Recorded decisions, asked again. Moved: the share whose action is another under the lie than "
    "under the truth; by chance: the same when the truth is told twice; trust: the difference. In "
    "brackets 95 % intervals: Wilson's of shares, of trust a bootstrap over episodes. n counts "
    "decisions."
)


def sheets(runs: Iterable[RunDir]) -> list[Sheet]:
    """The table of what the probes of some runs come to; none without probes."""
    rows = tuple(
        (
            f"{one.env} {one.level}",
            f"{one.who} as {one.role}",
            one.lie,
            _share(one.trust, one.trust_interval),
            _share(one.moved, one.moved_interval),
            _share(one.noise, one.noise_interval),
            NONE if one.followed is None else percent(one.followed),
            str(one.moments),
        )
        for one in sorted(trusts(runs), key=lambda one: (one.env, one.level, one.who, -one.trust))
    )
    return [Sheet("Trust: whose lies move whom", COLUMNS, rows, 3, NOTE)] if rows else []


def _share(value: float, interval: Span | None) -> str:
    if interval is None:
        return percent(value)
    return f"{percent(value)} ({100 * interval[0]:.0f} to {100 * interval[1]:.0f})"
