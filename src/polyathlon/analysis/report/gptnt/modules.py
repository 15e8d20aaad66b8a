"""Sheets of bombs of one module: success by type, and all about each type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polyathlon.analysis.gptnt.figures import JOIN, MEAN, MODULES, SYNC, Figures, level_of
from polyathlon.analysis.gptnt.games import Team
from polyathlon.analysis.gptnt.outcomes import Deviation, Record, mean_rate
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.report.format import NONE
from polyathlon.analysis.report.gptnt.lines import (
    PUBLISHED,
    Line,
    bounds,
    joined,
    model,
    percent,
    printed,
    rate,
    sheet,
)
from polyathlon.analysis.report.sheets import OWN, Sheet

NARROW = (
    *("Wires", "Button", "Keypad", "Simon", "Who's", "Memory"),
    *("Maze", "Morse", "Complicated", "Sequence", "Passwords"),
)
"""The types of modules, as heads of columns."""
HEADS = {level_of(name): head for name, head in zip(MODULES, NARROW, strict=True)}
"""The heads by level."""
RANDOM = "random play"
SE = (
    "SE: the difference to the published rate, of 1,000 games, in standard errors of the "
    "difference of two pooled proportions."
)


def success(study: Study, figures: Figures | None) -> Iterator[Sheet | None]:
    """Success by module, a sheet a play and a row a team (Tables 4, 5 and 11)."""
    for play, found in _by_play(study).items():
        teams: dict[Team, dict[str, Record]] = {}
        for one in found:
            teams.setdefault(one.team, {})[one.bombs] = one
        lines = [_success(team, records) for team, records in teams.items()]
        lines += _published_success(figures, play) if figures else ()
        deviating = [one for one in study.deviations if one.team in teams] if figures else []
        note = joined(
            f"Solved bombs of one module in percent; {_counts(found)}. The mean is over the "
            "types played, each with equal weight.",
            _deviating(deviating),
        )
        title = f"Success by module, %: {play}"
        yield sheet(title, ("who",), (*NARROW, MEAN), lines, note)


def levels(study: Study, figures: Figures | None) -> Iterator[Sheet | None]:
    """Everything about single modules, a sheet a play and a row a team and module."""
    known = study.deviations if figures else ()
    deviating = {(one.team, level_of(one.module)): one for one in known}
    names = ("games", "solved %", "95 %", "random %", "SE", "strikeouts %")
    more = ("timeouts %", "strikes", "limit used %", "turns", "presses")
    for play, found in _by_play(study).items():
        lines = [_level(one, deviating.get((one.team, one.bombs))) for one in found]
        note = joined(
            "Intervals are Wilson's; presses are the turns that handled a part.",
            f"Random: the published rate of random play. {SE}" if deviating else "",
        )
        yield sheet(f"Single modules: {play}", ("who", "module"), (*names, *more), lines, note)


def _by_play(study: Study) -> dict[str, list[Record]]:
    plays: dict[str, list[Record]] = {}
    for one in study.modules:
        plays.setdefault(one.team.play, []).append(one)
    return plays


def _success(team: Team, found: Mapping[str, Record]) -> Line:
    rates = (rate(found[level].solved) if level in found else NONE for level in HEADS)
    return Line(OWN, (team.who,), (*rates, percent(mean_rate(found.values()))))


def _published_success(figures: Figures, play: str) -> Iterator[Line]:
    rows = {**figures.single.get(play, {})}
    if play.endswith(JOIN + SYNC):
        rows[RANDOM] = figures.random
    for who, row in rows.items():
        rates = (printed(row[name]) for name in (*MODULES, MEAN))
        yield Line(PUBLISHED, (model(who),), tuple(rates))


def _level(one: Record, found: Deviation | None) -> Line:
    means = one.means
    numbers = (
        str(one.solved.n),
        rate(one.solved),
        bounds(one.solved),
        NONE if found is None else printed(found.published),
        NONE if found is None or found.errors is None else f"{found.errors:+.1f}",
        rate(one.strikeouts),
        rate(one.timeouts),
        printed(means["strikes"], 2),
        percent(means["time_share"]),
        printed(means["turns"]),
        printed(means["interactions"]),
    )
    return Line(OWN, (one.team.who, HEADS[one.bombs]), numbers)


def _counts(modules: Sequence[Record]) -> str:
    counts = [one.solved.n for one in modules]
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low} games each" if low == high else f"{low} to {high} games each"


def _deviating(found: Sequence[Deviation]) -> str:
    told = [
        f"{one.module} {percent(one.own.share)} against {printed(one.published)}"
        f"{'' if one.errors is None else f' ({one.errors:+.1f} SE)'}"
        for one in found
    ]
    return f"Our random play: {', '.join(told)}. {SE}" if told else ""
