"""`polyathlon replay`: show a recorded episode, or verify that it replays exactly."""

from __future__ import annotations

import textwrap
from pathlib import Path

from polyathlon.analysis import labels
from polyathlon.core import trace
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.world import Role
from polyathlon.experiments.replaying import Unplayable, check_media, replayed
from polyathlon.experiments.rundir import RunDir, open_run
from polyathlon.runtime.recorder import EndOfTrace


def replay(run: Path, episode: str = "", *, verify: bool = False) -> int:
    """Show a recorded episode step by step, or verify that it replays exactly.

    Parameters
    ----------
    run
        A run directory.
    episode
        An episode id or its beginning; without it every episode is verified.
    verify
        Play it again without any live call and compare every event.
    """
    directory = open_run(run)
    ids = matching(directory, episode)
    if verify:
        return _verify_all(directory, ids)
    if not episode:
        raise UserError(f"which episode? one of: {', '.join(ids[:8])}")
    for id in ids:
        _show(list(directory.events(id)))
    return 0


def matching(directory: RunDir, episode: str) -> list[str]:
    """The ids of a run's episodes that begin so; raises UserError where none does."""
    known = directory.episode_ids()
    matching = [id for id in known if id.startswith(episode)]
    if not matching:
        raise unknown(f"episode in {directory.path}", episode, known)
    return matching


def _verify_all(directory: RunDir, ids: list[str]) -> int:
    different = 0
    for id in ids:
        try:
            verdict = _verdict(directory, id)
        except (EndOfTrace, UserError) as problem:
            different += 1
            verdict = str(problem)
        print(f"{id}  {verdict}")
    return 1 if different else 0


def _verdict(directory: RunDir, id: str) -> str:
    """What a replay of an episode comes to. Raises EndOfTrace and UserError when it differs."""
    events = list(directory.events(id))
    if not events:
        return "unfinished: nothing is recorded yet"
    complete = isinstance(events[-1], trace.Ended)
    if complete and directory.kept.root.is_dir():
        check_media(directory, events)
    try:
        ended = replayed(directory, id, events, lambda part: None)
    except Unplayable as why:
        return f"skipped: {why}"
    except EndOfTrace:
        if complete:
            raise
        return f"unfinished: the same for its {len(events)} events"
    return f"same: {len(events)} events, {ended.status} ({ended.cause})"


def _show(events: list[trace.Event]) -> None:
    refused = ""
    for event in events:
        match event:
            case trace.Header():
                spec = event.episode
                players = ", ".join(_seat(event, role) for role in spec.lineup)
                print(f"{event.id}  {spec.env} {spec.level} seed {spec.seed}  {players}")
            case trace.Acted():
                did = event.action if event.action is not None else f"({event.malformed})"
                print(f"{event.turn:5} {event.role:10} {event.status:12} {did}  {event.score:g}")
                if event.thought:
                    print(f"      thought: {' '.join(event.thought.split())[:200]}")
            case trace.Attempted() if event.final and event.cause:
                refused = event.detail
            case trace.Ended(status="failed"):
                print(f"failed ({event.cause})")
                said = refused if event.cause.startswith("model:") else event.traceback
                if said:
                    print(textwrap.indent(said, "      "))
            case trace.Ended():
                metrics = ", ".join(f"{k} {v:g}" for k, v in event.metrics.items())
                print(f"{event.status} ({event.cause}): {metrics}")


def _seat(header: trace.Header, role: Role) -> str:
    """Who plays a role, marked where the trace says that it was given more than a plain agent."""
    label = header.episode.lineup[role].label
    return f"{role}={labels.marked(label, header.access.get(role, 'plain'))}"
