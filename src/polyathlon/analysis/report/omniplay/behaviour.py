"""Sheets of behaviour: memory, the tournament, people."""

from __future__ import annotations

from collections.abc import Iterator

from polyathlon.analysis.omniplay.figures import Figures
from polyathlon.analysis.omniplay.published import caveats
from polyathlon.analysis.omniplay.recall import SHIFTS, SYSTEMATIC, Recalled
from polyathlon.analysis.omniplay.study import Study
from polyathlon.analysis.report.format import NONE, number, percent
from polyathlon.analysis.report.omniplay.lines import PUBLISHED
from polyathlon.analysis.report.players import standings
from polyathlon.analysis.report.sheets import OWN, Sheet


def memory(study: Study) -> Sheet | None:
    """Accuracy by place in the sequence; None without a transcription."""
    places = max((len(one.curve.cells) for one in study.recalls), default=0)
    rows = tuple(
        (
            one.entry.level,
            one.entry.who,
            one.treatment.name,
            what,
            str(one.curve.n),
            *(f"{100 * share:.0f}" for share in curve),
            *[""] * (places - len(curve)),
        )
        for one in study.recalls
        for what, curve in (("cells", one.curve.cells), ("icons", one.curve.icons))
    )
    note = (
        "Per cent of the transcriptions that were right at each place of the sequence; one that "
        "could not be read is wrong everywhere."
    )
    numbers = tuple(str(place + 1) for place in range(places))
    names = ("level", "who", "condition", "list", "episodes", *numbers)
    return Sheet("Memory by place in the sequence", names, rows, 4, note) if rows else None


def patterns(study: Study) -> Sheet | None:
    """How transcriptions failed; None without one."""
    kinds = ("right", *SHIFTS, "other", "unparsed")
    rows = tuple(
        (
            one.entry.level,
            one.entry.who,
            one.treatment.name,
            f"{one.systematic[0]} ({percent(one.systematic[1])})" if one.systematic else NONE,
            *(str(one.patterns.get(kind, 0) or NONE) for kind in kinds),
        )
        for one in study.recalls
    )
    note = (
        "First or last missing: right but for that item; one early or late: every item moved by "
        f"one place. Systematic: one of these makes up {100 * SYSTEMATIC:.0f} % of the failures "
        "or more."
    )
    names = ("level", "who", "condition", "systematic", *kinds)
    return Sheet("How sequences were written down", names, rows, 4, note) if rows else None


def cases(study: Study) -> Sheet | None:
    """The truth beside what a player wrote, one transcription each; None without one.

    Items of the truth that are missing at their place in the answer are marked.
    """
    rows: list[tuple[str, ...]] = []
    marked: set[tuple[int, int]] = set()
    places = max((len(one.case.cells) for one in study.recalls), default=0)
    for one in study.recalls:
        for true, wrote in _lists(one.case):
            words = (one.entry.level, one.entry.who, one.treatment.name, one.case.pattern)
            missed = {
                place for place, item in enumerate(true) if wrote[place : place + 1] != [item]
            }
            marked |= {(len(rows), len(words) + 1 + place) for place in missed}
            for source, items in (("true", true), ("written", wrote[:places])):
                rows.append((*words, source, *items, *[""] * (places - len(items))))
    numbers = tuple(str(place + 1) for place in range(places))
    names = ("level", "who", "condition", "pattern", "what", *numbers)
    note = (
        "The first transcription that failed in the player's most frequent way, or a right one. "
        "Marked: items that are not at their place in the answer."
    )
    found = Sheet("Truth and answer", names, tuple(rows), len(names), note, frozenset(marked))
    return found if rows else None


def tournament(study: Study, figures: Figures | None) -> Sheet | None:
    """Players by win rate (Tables 20 and 25); None without games."""
    if not study.standings:
        return None
    own = standings("Blasting Showdown", study.standings)
    if figures is None:
        return own
    rows = [(OWN, *row) for row in own.rows] + [
        (PUBLISHED, *row) for row in _published_standings(figures)
    ]
    return Sheet(
        own.title,
        ("source", *own.columns),
        tuple(rows),
        own.words + 1,
        f"{own.note} {caveats('20')}",
        frozenset((row, column + 1) for row, column in own.best),
    )


def passive(study: Study) -> Sheet | None:
    """Games won by outliving the others; None without one."""
    rows = tuple(
        (
            str(one.seed),
            one.player,
            one.role,
            ", ".join(f"{role}: {cause}" for role, cause in one.fates.items()),
            number(one.bombs),
            number(one.moves),
            number(one.evasions),
            number(one.nearest_opponent),
        )
        for one in study.passive_wins
    )
    note = (
        "Won without a kill and with at most one bomb. The others fell directly, by a chain of "
        "bombs, by their own flames or in a crossfire. Evasions are moves out of danger; the "
        "distance is the mean to the nearest opponent, in cells."
    )
    names = ("seed", "who", "seat", "the others", "bombs", "moves", "evasions", "distance")
    return Sheet("Passive wins", names, rows, 4, note) if rows else None


def people(study: Study, figures: Figures | None) -> Sheet | None:
    """How far people agree, for all and by group (Table 19); None without people."""
    rows: list[tuple[str, ...]] = [
        (
            OWN,
            one.env.partition("/")[2].rsplit("-v", 1)[0] + f"/{one.level}",
            one.condition or NONE,
            one.group,
            str(one.participants),
            str(one.episodes),
            f"{one.mean:.2f}",
            f"{one.sd:.2f}",
            f"{one.sem:.2f}",
        )
        for one in study.people
    ]
    if not rows:
        return None
    note = "Raw scores. sd is that of the participants' means, SEM that over √participants."
    if figures is not None:
        tasks = dict.fromkeys(row[1] for row in rows)
        rows += [_published_people(figures, task) for task in tasks if task in figures.tables["19"]]
        note += " Published means of pathfinding are reciprocals of trimmed mean steps."
    names = (
        "source", "task", "condition", "group", "people", "episodes", "mean", "sd", "SEM"
    )  # fmt: skip
    return Sheet("People", names, tuple(rows), 4, note)


def _lists(case: Recalled) -> Iterator[tuple[list[str], list[str]]]:
    """Cells and then icons of a transcription: true ones, and as written."""
    answer = case.answer
    for true, wrote in (
        (case.cells, answer.cells if answer else ()),
        (case.icons, answer.icons if answer else ()),
    ):
        yield [_item(one) for one in true], [_item(one) for one in wrote]


def _item(item: tuple[int, int] | str) -> str:
    return item if isinstance(item, str) else f"{item[0]},{item[1]}"


def _published_standings(figures: Figures) -> Iterator[tuple[str, ...]]:
    for model, row in figures.tables["25"].items():
        rated = figures.tables["20"][model]
        yield (
            figures.models[model],
            str(row["games_played"]),
            str(row["wins"]),
            f"{row['win_rate_pct']:.2f}",
            NONE,
            f"{rated['sd']:.3f}",
            NONE,
            f"{rated['sem_pct']:.1f}",
            number(row["kills"]),
            number(row["deaths"]),
            f"{row['kd_ratio']:.2f}",
            NONE,
        )


def _published_people(figures: Figures, task: str) -> tuple[str, ...]:
    row = figures.tables["19"][task]
    return (
        PUBLISHED,
        task,
        NONE,
        "all",
        "12",
        "120",
        f"{row['mean_raw_score']:.2f}",
        f"{row['sd_inter_player']:.2f}",
        f"{row['sem_inter_player']:.2f}",
    )
