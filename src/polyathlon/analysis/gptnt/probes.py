"""Probes: how many single questions were answered right, by what was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from polyathlon.analysis.gptnt.games import Events, Share, name_of
from polyathlon.analysis.labels import DEFAULT, JOIN
from polyathlon.analysis.rows import EpisodeRow, RoleRow
from polyathlon.analysis.stats import wilson
from polyathlon.core import trace

PROBES = {
    "manual-vqa": "manual",
    "simulator-vqa": "simulator",
    "localisation": "localisation",
    "keypad": "keypad",
}
"""Envs of single questions, by the name that figures have."""
CATEGORIES = (
    *("reading", "colour", "grounding", "procedural", "counting", "element", "position"),
    *("ambiguity", "hallucination", "choice", "open"),
)
"""All categories, in the order of columns."""
UNANSWERABLE = ("ambiguity", "hallucination")
"""Categories in which an instruction has no right place (section 13.3)."""


class Accuracy(msgspec.Struct, frozen=True):
    """Right answers among questions, and the mean `chance` of a blind guess where it is known."""

    hits: int
    n: int
    chance: float | None = None

    @property
    def share(self) -> float:
        """In [0, 1]."""
        return self.hits / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval."""
        return wilson(self.hits, self.n)


class Probe(msgspec.Struct, frozen=True):
    """The answers of one player to one set of questions under one condition.

    `condition` names changed options and interventions, `who` holds the rest, such as a harness.
    `modules` are those that the questions' facts name; `difficulties` are by category and
    difficulty, such as "procedural, hard", where a category has several. Localisation's
    `modules` are without the unanswerable instructions, as in Table 10, and `answerable` sums
    them up.
    """

    probe: str
    who: str
    agent: str
    condition: str
    all: Accuracy
    categories: Mapping[str, Accuracy]
    modules: Mapping[str, Accuracy]
    difficulties: Mapping[str, Accuracy]
    answerable: Accuracy | None


class Exposure(msgspec.Struct, frozen=True):
    """Open questions about the modules: `mentions` of the game's name, and the mean share of
    each module's rules that the answers stated."""

    who: str
    condition: str
    level: str
    mentions: Share
    rules: Mapping[str, float]


class _Answer(msgspec.Struct, frozen=True):
    """One question, by what was asked, with the seat that answered it."""

    category: str
    module: str
    difficulty: str
    seat: RoleRow

    @property
    def right(self) -> bool:
        return self.seat.metrics.get("correct") == 1


def probes(rows: Iterable[EpisodeRow], events: Events) -> list[Probe]:
    """All answers to questions, by probe, player and condition."""
    groups: dict[tuple[str, str, str, str], list[_Answer]] = {}
    for row, seat in _seats(rows):
        probe = PROBES.get(name_of(row.env))
        if probe is not None:
            who, condition = _player(row, seat)
            key = probe, who, seat.agent, condition
            groups.setdefault(key, []).append(_answer(row, seat, events))
    order = list(PROBES.values())
    ordered = sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0]))
    return [_probe(*key, answers) for key, answers in ordered]


def exposures(rows: Iterable[EpisodeRow], events: Events) -> list[Exposure]:
    """All open questions, by player, condition and whether the game was named."""
    groups: dict[tuple[str, str, str], list[_Answer]] = {}
    for row, seat in _seats(rows):
        if name_of(row.env) == "exposure":
            key = *_player(row, seat), row.level
            groups.setdefault(key, []).append(_answer(row, seat, events))
    return [_exposure(*key, answers) for key, answers in sorted(groups.items())]


def _seats(rows: Iterable[EpisodeRow]) -> Iterable[tuple[EpisodeRow, RoleRow]]:
    """The counted episodes of one seat; one that several runs hold counts once."""
    for row in {row.id: row for row in rows}.values():
        if row.counted and len(row.roles) == 1:
            yield row, next(iter(row.roles.values()))


def _player(row: EpisodeRow, seat: RoleRow) -> tuple[str, str]:
    """Who answered, with harness and limits, and the condition: changed options, interventions."""
    parts = [part for part in row.condition.split(JOIN) if part != DEFAULT]
    asked = [part for part in parts if _is_asked(part, row)]
    return JOIN.join([seat.model, *(one for one in parts if one not in asked)]), JOIN.join(asked)


def _is_asked(part: str, row: EpisodeRow) -> bool:
    names = (item.removeprefix("no ").partition("=")[0] for item in part.split(", "))
    return part == " + ".join(row.interventions) or all(name in row.options for name in names)


def _answer(row: EpisodeRow, seat: RoleRow, events: Events) -> _Answer:
    facts = _facts(events(row))
    return _Answer(row.level, facts.get("module", ""), facts.get("difficulty", ""), seat)


def _facts(events: Iterable[trace.Event]) -> Mapping[str, Any]:
    """The facts of the question, delivered or not; empty where none was put."""
    for event in events:
        if isinstance(event, trace.Observed):
            sensed = event.truth or event.percepts
            return next((one.facts for one in sensed if "module" in one.facts), {})
    return {}


def _probe(probe: str, who: str, agent: str, condition: str, answers: Sequence[_Answer]) -> Probe:
    answerable = [one for one in answers if one.category not in UNANSWERABLE]
    pointing = probe == "localisation"
    return Probe(
        probe,
        who,
        agent,
        condition,
        _accuracy(answers),
        _by(lambda one: one.category, answers),
        _by(lambda one: one.module, answerable if pointing else answers),
        _difficulties(answers),
        _accuracy(answerable) if pointing and answerable else None,
    )


def _difficulties(answers: Sequence[_Answer]) -> dict[str, Accuracy]:
    levels: dict[str, set[str]] = {}
    for one in answers:
        levels.setdefault(one.category, set()).add(one.difficulty)
    graded = [one for one in answers if len(levels[one.category]) > 1 and one.difficulty]
    return _by(lambda one: f"{one.category}, {one.difficulty}", graded)


def _by(name: Callable[[_Answer], str], answers: Iterable[_Answer]) -> dict[str, Accuracy]:
    groups: dict[str, list[_Answer]] = {}
    for answer in answers:
        groups.setdefault(name(answer), []).append(answer)
    groups.pop("", None)
    return {value: _accuracy(found) for value, found in groups.items()}


def _accuracy(answers: Sequence[_Answer]) -> Accuracy:
    chances = [chance for one in answers if (chance := one.seat.metrics.get("chance"))]
    hits = sum(one.right for one in answers)
    return Accuracy(hits, len(answers), fmean(chances) if chances else None)


def _exposure(who: str, condition: str, level: str, answers: Sequence[_Answer]) -> Exposure:
    modules = dict.fromkeys(answer.module for answer in answers if answer.module)
    rules = {
        module: fmean(one.seat.metrics["raw_score"] for one in answers if one.module == module)
        for module in modules
    }
    mentions = sum(one.seat.metrics.get("mentions_game") == 1 for one in answers)
    return Exposure(who, condition, level, Share(mentions, len(answers)), rules)
