"""Charts of the family: own results, and the published ones beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from polyathlon.analysis.gptnt.figures import ALL, AVERAGE, JOIN, MODULES, SYNC, Figures, level_of
from polyathlon.analysis.gptnt.games import Ending, Share, Team
from polyathlon.analysis.gptnt.outcomes import Mission, Record
from polyathlon.analysis.gptnt.probes import CATEGORIES, Accuracy, Probe
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.gptnt.talk import Doings
from polyathlon.analysis.report.format import number, plain
from polyathlon.analysis.report.gptnt import diagrams
from polyathlon.analysis.report.gptnt.answers import BLIND, TITLES
from polyathlon.analysis.report.gptnt.diagrams import Bar, Level, Rate, Tile
from polyathlon.analysis.report.gptnt.lines import model
from polyathlon.analysis.report.gptnt.modules import HEADS, RANDOM
from polyathlon.analysis.report.plots import Plot, Spec, svg

MOST_PLAYERS = 8
WIDE_ABOVE = 5
"""Charts of more categories take a row."""
MEAN_OF_MODELS = f"published {model(AVERAGE)}"
PRINTED = ("solved", "timeout", "strikeout")


def charts(chapter: str, study: Study, figures: Figures | None) -> Iterator[Plot]:
    """The charts of a chapter, by its id; none for chapters of tables alone."""
    draw = CHARTS.get(chapter)
    if draw is not None:
        yield from draw(study, figures)


def defusal(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Success by module with the published mean and random play, and the ten missions."""
    for play in dict.fromkeys(one.team.play for one in study.modules):
        found = [one for one in study.modules if one.team.play == play]
        teams = list(dict.fromkeys(one.team for one in found))[:MOST_PLAYERS]
        rates = [
            _rate(one.team.who, HEADS[one.bombs], one.solved)
            for level in HEADS
            for one in found
            if one.bombs == level and one.team in teams
        ]
        levels = list(_levels(figures, play)) if figures else []
        caption = f"Success by module, {play}: with 95 % intervals"
        yield _plot(caption, diagrams.rates(rates, levels, "solved %"), wide=True)
    tiles = list(_tiles(study, figures))
    if tiles:
        yield _plot("How the bombs of several modules ended", diagrams.board(tiles), wide=True)


def failures(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Endings of all games by player, a chart a kind of bombs and play."""
    for bombs, play in dict.fromkeys((one.bombs, one.team.play) for one in study.records):
        found = [one for one in study.records if (one.bombs, one.team.play) == (bombs, play)]
        bars = [_bar(one) for one in found[:MOST_PLAYERS]]
        for who, row in figures.endings(bombs, play).items() if figures else ():
            if "timeout" in row:
                bars.append(Bar(f"{model(who)}, published", {name: row[name] for name in PRINTED}))
        yield _plot(f"How games ended: {bombs}, {play}", diagrams.endings(bars))


def behaviour(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """What was done in the thirds of games, a chart a team and kind of bombs (Figure 7)."""
    groups: dict[tuple[Team, str], list[Doings]] = {}
    for one in study.doings:
        groups.setdefault((one.team, one.bombs), []).append(one)
    for (team, bombs), found in groups.items():
        yield _plot(f"{team.who}, {bombs}, {team.play}: turns by third", diagrams.course(found))


def questions(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Accuracy by category, a chart a probe and condition with several categories."""
    for probe, condition in dict.fromkeys((one.probe, one.condition) for one in study.probes):
        found = [one for one in study.probes if (one.probe, one.condition) == (probe, condition)]
        names = [name for name in CATEGORIES if any(name in one.categories for one in found)]
        rates = [
            _rate(one.who, name, score)
            for name in (*names, ALL)
            for one in found[:MOST_PLAYERS]
            if (score := _scores(one).get(name))
        ]
        chances = {name: score.chance for one in found for name, score in _scores(one).items()}
        levels = [Level(BLIND, name, chance) for name, chance in chances.items() if chance]
        levels += _mean_accuracy(figures, probe, condition) if figures else ()
        title = ", ".join(filter(None, [TITLES[probe], condition]))
        if len(names) > 1:
            spec = diagrams.rates(rates, levels, "right %")
            yield _plot(f"{title}: accuracy with 95 % intervals", spec, len(names) > WIDE_ABOVE)


CHARTS: Mapping[str, Callable[[Study, Figures | None], Iterator[Plot]]] = {
    "outcomes": defusal,
    "failures": failures,
    "behaviour": behaviour,
    "questions": questions,
}


def _rate(who: str, what: str, found: Share | Accuracy) -> Rate:
    assert found.share is not None
    assert found.interval is not None
    return Rate(plain(who), what, found.share, found.interval)


def _bar(one: Record) -> Bar:
    ended = {"solved": one.solved, "timeout": one.timeouts, "strikeout": one.strikeouts}
    shares = {name: 100 * found.hits / found.n for name, found in ended.items()}
    return Bar(plain(one.team.who), {**shares, "cut off": 100 - sum(shares.values())})


def _scores(probe: Probe) -> Mapping[str, Accuracy]:
    return {**probe.categories, ALL: probe.all}


def _levels(figures: Figures, play: str) -> Iterator[Level]:
    """Published means and, where the countdown stands still, random play by module."""
    mean = figures.single.get(play, {}).get(AVERAGE, {})
    random = figures.random if play.endswith(JOIN + SYNC) else {}
    for name, row in ((f"published {RANDOM}", random), (MEAN_OF_MODELS, mean)):
        for module in MODULES:
            if module in row:
                yield Level(name, HEADS[level_of(module)], row[module] / 100)


def _mean_accuracy(figures: Figures, probe: str, condition: str) -> Iterator[Level]:
    rows = figures.probes.get(probe, {}).get(condition, {})
    for name, share in rows.get(AVERAGE, {}).items():
        yield Level(MEAN_OF_MODELS, name, share / 100)


def _tiles(study: Study, figures: Figures | None) -> Iterator[Tile]:
    for one in study.missions:
        who = plain(f"{one.team.who}, {one.team.play}")
        for mission in one.missions:
            yield Tile(who, mission.number, *_ended(mission))
    for mode in dict.fromkeys(one.team.mode for one in study.missions) if figures else ():
        assert figures is not None
        for name, row in figures.multi[mode].items():
            for place, ending in enumerate(row.outcomes):
                yield Tile(f"{name}, published {mode}", place + 1, ending, "")


def _ended(mission: Mission) -> tuple[Ending, str]:
    """The most frequent ending, and the modules solved."""
    most = max(mission.endings, key=lambda ending: mission.endings[ending])
    return most, f"{number(mission.modules_solved)}/{mission.modules}"


def _plot(caption: str, spec: Spec, wide: bool = False) -> Plot:
    return Plot(plain(caption), svg(spec), wide)
