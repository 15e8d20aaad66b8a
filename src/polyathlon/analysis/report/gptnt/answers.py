"""Sheets of probes: accuracy by category and by module, and what open questions brought back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polyathlon.analysis.gptnt.figures import ALL, MODULES, Figures, Row
from polyathlon.analysis.gptnt.probes import CATEGORIES, PROBES, Accuracy, Exposure, Probe
from polyathlon.analysis.gptnt.study import Study
from polyathlon.analysis.report.format import NONE
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
from polyathlon.analysis.report.gptnt.modules import NARROW
from polyathlon.analysis.report.sheets import OWN, Sheet

TITLES = {
    "manual": "Manual questions",
    "simulator": "Picture questions",
    "localisation": "Localisation",
    "keypad": "Keypad symbols",
}
BLIND = "blind guess"
NOTE = (
    "Right answers with 95 % Wilson intervals; all weighs every question alike. A blind guess "
    "scores the mean of one over the number of options."
)
OPEN = (
    "Open descriptions count by their words here; the published ones were judged by meaning, as "
    "the scorer descriptions does."
)
COORDINATES = "paradigm="
"""What the condition says where places are named by coordinates."""
WORDS = ("who", "condition")
"""What names a line."""


def categories(study: Study, figures: Figures | None) -> Iterator[Sheet | None]:
    """Accuracy by category, a sheet a probe (Tables 8, 9, 12, G.7, G.8)."""
    columns = (*CATEGORIES, ALL)
    for probe in PROBES.values():
        own = [one for one in study.probes if one.probe == probe]
        lines = [_line(one, {**one.categories, ALL: one.all}, columns) for one in own]
        lines += _guesses(own, columns)
        conditions = {one.condition for one in own}
        rows = figures.probes.get(probe, {}) if figures else {}
        lines += [
            Line(PUBLISHED, (model(who), condition), _printed(row, columns))
            for condition, models in rows.items()
            for who, row in models.items()
            if condition in conditions
        ]
        lines.sort(key=lambda line: line.words[1])
        note = joined(NOTE, OPEN if probe == "keypad" else "")
        yield sheet(f"{TITLES[probe]}: accuracy, %", WORDS, ("questions", *columns), lines, note)


def difficulties(study: Study) -> Iterator[Sheet | None]:
    """Accuracy by difficulty, a sheet a probe that has several."""
    for probe in PROBES.values():
        own = [one for one in study.probes if one.probe == probe and one.difficulties]
        columns = sorted({name for one in own for name in one.difficulties})
        lines = [_line(one, one.difficulties, columns) for one in own]
        yield sheet(f"{TITLES[probe]} by difficulty, %", WORDS, ("questions", *columns), lines)


def modules(study: Study, figures: Figures | None) -> Iterator[Sheet | None]:
    """Accuracy by module, a sheet a probe; of localisation beside Tables 10 and G.9."""
    for probe in PROBES.values():
        own = [one for one in study.probes if one.probe == probe]
        found = {name for one in own for name in one.modules}
        if len(found) < 2:
            continue
        columns = (*MODULES, *sorted(found.difference(MODULES)), ALL)
        lines = [_modules(one, columns) for one in own]
        pointing = probe == "localisation"
        if pointing and figures is not None:
            lines += _published_places(figures, own, columns)
        note = "Without the instructions that fit several things or nothing." if pointing else ""
        heads = ("questions", *NARROW, *columns[len(NARROW) :])
        yield sheet(f"{TITLES[probe]} by module, %", WORDS, heads, lines, note)


def exposure(study: Study, figures: Figures | None) -> Sheet | None:
    """What players remember of the game (Table G.1)."""
    lines = [_exposure(one) for one in study.exposures]
    for level, rows in figures.exposure.items() if figures else ():
        for who, (hits, n) in rows.items():
            numbers = (str(n), printed(100 * hits / n), *[NONE] * (1 + len(MODULES)))
            lines.append(Line(PUBLISHED, (who, "", level), numbers))
    note = (
        "Named: whether the question names the game. Names the game: answers that do so, by string "
        "match. The rest is the share of a module's standard rules that the answers stated."
    )
    names = ("answers", "names the game %", "rules %", *NARROW)
    return sheet("Open questions", (*WORDS, "question"), names, lines, note)


def _line(one: Probe, found: Mapping[str, Accuracy], columns: Sequence[str]) -> Line:
    numbers = [with_interval(found[name]) if name in found else NONE for name in columns]
    return Line(OWN, (one.who, one.condition), (f"{one.all.n:,}", *numbers))


def _guesses(own: Sequence[Probe], columns: Sequence[str]) -> Iterator[Line]:
    """The chance of a blind guess, once a condition."""
    for one in {one.condition: one for one in own if one.all.chance is not None}.values():
        found = {**one.categories, ALL: one.all}
        chances = [percent(found[name].chance) if name in found else NONE for name in columns]
        yield Line(OWN, (BLIND, one.condition), (NONE, *chances))


def _modules(one: Probe, columns: Sequence[str]) -> Line:
    every = one.all if one.answerable is None else one.answerable
    found: Mapping[str, Accuracy] = {**one.modules, ALL: every}
    numbers = [percent(found[name].share) if name in found else NONE for name in columns]
    return Line(OWN, (one.who, one.condition), (f"{every.n:,}", *numbers))


def _published_places(
    figures: Figures, own: Sequence[Probe], columns: Sequence[str]
) -> Iterator[Line]:
    """The published accuracies of the paradigms that own answers have."""
    paradigms = {"coordinates" if COORDINATES in one.condition else "markers" for one in own}
    for paradigm, rows in figures.localisation.items():
        for who, row in rows.items() if paradigm in paradigms else ():
            words = model(who), paradigm if len(paradigms) > 1 else ""
            yield Line(PUBLISHED, words, _printed(row, columns))


def _printed(row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    return NONE, *(printed(row.get(name)) for name in columns)


def _exposure(one: Exposure) -> Line:
    rules = [percent(one.rules.get(name)) for name in MODULES]
    mean = percent(sum(one.rules.values()) / len(one.rules)) if one.rules else NONE
    numbers = (str(one.mentions.n), rate(one.mentions), mean, *rules)
    return Line(OWN, (one.who, one.condition, one.level), numbers)
