"""Sheets of behaviour: how games failed, who wrote how often, what players did when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from polyathlon.analysis.gptnt.figures import JOIN, PAIR, Figures, Row
from polyathlon.analysis.gptnt.games import Ending, Share, Team
from polyathlon.analysis.gptnt.outcomes import Ends
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.gptnt.talk import DOINGS, THIRDS, Doing, Talk, Third
from polyathlon.analysis.report.format import NONE
from polyathlon.analysis.report.gptnt.lines import (
    PUBLISHED,
    Line,
    bounds,
    model,
    percent,
    printed,
    rate,
    sheet,
)
from polyathlon.analysis.report.gptnt.outcomes import PAIRED, WHO, by_bombs
from polyathlon.analysis.report.sheets import OWN, Sheet

STRIKES = range(3)
ROLES = {
    "self_play": "both",
    "other_play_as_defuser": "defuser of others",
    "other_play_as_expert": "expert of others",
}
"""What the published communication rates are about."""


def failures(study: Study, figures: Figures | None) -> Sheet | None:
    """How the games ended that were not solved (Tables G.2 to G.5, F.2)."""
    lines = [_failures(one) for one in study.ends]
    if figures is not None:
        for play, bombs in dict.fromkeys((one.team.play, one.bombs) for one in study.ends):
            setup, _, mode = play.partition(JOIN)
            rows = figures.failures.get(bombs + JOIN + mode, {}) if setup == PAIR else {}
            lines += [_published_failures((model(who), play, bombs), rows[who]) for who in rows]
    lines.sort(key=by_bombs)
    numbers = (
        *("not solved", "timeouts %", "at 0 / 1 / 2 strikes", "strikeouts %", "struck out after %"),
        *("solved at 0 / 1 / 2 strikes", "solved after %"),
    )
    note = (
        "Timeouts and strikeouts are shares of the games not solved; the rest was cut off. At 0 / "
        "1 / 2 strikes: of the games that ended so, in percent. After: the mean share of the time "
        "limit used by then."
    )
    return sheet("Failures", WHO, numbers, lines, note)


def strikes(study: Study) -> Sheet | None:
    """What followed a strike (Figure 8)."""
    lines = [_strikes(one) for one in study.ends]
    numbers = (
        *("games", "with a strike %"),
        *(f"{n} ✗: {what} %" for n in (1, 2) for what in ("next", "solved", "timeout")),
    )
    note = (
        "n ✗: what came next in the games that had n strikes, another strike, the solution or the "
        "end of the countdown. The paper finds a strike in 56 % of synchronous games with one "
        "module, mostly followed by another."
    )
    return sheet("After a strike", WHO, numbers, lines, note)


def talk(study: Study, figures: Figures | None) -> Sheet | None:
    """How often players wrote (Tables 7 and 10)."""
    lines = [_talk(one) for one in study.talk]
    if figures is not None and any(_talked(one.team, one.bombs) for one in study.talk):
        lines += _published_talk(figures)
    lines.sort(key=lambda line: line.words[1:])
    numbers = ("turns", "messages %", "95 %", "characters", "invented markers %", "lost %")
    note = (
        "Messages: turns that sent one, of all turns of the role. Characters: of a message. "
        "Invented markers: of the turns that handled a part or tried to, those that named a letter "
        "that was not there. Lost: turns lost to errors."
    )
    return sheet("Messages and errors", (*WHO, "role"), numbers, lines, note)


def actions(study: Study, figures: Figures | None) -> Sheet | None:
    """What players did, by role and ending (Table G.6)."""
    groups: dict[tuple[Team, str, str, Ending], Counter[Doing]] = {}
    for one in study.doings:
        key = one.team, one.bombs, one.role, one.ending
        groups.setdefault(key, Counter()).update(one.turns)
    lines = [
        Line(OWN, (team.who, team.play, bombs, role, ending), _shares(found))
        for (team, bombs, role, ending), found in sorted(groups.items())
    ]
    if figures is not None and any(_talked(one.team, one.bombs) for one in study.doings):
        lines += _published_actions(figures)
    lines.sort(key=lambda line: line.words[1:])
    note = "Shares of turns in percent. Turns lost to errors are waits; zooming in is interaction."
    return sheet("Actions", (*WHO, "role", "ending"), ("turns", *DOINGS), lines, note)


def thirds(study: Study) -> Sheet | None:
    """What players did early, midway and late in their games (Figure 7)."""
    groups: dict[tuple[Team, str, str, Ending], dict[Third, Mapping[Doing, int]]] = {}
    for one in study.doings:
        key = one.team, one.bombs, one.role, one.ending
        groups.setdefault(key, {})[one.third] = one.turns
    lines = [
        Line(OWN, (team.who, team.play, bombs, role, ending), _courses(found))
        for (team, bombs, role, ending), found in sorted(groups.items())
    ]
    note = "Percent of the turns in the early, middle and late third of the turns of a game."
    return sheet("Actions by third", (*WHO, "role", "ending"), DOINGS, lines, note)


def _failures(one: Ends) -> Line:
    numbers = (
        str(one.failures),
        rate(one.of_failures("timeout")),
        _course([rate(one.at("timeout", n)) for n in STRIKES]),
        rate(one.of_failures("strikeout")),
        percent(one.time_share.get("strikeout")),
        _course([rate(one.at("solved", n)) for n in STRIKES]),
        percent(one.time_share.get("solved")),
    )
    return Line(OWN, (one.team.who, one.team.play, one.bombs), numbers)


def _published_failures(words: tuple[str, ...], row: Row) -> Line:
    def text(name: str) -> str:
        return printed(row.get(name))

    counts = ("0_strikes", "1_strike", "2_strikes")
    numbers = (
        NONE,
        text("timeout_pct_of_failures"),
        _course([text(f"timeout_{count}") for count in counts]),
        text("strikeout_pct_of_failures"),
        text("strikeout_time_elapsed_pct"),
        _course([text(f"solved_{count}") for count in counts]),
        text("solved_time_elapsed_pct"),
    )
    return Line(PUBLISHED, words, numbers)


def _strikes(one: Ends) -> Line:
    games = one.reached(0)
    follow = []
    for n in (1, 2):
        reached = one.reached(n)
        follow.append(Share(one.reached(n + 1), reached))
        follow += [Share(one.at(end, n).hits, reached) for end in ("solved", "timeout")]
    numbers = (str(games), rate(Share(one.reached(1), games)), *map(rate, follow))
    return Line(OWN, (one.team.who, one.team.play, one.bombs), numbers)


def _talk(one: Talk) -> Line:
    writes = one.team.setup == PAIR
    numbers = (
        f"{one.sent.n:,}",
        rate(one.sent) if writes else NONE,
        bounds(one.sent) if writes else NONE,
        printed(one.chars, 0),
        rate(one.invented),
        rate(one.lost),
    )
    return Line(OWN, (one.team.who, one.team.play, one.bombs, one.role), numbers)


def _published_talk(figures: Figures) -> Iterator[Line]:
    bombs, play = PAIRED
    for who, row in figures.talk.items():
        for name, role in ROLES.items():
            invented = printed(figures.markers[who]) if role == "both" else NONE
            numbers = (NONE, printed(row[name]), NONE, NONE, invented, NONE)
            yield Line(PUBLISHED, (model(who), play, bombs, role), numbers)


def _published_actions(figures: Figures) -> Iterator[Line]:
    bombs, play = PAIRED
    for role, rows in figures.actions.items():
        for who, endings in rows.items():
            for ending, row in endings.items():
                numbers = (NONE, *(printed(row.get(doing)) for doing in DOINGS))
                yield Line(PUBLISHED, (model(who), play, bombs, role, ending), numbers)


def _talked(team: Team, bombs: str) -> bool:
    return (bombs, team.play) == PAIRED


def _shares(turns: Mapping[Doing, int]) -> tuple[str, ...]:
    total = sum(turns.values())
    return f"{total:,}", *(rate(Share(turns.get(doing, 0), total)) for doing in DOINGS)


def _courses(found: Mapping[Third, Mapping[Doing, int]]) -> tuple[str, ...]:
    """Each doing's share in the three thirds."""
    shares = [_shares(found.get(third, {}))[1:] for third in THIRDS]
    return tuple(_course(course) for course in zip(*shares, strict=True))


def _course(numbers: Sequence[str]) -> str:
    """Three numbers in one cell; a dash where there are none."""
    return NONE if set(numbers) == {NONE} else " / ".join(numbers)
