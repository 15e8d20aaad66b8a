"""Run directories of branches: copies of an episode up to a decision, which go on from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polyathlon.core import trace
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError, unknown, writing
from polyathlon.core.pieces import Pieces
from polyathlon.core.world import Role
from polyathlon.experiments.durable import write_whole
from polyathlon.experiments.replaying import named_media
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.experiments.trust import Trust, check_code
from polyathlon.experiments.worker import cast
from polyathlon.runtime.replay import branch


def branches(
    run: RunDir, id: str, role: Role, turn: int, times: int, trust: Trust
) -> list[list[trace.Event]]:
    """The beginnings of `times` branches that leave an episode before a decision of `role`.

    They are told apart by their numbers. Raises UserError where the episode cannot go on, and
    where it names code without trust.
    """
    events = playable(run, id, trust)
    turns = [e.turn for e in events if isinstance(e, trace.Observed) and e.role == role]
    if turn not in turns:
        raise UserError(
            f"{role} took no decision {turn} in episode {id}: choose a --turn from 0 to "
            f"{max(turns, default=0)}"
        )
    return [branch(events, role, turn, f"branch {n}") for n in range(1, times + 1)]


def playable(run: RunDir, id: str, trust: Trust) -> list[trace.Event]:
    """The events of an episode that can go on from its middle.

    Raises UserError where it cannot, and where it names code without trust.
    """
    header = run.header(id)
    if header.schema < trace.SCHEMA:
        raise UserError(f"episode {id} was made by an earlier polyathlon: it cannot be played on")
    check_code([header.episode], trust, f"the trace of {id}")
    _check_replayable(header.episode)
    return list(run.events(id))


def seat(run: RunDir, id: str, role: str) -> Role:
    """The role of an episode that is meant; one need not be named where there is no other."""
    roles = list(run.header(id).episode.lineup)
    if not role and len(roles) > 1:
        raise UserError(f"whose decision? --role {' or '.join(roles)}")
    if role and role not in roles:
        raise unknown(f"role of episode {id}", role, roles)
    return role or roles[0]


def write(
    run: RunDir, begun: Sequence[Sequence[trace.Event]], path: Path, about: Mapping[str, Any]
) -> RunDir:
    """A new run directory at `path` that holds beginnings of episodes, with their media.

    `about` is provenance. Raises UserError when the place is taken.
    """
    specs = [_header(events).episode for events in begun]
    episodes = [msgspec.json.decode(msgspec.json.encode(spec)) for spec in specs]
    directory = create(path, {"experiment": {"episodes": episodes}, **about})
    if run.kept.root.is_dir():
        for ref in named_media(event for events in begun for event in events):
            directory.store(run.load(ref))
        directory.kept.close()
    for events in begun:
        target = directory.trace_path(_header(events).id)
        with writing(target):
            write_whole(target, _lines(events))
    return directory


def _lines(events: Sequence[trace.Event]) -> bytes:
    pieces = Pieces()
    return b"".join(trace.encode(pieces.shortened(event)) + b"\n" for event in events)


def _header(events: Sequence[trace.Event]) -> trace.Header:
    header = events[0]
    assert isinstance(header, trace.Header)
    return header


def _check_replayable(spec: EpisodeSpec) -> None:
    _, agents, _ = cast(spec)
    for role, agent in agents.items():
        if not agent.replayable:
            raise UserError(
                f"{role} was played by {spec.lineup[role].label}, whose decisions cannot be "
                "repeated: branch an episode of other players"
            )
