"""Sheets of outcomes: what was solved, by bombs, by module, by mission and by pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from polyathlon.analysis.gptnt.figures import (
    AVERAGE,
    MEAN,
    MODULES,
    Figures,
    MultiRow,
    Row,
    level_of,
)
from polyathlon.analysis.gptnt.games import MULTI, SINGLE, Share, Team
from polyathlon.analysis.gptnt.outcomes import Deviation, Mission, Missions, Record, mean_rate
from polyathlon.analysis.gptnt.study import Pairing, Study
from polyathlon.analysis.report.format import NONE, number
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
    with_interval,
)
from polyathlon.analysis.report.sheets import OWN, Sheet
from polyathlon.envs.gptnt.bomb.play import catalogue

WHO = ("who", "play", "bombs")
NARROW = (
    *("Wires", "Button", "Keypad", "Simon", "Who's", "Memory"),
    *("Maze", "Morse", "Complicated", "Sequence", "Passwords"),
)
"""The types of modules, as heads of columns."""
MISSIONS = range(1, 11)
RANDOM = "random play"
SE = (
    "SE: the difference to the published rate, of 1,000 games, in standard errors of the "
    "difference of two pooled proportions."
)
PLAY = (
    "A pair is a Defuser and an Expert; alone, one player has the bomb and the manual. In sync the "
    "countdown stands still while players think, in async it runs."
)


def outcomes(study: Study, figures: Figures | None) -> Sheet | None:
    """A row a team and kind of bombs."""
    lines = [_outcome(one) for one in study.records]
    if figures is not None:
        for play, bombs in dict.fromkeys((one.team.play, one.bombs) for one in study.records):
            lines += _published_outcomes(figures, play, bombs)
    note = joined(
        "Solved, with 95 % Wilson interval: all modules; modules: the mean over games of the share "
        "solved. Turns, messages and invalid turns are those of all players of a game.",
        PLAY,
        "Published strikeouts and timeouts follow from the shares of failures." if figures else "",
    )
    names = ("games", "solved %", "modules %", "strikeouts %", "timeouts %", "strikes", "turns")
    numbers = (*names, "messages", "invalid")
    return sheet("Outcomes", WHO, numbers, sorted(lines, key=_by_bombs), note)


def success(study: Study, figures: Figures | None) -> Sheet | None:
    """Success by module, a row a team (Tables 4, 5 and 11)."""
    teams: dict[Team, dict[str, Record]] = {}
    for one in study.modules:
        teams.setdefault(one.team, {})[one.bombs] = one
    lines = [_success(team, found) for team, found in teams.items()]
    if figures is not None:
        for play in dict.fromkeys(team.play for team in teams):
            lines += _published_success(figures, play)
    note = joined(
        f"Solved bombs of one module in percent; {_counts(study.modules)}. The mean is over "
        "types, each with equal weight.",
        _deviating(study.deviations) if figures else "",
    )
    return sheet("Success by module, %", ("who", "play"), (*NARROW, MEAN), lines, note)


def levels(study: Study, figures: Figures | None) -> Sheet | None:
    """Everything about single modules, a row a team and module."""
    known = study.deviations if figures else ()
    found = {(one.team, level_of(one.module)): one for one in known}
    lines = [_level(one, found.get((one.team, one.bombs))) for one in study.modules]
    names = ("games", "solved %", "95 %", "random %", "SE", "strikeouts %")
    more = ("timeouts %", "strikes", "limit used %", "turns", "presses")
    note = joined(
        "Intervals are Wilson's; presses are the turns that handled a part.",
        f"Random: the published rate of random play. {SE}" if found else "",
    )
    return sheet("Single modules", ("who", "play", "module"), (*names, *more), lines, note)


def missions(study: Study, figures: Figures | None) -> Sheet | None:
    """The ten bombs of several modules, a row a team (Tables 2 and 3)."""
    lines = [_missions(one) for one in study.missions]
    if figures is not None:
        for play in dict.fromkeys(one.team.play for one in study.missions):
            setup, _, mode = play.rpartition(" ")
            rows = figures.multi[mode] if setup == "pair" else {}
            lines += [_published_missions(figures, play, who, row) for who, row in rows.items()]
    numbers = (*map(str, MISSIONS), "solved", "modules")
    note = joined(
        "How each mission ended, with the modules solved of those on the bomb; with several games "
        "a mission, how many were solved and the mean of their modules.",
        "The modules solved in single missions are not printed in the paper." if figures else "",
    )
    return sheet("Bombs of several modules", ("who", "play"), numbers, lines, note)


def pairs(study: Study, figures: Figures | None) -> Iterator[Sheet]:
    """Success by Defuser and Expert, a matrix a kind of bombs (Table 6)."""
    groups: dict[tuple[str, str, str], list[Pairing]] = {}
    for one in study.pairings:
        groups.setdefault((one.bombs, one.play, one.setting), []).append(one)
    for place, found in groups.items():
        yield _matrix(", ".join(filter(None, place)), found)
    if figures is not None and any(place[:2] == (SINGLE, "pair sync") for place in groups):
        experts = (*(name for name in figures.pairs if name != AVERAGE), MEAN)
        rows = tuple(
            (model(who), *(printed(row[name]) for name in experts))
            for who, row in figures.pairs.items()
        )
        title = "Pairs, published: Defuser (rows) and Expert (columns), %"
        yield Sheet(title, ("Defuser", *experts), rows, 1)


def _outcome(one: Record) -> Line:
    means = one.means
    words = one.team.who, one.team.play, one.bombs
    return Line(
        OWN,
        words,
        (
            str(one.solved.n),
            with_interval(one.solved),
            percent(means["modules_solved_share"]),
            rate(one.strikeouts),
            rate(one.timeouts),
            printed(means["strikes"], 2),
            printed(means["turns"]),
            printed(means["messages"]) if one.team.setup == "pair" else NONE,
            printed(means["invalid_actions"], 2),
        ),
    )


def _published_outcomes(figures: Figures, play: str, bombs: str) -> Iterator[Line]:
    """Table rows from the failures of pairs (G.2 to G.5), of one player from Table 11."""
    setup, _, mode = play.rpartition(" ")
    if setup == "pair":
        for who, row in figures.failures.get(f"{bombs} {mode}", {}).items():
            solved = row.get("solved_pct_of_missions", _solved(figures, mode, who))
            yield _published_outcome((model(who), play, bombs), row, solved)
    elif bombs == SINGLE:
        for who, row in figures.single.get(play, {}).items():
            yield _published_outcome((model(who), play, bombs), {}, row[MEAN])


def _published_outcome(words: tuple[str, ...], row: Row, solved: float | None) -> Line:
    def among_all(name: str) -> str:
        failed = row.get(f"{name}_pct_of_failures")
        return NONE if failed is None or solved is None else printed((100 - solved) * failed / 100)

    modules = printed(row.get("modules_solved_pct"))
    ended = among_all("strikeout"), among_all("timeout")
    return Line(PUBLISHED, words, (NONE, printed(solved), modules, *ended, *[NONE] * 4))


def _solved(figures: Figures, mode: str, who: str) -> float | None:
    """The published percentage of the ten bombs of several modules that a model solved."""
    row = figures.multi[mode].get(who)
    return None if row is None else 100 * row.outcomes.count("solved") / len(row.outcomes)


def _success(team: Team, found: Mapping[str, Record]) -> Line:
    rates = (rate(found[level].solved) if level in found else NONE for level in catalogue.SINGLE)
    return Line(OWN, (team.who, team.play), (*rates, percent(mean_rate(found.values()))))


def _published_success(figures: Figures, play: str) -> Iterator[Line]:
    rows = {**figures.single.get(play, {})}
    if play.split()[-1] == "sync":
        rows[RANDOM] = figures.random
    for who, row in rows.items():
        rates = (printed(row[name]) for name in (*MODULES, MEAN))
        yield Line(PUBLISHED, (model(who), play), tuple(rates))


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
    return Line(OWN, (one.team.who, one.team.play, one.bombs), numbers)


def _missions(one: Missions) -> Line:
    found = {mission.number: mission for mission in one.missions}
    endings = (_mission(found[at]) if at in found else NONE for at in MISSIONS)
    solved = sum(mission.endings.get("solved", 0) for mission in one.missions)
    games = sum(sum(mission.endings.values()) for mission in one.missions)
    modules = f"{number(one.modules_solved)} of {one.modules}"
    return Line(OWN, (one.team.who, one.team.play), (*endings, f"{solved} of {games}", modules))


def _mission(one: Mission) -> str:
    games = sum(one.endings.values())
    (first, *_) = one.endings
    ended = first if games == 1 else f"{one.endings.get('solved', 0)} of {games} solved"
    return f"{ended}, {number(one.modules_solved)}/{one.modules}"


def _published_missions(figures: Figures, play: str, who: str, row: MultiRow) -> Line:
    modules = NONE
    if row.modules_solved is not None:
        modules = f"{row.modules_solved} of {sum(figures.modules_per_mission)}"
    solved = f"{row.outcomes.count('solved')} of {len(row.outcomes)}"
    return Line(PUBLISHED, (model(who), play), (*row.outcomes, solved, modules))


def _matrix(place: str, found: Sequence[Pairing]) -> Sheet:
    """Defusers by Experts, with the means of rows and columns."""
    solved = {(one.defuser, one.expert): one.solved for one in found}
    defusers = list(dict.fromkeys(one.defuser for one in found))
    experts = list(dict.fromkeys(one.expert for one in found))
    rows = [
        (who, *(_pair(solved.get((who, other))) for other in experts), _mean(solved, who, experts))
        for who in defusers
    ]
    below = (
        _mean({pair[::-1]: one for pair, one in solved.items()}, who, defusers) for who in experts
    )
    every = fmean(one.hits / one.n for one in solved.values())
    note = "Solved with 95 % Wilson intervals; means give every pair equal weight."
    return Sheet(
        f"Pairs, {place}: Defuser (rows) and Expert (columns), %",
        ("Defuser", *experts, MEAN),
        (*rows, (MEAN, *below, percent(every))),
        1,
        note,
    )


def _pair(solved: Share | None) -> str:
    return NONE if solved is None else with_interval(solved)


def _mean(solved: Mapping[tuple[str, str], Share], who: str, others: Sequence[str]) -> str:
    rates = [one.hits / one.n for other in others if (one := solved.get((who, other)))]
    return percent(fmean(rates)) if rates else NONE


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


def _by_bombs(line: Line) -> tuple[int, str, str]:
    """Bombs of several modules first, then by play; own lines stay before published ones."""
    _, play, bombs = line.words
    order = (MULTI, SINGLE)
    return order.index(bombs) if bombs in order else len(order), bombs, play
