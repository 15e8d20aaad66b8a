"""`polyathlon replay`: show a recorded episode, or verify that it replays exactly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import Agent
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.interventions import Intervention
from polyathlon.core.models import Model
from polyathlon.core.tools import Tool
from polyathlon.core.world import Env, Role
from polyathlon.experiments.rundir import RunDir, open_run
from polyathlon.experiments.worker import cast
from polyathlon.runtime.caller import Caller
from polyathlon.runtime.recorder import EndOfTrace
from polyathlon.runtime.replay import verify
from polyathlon.runtime.services import Services, inline


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
    ids = _matching(directory, episode)
    if verify:
        return _verify_all(directory, ids)
    if not episode:
        raise UserError(f"which episode? one of: {', '.join(ids[:8])}")
    for id in ids:
        _show(list(directory.events(id)))
    return 0


def _matching(directory: RunDir, episode: str) -> list[str]:
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
    header = events[0]
    if not isinstance(header, trace.Header):
        raise UserError(f"the trace of {id} has no header: delete it to play it again")
    if header.episode.scheduler.kind == "realtime" and header.schema == 1:
        return "skipped: a wall-clock game cannot be replayed"
    env, agents, interventions = cast(header.episode)
    for role, agent in agents.items():
        if not agent.replayable:
            return f"skipped: {header.episode.lineup[role].label} cannot be replayed"
    try:
        ended = asyncio.run(_verified(directory, events, env, agents, interventions))
    except EndOfTrace:
        if isinstance(events[-1], trace.Ended):
            raise
        return f"unfinished: the same for its {len(events)} events"
    return f"same: {len(events)} events, {ended.status} ({ended.cause})"


async def _verified(
    directory: RunDir,
    events: list[trace.Event],
    env: Env,
    agents: Mapping[Role, Agent],
    interventions: Sequence[Intervention],
) -> trace.Ended:
    tools: dict[str, Tool] = {n: registry.factory("tools", n)() for n in env.spec.tools}
    services = Services(
        model=_no_model,
        caller=Caller(),
        tool=lambda name: tools[name],
        compute=inline,
        store=lambda part: None,
        load=directory.load,
        clock_s=time.monotonic,
    )
    return await verify(events, env, agents, interventions, services)


def _no_model(name: str) -> Model:
    raise EndOfTrace(f"the trace holds no reply of {name} here")


def _show(events: list[trace.Event]) -> None:
    for event in events:
        match event:
            case trace.Header():
                spec = event.episode
                players = ", ".join(f"{r}={a.label}" for r, a in spec.lineup.items())
                print(f"{event.id}  {spec.env} {spec.level} seed {spec.seed}  {players}")
            case trace.Acted():
                did = event.action if event.action is not None else f"({event.malformed})"
                print(f"{event.turn:5} {event.role:10} {event.status:12} {did}  {event.score:g}")
                if event.thought:
                    print(f"      thought: {' '.join(event.thought.split())[:200]}")
            case trace.Ended():
                metrics = ", ".join(f"{k} {v:g}" for k, v in event.metrics.items())
                print(f"{event.status} ({event.cause}): {metrics}")
