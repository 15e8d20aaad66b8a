"""Replay: run a recorded episode again with no live end, and check every event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from polyathlon.core import trace
from polyathlon.core.agents import Agent
from polyathlon.core.interventions import Intervention
from polyathlon.core.world import Env, Role
from polyathlon.runtime.context import Services
from polyathlon.runtime.episode import play
from polyathlon.runtime.recorder import NoSink, Recorder

OfATurn: TypeAlias = trace.Observed | trace.Called | trace.Used | trace.Acted


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
    recorder = Recorder(NoSink(), events)
    ended = await play(
        header.episode, env, agents, interventions, services, recorder, replay_only=True
    )
    recorder.check_met()
    return ended


def branch(events: Sequence[trace.Event], role: Role, turn: int) -> list[trace.Event]:
    """The part of a trace before a role's decision.

    Resuming it plays the same episode to that point and goes live there: another continuation.
    """
    kept: list[trace.Event] = []
    for event in events:
        if isinstance(event, OfATurn) and (event.role, event.turn) == (role, turn):
            return kept
        kept.append(event)
    return kept
