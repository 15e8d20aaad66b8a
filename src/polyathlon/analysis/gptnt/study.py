"""The study: everything GPTNT publishes, computed from episodes and their traces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from polyathlon.analysis.gptnt.figures import Figures
from polyathlon.analysis.gptnt.games import Events, Games, Share, games, name_of
from polyathlon.analysis.gptnt.outcomes import (
    Deviation,
    Ends,
    Missions,
    Record,
    deviations,
    ends,
    missions,
    record,
)
from polyathlon.analysis.gptnt.probes import Exposure, Probe, exposures, probes
from polyathlon.analysis.gptnt.talk import Doings, Talk, doings, talk
from polyathlon.analysis.rows import EpisodeRow


class Pairing(msgspec.Struct, frozen=True):
    """What a Defuser solved with an Expert; `play` and `setting` as in a team."""

    bombs: str
    play: str
    setting: str
    defuser: str
    expert: str
    solved: Share


class Study(msgspec.Struct, frozen=True):
    """All results of some episodes of the family.

    `records` and `ends` are one a team and kind of bombs, `modules` the records of bombs of one
    module by type, `missions` those of the ten bombs of several modules. `pairings` hold every
    pair of players where some played with another.
    """

    records: tuple[Record, ...]
    modules: tuple[Record, ...]
    missions: tuple[Missions, ...]
    pairings: tuple[Pairing, ...]
    ends: tuple[Ends, ...]
    deviations: tuple[Deviation, ...]
    talk: tuple[Talk, ...]
    doings: tuple[Doings, ...]
    probes: tuple[Probe, ...]
    exposures: tuple[Exposure, ...]


def study(rows: Iterable[EpisodeRow], events: Events, figures: Figures) -> Study | None:
    """The results of all episodes of the family that count, or None when there are none.

    `events` reads the trace of an episode; each is read once.
    """
    own = [row for row in rows if name_of(row.env) and row.counted]
    if not own:
        return None
    played = games(own)
    return Study(
        tuple(map(record, played)),
        tuple(record(one) for found in played for one in found.by_level() if one is not found),
        tuple(filter(None, map(missions, played))),
        tuple(pairings(played)),
        tuple(map(ends, played)),
        tuple(one for found in played for one in deviations(found, figures)),
        tuple(one for found in played for one in talk(found)),
        tuple(one for found in played for one in doings(found, events)),
        tuple(probes(own, events)),
        tuple(exposures(own, events)),
    )


def pairings(played: Sequence[Games]) -> Iterable[Pairing]:
    """Every pair of models; nothing with fewer than two pairs, or where all are self-play."""
    pairs = [found for found in played if found.team.setup == "pair"]
    if len({found.team.players for found in pairs}) < 2 or all(one.self_play for one in pairs):
        return
    for found in pairs:
        defuser, expert = (found.rows[0].roles[role].model for role in sorted(found.roles))
        team, solved = found.team, record(found).solved
        yield Pairing(found.bombs, team.play, team.setting, defuser, expert, solved)
