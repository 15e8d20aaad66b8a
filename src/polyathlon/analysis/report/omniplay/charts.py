"""Charts of the studies: own results, and the published ones beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from polyathlon.analysis.labels import marked
from polyathlon.analysis.omniplay.arms import Kind
from polyathlon.analysis.omniplay.figures import FULL_RESULTS, TASKS, Figures
from polyathlon.analysis.omniplay.published import Printed, printed
from polyathlon.analysis.omniplay.senses import Recall
from polyathlon.analysis.omniplay.study import Study
from polyathlon.analysis.report.format import plain
from polyathlon.analysis.report.marks import side_by_side, stacked
from polyathlon.analysis.report.omniplay import diagrams
from polyathlon.analysis.report.omniplay.diagrams import Score, Won
from polyathlon.analysis.report.omniplay.radar import Profile, bars, radar
from polyathlon.analysis.report.omniplay.sheets import TITLES, untreated
from polyathlon.analysis.report.plots import Plot, Spec, svg
from polyathlon.analysis.standings import admitted_first

OWN, PUBLISHED = "this run", "published"
MOST_PLAYERS = 8
LEAST_SPOKES = 3


def charts(chapter: str, study: Study, figures: Figures | None) -> Iterator[Plot]:
    """The charts of a chapter, by its id; none for chapters of tables alone."""
    draw = CHARTS.get(chapter)
    if draw is not None:
        yield from draw(study, figures)


def nps(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Radar and grouped bars over the ten tasks (Figure 3a)."""
    own: dict[str, dict[str, tuple[float, float]]] = {}
    for one in study.results:
        if one.nps is not None and untreated(one):
            profile = own.setdefault(plain(one.entry.who), {})
            profile[one.entry.task] = (one.nps.mean, one.nps.sem)
    own = dict(list(own.items())[:MOST_PLAYERS])
    panels: list[tuple[str, Mapping[str, Profile], int]] = [(OWN, own, 0)] if own else []
    if figures is not None:
        panels.append((PUBLISHED, _published_nps(figures), len(own)))
    shown = [
        radar(*panel)
        for panel in panels
        if max(len(profile) for profile in panel[1].values()) >= LEAST_SPOKES
    ]
    if shown and own:
        caption = "NPS: 0 is random play, 100 the human expert; values beyond the rim in figures"
        yield _plot(caption, side_by_side(shown), wide=len(shown) > 1)
    for panel in panels if own else ():
        yield _plot(f"NPS ± SEM by task, {panel[0]}", bars(*panel), wide=True)


