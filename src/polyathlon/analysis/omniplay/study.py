"""The study: everything OmniPlay publishes, computed from episodes and their traces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from polyathlon.analysis.omniplay.arms import arms, game_of
from polyathlon.analysis.omniplay.contrasts import Ablation, Contrast, ablations, contrasts
from polyathlon.analysis.omniplay.figures import Figures
from polyathlon.analysis.omniplay.passive import PassiveWin, passive_wins
from polyathlon.analysis.omniplay.results import Result, result
from polyathlon.analysis.omniplay.senses import Events, Recall, recalls
from polyathlon.analysis.people import Reliability, reliability
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.analysis.standings import Standing, standings


class Study(msgspec.Struct, frozen=True):
    """All results of some episodes of the family.

    `results` are one an arm, `contrasts` one a treated arm that has a baseline, `standings` and
    `passive_wins` of the tournament's games, `people` of human players.
    """

    results: tuple[Result, ...]
    contrasts: tuple[Contrast, ...]
    ablations: tuple[Ablation, ...]
    recalls: tuple[Recall, ...]
    standings: tuple[Standing, ...]
    passive_wins: tuple[PassiveWin, ...]
    people: tuple[Reliability, ...]


def study(rows: Iterable[EpisodeRow], events: Events, figures: Figures) -> Study | None:
    """The results of all OmniPlay episodes that count, or None when there are none.

    `events` reads the trace of an episode; those of echoes are read.
    """
    own = [row for row in rows if game_of(row.env) and row.counted]
    if not own:
        return None
    played = [arm for arm in arms(own) if arm.values("raw_score")]
    results = tuple(result(arm, figures) for arm in played)
    found = tuple(contrasts(results, figures))
    tournament = [row for row in own if game_of(row.env) == "showdown"]
    return Study(
        results,
        found,
        tuple(ablations(found)),
        tuple(recalls(played, events)),
        tuple(standings(tournament)),
        tuple(passive_wins(tournament)),
        tuple(reliability(own)),
    )


def as_json(value: Any) -> Any:
    """Results as JSON values: the fields of every struct, and what it derives from them."""
    if isinstance(value, msgspec.Struct):
        derived = [name for name, item in vars(type(value)).items() if isinstance(item, property)]
        names = (*value.__struct_fields__, *derived)
        return {name: as_json(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value
