"""Reading traces: the states and observations they lead to, and what replies say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON, digest
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.world import Env, Observation, Role

_THINK_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)
_THINK_START = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.I)


class Turn(msgspec.Struct, frozen=True):
    """A decision with what its role sensed, before interventions, and the states around it."""

    seen: Observation
    act: trace.Acted
    before: JSON
    after: JSON


def played(events: Sequence[trace.Event]) -> EpisodeSpec:
    """What a trace is a trace of. Raises ValueError when it has no header."""
    if not events or not isinstance(events[0], trace.Header):
        raise ValueError("the trace has no header")
    return events[0].episode


def start(spec: EpisodeSpec) -> Env:
    """The env of an episode at its beginning."""
    env = registry.make(spec.env, spec.level, spec.options)
    env.reset(spec.seed)
    return env


def turns(events: Sequence[trace.Event]) -> Iterator[Turn]:
    """The decisions of an episode, its recorded actions being played again.

    Raises ValueError for a wall-clock game, and where a state is not the one of the trace.
    """
    spec = played(events)
    if spec.scheduler.kind == "realtime":
        raise ValueError("a wall-clock game cannot be played again")
    env = start(spec)
    seen: dict[Role, Observation] = {}
    for event in events:
        match event:
            case trace.Observed():
                seen[event.role] = env.observe(event.role)
            case trace.Advanced():
                env.advance_to(event.time_us)
            case trace.Acted():
                yield _acted(env, seen[event.role], event)


def _acted(env: Env, seen: Observation, act: trace.Acted) -> Turn:
    before = env.state()
    malformed = Malformed(act.malformed, act.raw)
    env.act(act.role, malformed if act.action is None else seen.actions.parse(act.action))
    after = env.state()
    if digest(after) != act.state:
        raise ValueError(
            f"turn {act.turn} leads to another state than in the trace: "
            "score it with the code that made the run"
        )
    return Turn(seen, act, before, after)


def spoken(reply: str) -> str:
    """A reply without what stands in think tags before the answer."""
    return _THINK_START.split(_THINK_END.split(reply)[-1])[0].strip()
