"""`polyathlon replay`: show a recorded episode, or verify that it replays exactly."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyathlon.analysis import labels
from polyathlon.core import trace
from polyathlon.core.console import LINE_CHARACTERS, say, say_lines
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.ownmodules import import_all
from polyathlon.core.world import Role
from polyathlon.experiments.replaying import Unplayable, check_media, replayed
from polyathlon.experiments.rundir import RunDir, open_run
from polyathlon.experiments.trust import Trust, trusted_by
from polyathlon.runtime.recorder import EndOfTrace


def replay(
    run: Path,
    episode: str = "",
    *,
    verify: bool = False,
    agent: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    import_: Annotated[tuple[str, ...], Parameter(name="--import", negative=())] = (),
    trust: bool = False,
) -> int:
    """Show a recorded episode step by step, or verify that it replays exactly.

    Parameters
    ----------
    run
        A run directory.
    episode
        An episode id or its beginning; without it every episode is verified.
    verify
        Play it again without any live call and compare every event.
    agent
        Code that the trace may run with --verify, module:function as the trace names it.
    import_
        A Python module to import first, such as one that registers envs.
    trust
        Let the trace run whatever code it names.
    """
    import_all(import_)
    directory = open_run(run)
    ids = matching(directory, episode)
    if verify:
        return _verify_all(directory, ids, trusted_by(agent, everything=trust))
    if not episode:
        raise UserError(f"which episode? one of: {', '.join(ids[:8])}")
    for id in ids:
        say_lines(_steps(directory.events(id)))
    return 0


def matching(directory: RunDir, episode: str) -> list[str]:
    """The ids of a run's episodes that begin so; raises UserError where none does."""
    known = directory.episode_ids()
    matching = [id for id in known if id.startswith(episode)]
    if not matching:
        raise unknown(f"episode in {directory.path}", episode, known)
    return matching


def _verify_all(directory: RunDir, ids: list[str], trust: Trust) -> int:
    different = 0
    for id in ids:
        try:
            verdict = _verdict(directory, id, trust)
        except (EndOfTrace, UserError) as problem:
            different += 1
            verdict = " ".join(str(problem).split())[:LINE_CHARACTERS]
        say(f"{id}  {verdict}")
    return 1 if different else 0


def _verdict(directory: RunDir, id: str, trust: Trust) -> str:
    """What a replay of an episode comes to. Raises EndOfTrace and UserError when it differs."""
    events = list(directory.events(id))
    if not events:
        return "unfinished: nothing is recorded yet"
    complete = isinstance(events[-1], trace.Ended)
    if complete and directory.kept.root.is_dir():
        check_media(directory, events)
    try:
        ended = replayed(directory, id, events, lambda part: None, trust)
    except Unplayable as why:
        return f"skipped: {why}"
    except EndOfTrace:
        if complete:
            raise
        return f"unfinished: the same for its {len(events)} events"
    return f"same: {len(events)} events, {ended.status} ({ended.cause})"


def _steps(events: Iterable[trace.Event]) -> Iterator[str]:
    refused = ""
    for event in events:
        match event:
            case trace.Header():
                spec = event.episode
                players = ", ".join(_seat(event, role) for role in spec.lineup)
                yield f"{event.id}  {spec.env} {spec.level} seed {spec.seed}  {players}"
            case trace.Acted():
                did = event.action if event.action is not None else f"({event.malformed})"
                yield f"{event.turn:5} {event.role:10} {event.status:12} {did}  {event.score:g}"
                if event.thought:
                    yield f"      thought: {' '.join(event.thought.split())[:200]}"
            case trace.Attempted() if event.final and event.cause:
                refused = event.detail
            case trace.Ended(status="failed"):
                yield f"failed ({event.cause})"
                said = refused if event.cause.startswith("model:") else event.traceback
                if said:
                    yield textwrap.indent(said, "      ")
            case trace.Ended():
                metrics = ", ".join(f"{k} {v:g}" for k, v in event.metrics.items())
                yield f"{event.status} ({event.cause}): {metrics}"


def _seat(header: trace.Header, role: Role) -> str:
    """Who plays a role, marked where the trace says that it was given more than a plain agent."""
    label = header.episode.lineup[role].label
    return f"{role}={labels.marked(label, header.access.get(role, 'plain'))}"
