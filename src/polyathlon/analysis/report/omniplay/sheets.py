"""Sheets of scores: NPS, full results and the diagnostic studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from polyathlon.analysis.labels import marked
from polyathlon.analysis.omniplay.arms import Entry, Kind
from polyathlon.analysis.omniplay.contrasts import Change, Contrast
from polyathlon.analysis.omniplay.figures import FULL_RESULTS, TASKS, Figures
from polyathlon.analysis.omniplay.nps import Spread
from polyathlon.analysis.omniplay.published import STUDIES, caveats, full_results, printed
from polyathlon.analysis.omniplay.results import Result
from polyathlon.analysis.omniplay.study import Study
from polyathlon.analysis.report.format import NONE
from polyathlon.analysis.report.omniplay import columns
from polyathlon.analysis.report.omniplay.lines import (
    PUBLISHED,
    Line,
    contends,
    own,
    published,
    sheet,
)
from polyathlon.analysis.report.sheets import OWN, Sheet

TITLES = {
    "pathfinding": "Whispered Pathfinding",
    "echoes": "Myriad Echoes",
    "alchemist": "The Alchemist's Melody",
    "phantom": "Phantom Soldiers in the Fog",
}
STUDY_TITLES: dict[Kind, str] = {
    "conflict": "Modality conflict",
    "ablation": "Modality ablation",
    "noise": "Noise",
    "aid": "Aided prompting",
    "simplification": "Task simplification",
    "substitution": "Modality substitution",
}
SCORE_NOTES = {
    "pathfinding": (
        "Efficiency is 100 (worst - steps) / (worst - human): steps are the trimmed mean, worst "
        "that of the worst cell of this study on the level, human the published expert's; sd is "
        "over episodes, each clipped to 0..100."
    ),
    "echoes": (
        "Raw score: half the score and a quarter each of coordinates and icons; with phase 1 "
        "only, half of each accuracy."
    ),
    "alchemist": "Raw score: the composite score.",
    "phantom": "Raw score: half the success rate in per cent and half the normalized score.",
}


def overview(study: Study, figures: Figures | None) -> Sheet | None:
    """NPS by task, a row a player (Table 2 over all tasks); None without an untreated result."""
    plain = [one for one in study.results if one.nps and untreated(one)]
    tasks = [task for task in TASKS if any(one.entry.task == task for one in plain)]
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for one in plain:
        found = rows.setdefault((OWN, one.entry.who), {})
        assert one.nps is not None
        found[one.entry.task] = plus_minus(one.nps.mean, one.nps.sem)
    for model, name in (figures.models if figures else {}).items():
        assert figures is not None
        nps = {task: figures.nps(task, model) for task in tasks}
        rows[PUBLISHED, name] = {
            task: plus_minus(mean, sem) for task, (mean, _, sem) in nps.items()
        }
    if not tasks:
        return None
    note = (
        "NPS ± SEM: 100 (score - random) / (human - random) with the published random and human "
        "scores; 0 is random play, 100 the human expert, above 100 superhuman; nothing is "
        "clipped. SEM = sd / √episodes."
    )
    cells = tuple(
        (*name, *(found.get(task, NONE) for task in tasks)) for name, found in rows.items()
    )
    return Sheet("NPS by task", ("source", "who", *tasks), cells, 2, note)


def nps(study: Study, figures: Figures | None) -> Sheet | None:
    """NPS with its spread under every condition (Table 18); None without any."""
    mapped = [one for one in study.results if one.nps]
    lines = [_nps_line(one) for one in mapped]
    tasks = [task for task in TASKS if any(one.entry.task == task for one in mapped)]
    for task in tasks if figures else ():
        assert figures is not None
        for model, name in figures.models.items():
            mean, sd, sem = figures.nps(task, model)
            numbers = {"nps": mean, "nps_sd": sd, "nps_sem": sem}
            lines.append(Line(PUBLISHED, name, task, "baseline", numbers))
    if not lines:
        return None
    lines.sort(key=lambda line: (TASKS.index(line.level), line.source == PUBLISHED))
    found = sheet("NPS under every condition", lines, columns.NPS, _nps_note(study, figures))
    names = tuple("task" if name == "level" else name for name in found.columns)
    return msgspec.structs.replace(found, columns=names)


def results(study: Study, figures: Figures | None) -> Iterator[Sheet]:
    """The full results of each game without treatment (Tables 21 to 24)."""
    for game, table in FULL_RESULTS.items():
        plain = [one for one in study.results if one.entry.game == game and untreated(one)]
        if not plain:
            continue
        lines = [own(one, episodes=one.episodes) for one in plain]
        levels = {one.entry.level for one in plain}
        if figures is not None:
            lines += [published(one) for one in full_results(figures, game) if one.level in levels]
        shown = (*columns.COLUMNS[game], columns.NPS[-1])
        note = _joined(*_anchors(plain, figures), caveats(table) if figures else "")
        yield sheet(TITLES[game], lines, shown, note)


def studies(study: Study, kind: Kind, figures: Figures | None) -> Iterator[Sheet]:
    """One kind of study, a sheet a game: baseline and treatments (Tables 8 to 17)."""
    for game in FULL_RESULTS:
        found = [one for one in study.contrasts if (one.kind, one.after.entry.game) == (kind, game)]
        if not found:
            continue
        lines = list(_contrasted(found))
        place = STUDIES.get((kind, game)) if figures is not None else None
        if figures is not None and place is not None:
            levels = {one.after.entry.level for one in found}
            lines += _published_study(figures, kind, game, levels)
        title, known = TITLES[game], (place.table, place.scores) if place else ("", "")
        shown = (*columns.COLUMNS[game], *columns.RELATIVE, columns.NPS[-1])
        yield sheet(title, lines, shown, _joined(_RELATIVE_NOTE, _seeds(found), caveats(known[0])))
        scored = [line for line in lines if "score" in line.numbers]
        if scored:
            shown = (*columns.scores(game), *columns.CHANGES)
            derived = _DERIVED_NOTE if place else ""
            told = _joined(SCORE_NOTES[game], _CHANGE_NOTE, derived, caveats(known[1]))
            yield sheet(f"{title}: {columns.scores(game)[0][1].title}", scored, shown, told)


def verdicts(study: Study) -> Sheet | None:
    """Necessity and less-is-more of every player whose senses were removed."""
    rows = tuple(
        (
            TITLES[one.entry.game],
            one.entry.level,
            one.entry.who,
            "yes" if one.verdict.necessity else "no",
            "yes" if one.verdict.less_is_more else "no",
            "; ".join(
                f"{removal.modality} {removal.change:+.2f}{' *' if removal.beyond else ''}"
                for removal in one.verdict.removals
            ),
        )
        for one in study.ablations
    )
    note = (
        "Necessity: every removal lowers the mean score. Less is more: some removal raises it by "
        "more than both standard errors together; * marks changes larger than that."
    )
    names = ("game", "level", "who", "necessity", "less is more", "changes")
    return Sheet("Verdicts on removed senses", names, rows, 6, note) if rows else None


def untreated(result: Result) -> bool:
    """Whether a result belongs to the main table: baselines, and people however they played."""
    return result.treatment.kind == "baseline" or result.agent == "human"


def plus_minus(mean: float, sem: float) -> str:
    """A mean with its standard error, one decimal each."""
    return f"{mean:,.1f} ± {sem:,.1f}"


def _nps_line(result: Result) -> Line:
    assert result.nps is not None
    numbers = {
        "nps": result.nps.mean,
        "nps_sd": result.nps.sd,
        "nps_sem": result.nps.sem,
        "episodes": float(result.episodes),
    }
    if result.reciprocal is not None:
        numbers["reciprocal"] = result.reciprocal.mean
    task, who = result.entry.task, marked(result.entry.who, result.access)
    return Line(OWN, who, task, result.treatment.name, numbers, contends(result))


def _nps_note(study: Study, figures: Figures | None) -> str:
    best = [
        f"{one.entry.who} on {one.entry.task} ({one.nps.mean:.1f})"
        for one in study.results
        if one.nps and one.superhuman and untreated(one)
    ]
    return _joined(
        "sd is over episodes, each mapped by itself; the mean of pathfinding maps the trimmed "
        "mean of the steps. NPS of 1/steps maps the reciprocals instead.",
        f"Above the human expert: {', '.join(best)}." if best else "",
        caveats("18") if figures else "",
    )


def _contrasted(found: Iterable[Contrast]) -> Iterator[Line]:
    """Every baseline once, then its treatments."""
    told: set[Entry] = set()
    for one in found:
        if one.before.entry not in told:
            told.add(one.before.entry)
            spread = _spread(one.score_before)
            yield own(one.before, **spread, episodes=one.before.episodes)
        lead = one.changes.get(columns.LEADS[one.after.entry.game])
        parsed = one.changes.get("parse_failure_pct")
        yield own(
            one.after,
            **_spread(one.score_after),
            episodes=one.after.episodes,
            change=one.change,
            sem_change=one.sem_change,
            relative=_percent(lead),
            parse_change=parsed.difference if parsed else None,
        )


def _published_study(figures: Figures, kind: Kind, game: str, levels: set[str]) -> Iterator[Line]:
    lines = [one for one in printed(figures, kind, game) if one.level in levels]
    before = {(one.who, one.level): one for one in lines if one.treatment == "baseline"}
    for one in sorted(lines, key=lambda line: list(before).index((line.who, line.level))):
        line, base = published(one), before[one.who, one.level]
        if one.treatment == "baseline":
            yield line
            continue
        lead = columns.LEADS[game]
        numbers = dict(line.numbers)
        relative = _percent(Change(base.columns[lead], one.columns[lead]))
        if relative is not None:
            numbers["relative"] = relative
        if one.score is not None and base.score is not None:
            numbers["change"] = one.score - base.score
        if one.spread is not None and base.spread is not None:
            numbers["sem_change"] = one.spread.sem - base.spread.sem
        yield msgspec.structs.replace(line, numbers=numbers)


def _anchors(plain: Sequence[Result], figures: Figures | None) -> Iterator[str]:
    """How far own random play and own people lie from the published ones."""
    for one in plain if figures else ():
        assert figures is not None
        if one.agent not in ("random", "human") or one.entry.task not in TASKS:
            continue
        expected = figures.raw(one.entry.task, one.agent)
        off = one.raw.mean - expected
        sems = f"{off / one.raw.sem:+.1f} SEM" if one.raw.sem else "no spread"
        yield (
            f"Our {one.agent} on {one.entry.level}: raw score {one.raw.mean:.2f}, published "
            f"{expected:.2f} ({off:+.2f}, {sems})."
        )


def _seeds(found: Iterable[Contrast]) -> str:
    uneven = dict.fromkeys(
        f"{one.after.entry.who} {one.after.entry.level} {one.after.treatment.name}"
        for one in found
        if not one.same_seeds
    )
    return f"Other seeds than the baseline's: {', '.join(uneven)}." if uneven else ""


def _spread(score: Spread | None) -> dict[str, float | None]:
    return {} if score is None else {"score": score.mean, "sd": score.sd, "sem": score.sem}


def _percent(change: Change | None) -> float | None:
    return None if change is None or change.relative is None else 100 * change.relative


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


_CHANGE_NOTE = "Change: the mean score minus the baseline's; change of SEM: more means less stable."
_DERIVED_NOTE = (
    "Published scores without sd are not printed: they follow from the printed columns by the "
    "same formula."
)
_RELATIVE_NOTE = (
    "Relative: the change of the trimmed mean, score, composite or normalized score against the "
    "baseline's. The baseline is the same player's, with equal harness, options and limits."
)
