"""Replay: run a recorded episode again with no live end, and check every event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from polyathlon.core import trace
from polyathlon.core.agents import Agent
from polyathlon.core.episodes import Branch, Moment
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.world import Env, Role
from polyathlon.runtime.episode import play
from polyathlon.runtime.recorder import NoSink, OfOperation, Operation, Recorder, operation
from polyathlon.runtime.schema1 import Schema1Recorder
from polyathlon.runtime.services import Services

OfATurn: TypeAlias = (
    trace.Observed | trace.Called | trace.Using | trace.Used | trace.Landed | trace.Acted
)


async def verify(
    events: Sequence[trace.Event],
    env: Env,
    agents: Mapping[Role, Agent],
    interventions: Sequence[Intervention],
    services: Services,
) -> trace.Ended:
    """Play a trace again without any live call and compare every event with what it holds.

    Returns the end. Raises ReplayMismatch at the first difference, EndOfTrace when the trace is
    unfinished.
    """
    header = events[0]
    assert isinstance(header, trace.Header)
    old = header.schema == 1
    recorder = Schema1Recorder(events) if old else Recorder(NoSink(), events)
    ended = await play(
        header.episode, env, agents, interventions, services, recorder, replay_only=True
    )
    recorder.check_met()
    return ended


def probe(events: Sequence[trace.Event], moment: Moment, differs: str) -> list[trace.Event]:
    """The beginning of a branch that asks for one decision again and ends after it.

    Raises what `branch` raises.
    """
    header, *kept = branch(events, moment.role, moment.turn, differs)
    assert isinstance(header, trace.Header)
    replace, spec = msgspec.structs.replace, header.episode
    assert spec.branch is not None
    limits = replace(spec.limits, turns=moment.turn + 1)
    asked = replace(spec, limits=limits, branch=replace(spec.branch, moment=moment))
    return [replace(header, id=asked.id, episode=asked), *kept]


def branch(events: Sequence[trace.Event], role: Role, turn: int, differs: str) -> list[trace.Event]:
    """The part of a trace before a role's decision, as the beginning of an episode of its own.

    Resuming it plays the same to that point and goes live there, with sampling seeds of its own;
    what is copied was paid for. What others had in flight then is copied with its end. `differs`
    says what is done differently. Raises UserError for a game on the wall's clock.
    """
    header = events[0]
    assert isinstance(header, trace.Header)
    if header.episode.scheduler.kind == "realtime":
        raise UserError("a game on the wall's clock cannot go on: branch one in virtual time")
    kept: list[trace.Event] = []
    begun: set[Operation] = set()
    here = False
    for event in events[1:]:
        here = here or (isinstance(event, OfATurn) and (event.role, event.turn) == (role, turn))
        if isinstance(event, OfOperation):
            if not here:
                begun.add(operation(event))
            elif operation(event) in begun:
                kept.append(event)
        if not here:
            kept.append(event)
    spec = msgspec.structs.replace(header.episode, branch=Branch(header.id, len(kept), differs))
    return [msgspec.structs.replace(header, id=spec.id, episode=spec, copied=len(kept)), *kept]
