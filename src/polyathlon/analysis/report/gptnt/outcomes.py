"""Sheets of outcomes: what was solved, by bombs, by mission and by pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from polyathlon.analysis.gptnt.figures import (
    AVERAGE,
    JOIN,
    MEAN,
    MULTI,
    PAIR,
    SINGLE,
    SYNC,
    Figures,
    MultiRow,
)
from polyathlon.analysis.gptnt.games import Share
from polyathlon.analysis.gptnt.outcomes import Mission, Missions, Record
from polyathlon.analysis.gptnt.study import Pairing, Study
from polyathlon.analysis.report.format import NONE, number
from polyathlon.analysis.report.gptnt.lines import (
    PUBLISHED,
    Line,
    joined,
    model,
    percent,
    printed,
    rate,
    sheet,
    with_interval,
)
from polyathlon.analysis.report.sheets import OWN, Sheet

WHO = ("who", "play", "bombs")
MISSIONS = range(1, 11)
ENDED = {"solved": "solved", "strikeout": "struck", "timeout": "time", "cut off": "cut"}
"""Endings in narrow columns."""
PAIRED = SINGLE, PAIR + JOIN + SYNC
"""The bombs and the play of what is printed of pairs and of behaviour."""
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
    return sheet("Outcomes", WHO, numbers, sorted(lines, key=by_bombs), note)


def missions(study: Study, figures: Figures | None) -> Iterator[Sheet | None]:
    """The ten bombs of several modules, a sheet a play and a row a team (Tables 2 and 3)."""
    note = joined(
        "How each mission ended (solved, struck three times, time over), with the modules solved "
        "of those on the bomb; with several games a mission, how many were solved and the mean of "
        "their modules.",
        "The modules solved in single missions are not printed in the paper." if figures else "",
    )
    for play in dict.fromkeys(one.team.play for one in study.missions):
        lines = [_missions(one) for one in study.missions if one.team.play == play]
        setup, _, mode = play.partition(JOIN)
        if figures is not None and setup == PAIR:
            lines += [_published_missions(who, row) for who, row in figures.multi[mode].items()]
        numbers = (*map(str, MISSIONS), "solved", "modules")
        yield sheet(f"Bombs of several modules: {play}", ("who",), numbers, lines, note)


def pairs(study: Study, figures: Figures | None) -> Iterator[Sheet]:
    """Success by Defuser and Expert, a matrix a kind of bombs (Table 6)."""
    groups: dict[tuple[str, str, str], list[Pairing]] = {}
    for one in study.pairings:
        groups.setdefault((one.bombs, one.play, one.setting), []).append(one)
    for place, found in groups.items():
        yield _matrix(", ".join(filter(None, place)), found)
    if figures is not None and any(place[:2] == PAIRED for place in groups):
        experts = (*(name for name in figures.pairs if name != AVERAGE), MEAN)
        rows = tuple(
            (model(who), *(printed(row[name]) for name in experts))
            for who, row in figures.pairs.items()
        )
        title = "Pairs, published: Defuser (rows) and Expert (columns), %"
        yield Sheet(title, ("Defuser", *experts), rows, 1)


def by_bombs(line: Line) -> tuple[int, str, str]:
    """Bombs of several modules first, then by play; own lines stay before published ones."""
    _, play, bombs = line.words
    order = (MULTI, SINGLE)
    return order.index(bombs) if bombs in order else len(order), bombs, play


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
    mode = play.partition(JOIN)[2]
    failures = figures.failures.get(bombs + JOIN + mode, {}) if play.startswith(PAIR) else {}
    endings = figures.endings(bombs, play)
    for who in dict.fromkeys([*endings, *failures]):
        row, modules = endings.get(who, {}), failures.get(who, {}).get("modules_solved_pct")
        shares = (row.get("solved"), modules, row.get("strikeout"), row.get("timeout"))
        if any(share is not None for share in shares):
            numbers = (NONE, *map(printed, shares), *[NONE] * 4)
            yield Line(PUBLISHED, (model(who), play, bombs), numbers)


def _missions(one: Missions) -> Line:
    found = {mission.number: mission for mission in one.missions}
    endings = (_mission(found[at]) if at in found else NONE for at in MISSIONS)
    solved = sum(mission.endings.get("solved", 0) for mission in one.missions)
    games = sum(sum(mission.endings.values()) for mission in one.missions)
    modules = f"{number(one.modules_solved)}/{one.modules}"
    return Line(OWN, (one.team.who,), (*endings, f"{solved} of {games}", modules))


def _mission(one: Mission) -> str:
    games = sum(one.endings.values())
    (first, *_) = one.endings
    ended = ENDED[first] if games == 1 else f"{one.endings.get('solved', 0)} of {games}"
    return f"{ended} {number(one.modules_solved)}/{one.modules}"


def _published_missions(who: str, row: MultiRow) -> Line:
    solved = f"{row.outcomes.count('solved')} of {len(row.outcomes)}"
    modules = NONE if row.modules_solved is None else str(row.modules_solved)
    return Line(
        PUBLISHED, (model(who),), (*(ENDED[name] for name in row.outcomes), solved, modules)
    )


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
