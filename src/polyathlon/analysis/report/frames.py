"""What an episode showed, found again by playing its recorded actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.interventions import Intervention, delivered, in_order
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Env, Observation, Role
from polyathlon.interventions.build import build

Key = tuple[Role, int]


class Moment(msgspec.Struct, frozen=True):
    """The percepts of one turn, as delivered and as they were before the interventions."""

    delivered: tuple[Percept, ...]
    true: tuple[Percept, ...]


class Drawn(msgspec.Struct):
    """The moments of an episode at the wanted turns; nothing is rendered yet.

    They are by role and turn; that of a turn that was never played is what the world looked like
    at the end. `problem` says why playing stopped early, if it did.
    """

    moments: dict[Key, Moment] = {}
    problem: str = ""


def redraw(events: Iterable[trace.Event], wanted: set[Key]) -> Drawn:
    """Play the recorded actions again and keep the percepts of the wanted turns.

    An env that is not installed, fails or comes to another state than recorded ends this with a
    `problem`.
    """
    drawn = Drawn()
    try:
        _redraw(iter(events), wanted, drawn)
    except Exception as error:  # whatever an env raises must not cost the report
        drawn.problem = f"{type(error).__name__}: {error}"
    return drawn


def _redraw(events: Iterable[trace.Event], wanted: set[Key], drawn: Drawn) -> None:
    header = next(iter(events))
    assert isinstance(header, trace.Header)
    spec = header.episode
    env = registry.make(spec.env, spec.level, spec.options)
    interventions = in_order([build(text, env.spec) for text in spec.interventions])
    env.reset(spec.seed)
    seen: dict[Role, Observation] = {}
    for event in events:
        match event:
            case trace.Observed():
                seen[event.role] = env.observe(event.role)
                if (event.role, event.turn) in wanted:
                    moment = _moment(seen[event.role], event, interventions, spec.seed)
                    drawn.moments[event.role, event.turn] = moment
            case trace.Acted():
                _act(env, seen.get(event.role) or env.observe(event.role), event)
                if event.state and digest(env.state()) != event.state:
                    drawn.problem = f"the world differs from the recorded one at turn {event.turn}"
                    return
            case trace.Advanced():
                env.advance_to(event.time_us)
            case trace.Ended():
                for role, obs in seen.items():
                    last = env.observe(role).percepts
                    drawn.moments[role, obs.turn + 1] = Moment(last, last)


def _moment(
    true: Observation, event: trace.Observed, interventions: Sequence[Intervention], seed: int
) -> Moment:
    obs = msgspec.structs.replace(true, turn=event.turn, time_us=event.time_us, mail=event.mail)
    return Moment(delivered(obs, interventions, seed).percepts, true.percepts)


def _act(env: Env, obs: Observation, event: trace.Acted) -> None:
    action = obs.actions.parse(event.action) if event.action is not None else None
    env.act(event.role, action or Malformed(event.malformed, event.raw))