def conflict(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Efficiency under conflicts, a chart a level (Figure 4b)."""
    for level, panels in _by_level(study, figures, "conflict", "pathfinding"):
        specs = [diagrams.grouped(title, scores) for title, scores in panels]
        caption = f"Efficiency under conflict, {level}: value above, ± SEM below"
        yield _plot(caption, side_by_side(specs), wide=True)


def ablation(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Scores without one sense, a chart a level: games side by side, published below (Figure 5)."""
    levels: dict[str, dict[str, list[Spec]]] = {}
    for game in FULL_RESULTS:
        unit, bound = ("efficiency %", 100.0) if game == "pathfinding" else ("raw score", None)
        for level, panels in _by_level(study, figures, "ablation", game):
            for title, scores in panels:
                spec = diagrams.profiles(f"{TITLES[game]}, {title}", scores, unit, bound)
                levels.setdefault(level, {}).setdefault(title, []).append(spec)
    for level, rows in levels.items():
        caption = f"Without one sense, {level}: mean with a band of ± SEM, SEM below"
        wide = any(len(row) > 1 for row in rows.values())
        yield _plot(caption, stacked([side_by_side(row) for row in rows.values()]), wide)


def changes(kind: Kind) -> Callable[[Study, Figures | None], Iterator[Plot]]:
    """Charts of a study that compares raw scores before and after."""

    def draw(study: Study, figures: Figures | None) -> Iterator[Plot]:
        for game in FULL_RESULTS:
            for level, panels in _by_level(study, figures, kind, game):
                specs = [diagrams.grouped(title, scores, "raw score") for title, scores in panels]
                caption = f"{TITLES[game]}, {level}: raw score above, ± SEM below"
                yield _plot(caption, side_by_side(specs), wide=len(specs) > 1)

    return draw


def memory(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Accuracy by place in the sequence, a chart a level."""
    levels: dict[str, list[Recall]] = {}
    for one in study.recalls:
        if one.treatment.kind == "baseline" or one.entry.player == "human":
            levels.setdefault(one.entry.level, []).append(one)
    for level, found in levels.items():
        curves = {plain(one.entry.who): one.curve for one in found[:MOST_PLAYERS]}
        yield _plot(f"Memory by place in the sequence, {level}", diagrams.curves(curves))


def tournament(study: Study, figures: Figures | None) -> Iterator[Plot]:
    """Win rates with their standard errors and kills over deaths (Figure 3b)."""
    own = [
        Won(plain(marked(one.player, one.access)), one.win_rate, one.sem, one.kd)
        for one in admitted_first(study.standings)
    ]
    panels = [diagrams.tournament(OWN, own)] if own else []
    if own and figures is not None:
        rows = figures.tables["25"]
        sems = {model: row["sem_pct"] / 100 for model, row in figures.tables["20"].items()}
        theirs = [
            Won(figures.models[model], row["win_rate_pct"] / 100, sems[model], row["kd_ratio"])
            for model, row in rows.items()
        ]
        panels.append(diagrams.tournament(PUBLISHED, theirs))
    if panels:
        yield _plot("Win rate ± SEM, with kills over deaths", side_by_side(panels), len(panels) > 1)


CHARTS: Mapping[str, Callable[[Study, Figures | None], Iterator[Plot]]] = {
    "nps": nps,
    "conflict": conflict,
    "ablation": ablation,
    "noise": changes("noise"),
    "aid": changes("aid"),
    "simplification": changes("simplification"),
    "substitution": changes("substitution"),
    "memory": memory,
    "tournament": tournament,
}


def _by_level(
    study: Study, figures: Figures | None, kind: Kind, game: str
) -> Iterator[tuple[str, list[tuple[str, list[Score]]]]]:
    """The scores of a study by level, own ones and the published ones."""
    levels: dict[str, dict[tuple[str, str], Score]] = {}
    for one in study.contrasts:
        if (one.kind, one.after.entry.game) != (kind, game):
            continue
        scores = levels.setdefault(one.after.entry.level, {})
        for result, spread in (
            (one.before, one.score_before), (one.after, one.score_after)
        ):  # fmt: skip
            if spread is not None:
                who = plain(result.entry.who)
                name = result.treatment.name
                scores[who, name] = Score(who, name, spread.mean, spread.sem)
    for level, scores in levels.items():
        if not scores:
            continue
        panels = [(f"{OWN}, {level}", _first_players(scores.values()))]
        theirs = [
            Score(one.who, one.treatment, one.score, one.spread.sem if one.spread else None)
            for one in (_ordered(figures, kind, game) if figures else ())
            if one.level == level and one.score is not None
        ]
        if theirs:
            panels.append((f"{PUBLISHED}, {level}", theirs))
        yield level, panels


def _ordered(figures: Figures, kind: Kind, game: str) -> list[Printed]:
    """A published study with its models in one order, so that colours agree between charts."""
    order = list(figures.models.values())
    return sorted(printed(figures, kind, game), key=lambda one: order.index(one.who))


def _first_players(scores: Iterable[Score]) -> list[Score]:
    scores = list(scores)
    kept = list(dict.fromkeys(score.who for score in scores))[:MOST_PLAYERS]
    return [score for score in scores if score.who in kept]


def _published_nps(figures: Figures) -> dict[str, Profile]:
    return {
        name: {task: figures.nps(task, model)[::2] for task in TASKS}
        for model, name in figures.models.items()
    }


def _plot(caption: str, spec: Spec, wide: bool = False) -> Plot:
    return Plot(caption, svg(spec), wide)
