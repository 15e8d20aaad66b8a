"""Probes: recorded decisions asked again, once as they were and once for each lie of a channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.chance import Stream, stream
from polyathlon.core.episodes import Moment
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import LIE, Stage
from polyathlon.core.world import Observation, Role
from polyathlon.experiments.branching import playable
from polyathlon.experiments.replaying import replayed
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.trust import Trust
from polyathlon.interventions.forms import Target, find_target
from polyathlon.runtime.recorder import EndOfTrace
from polyathlon.runtime.replay import probe

TRUTH, AGAIN = "truth", "truth again"


class Place(msgspec.Struct, frozen=True):
    """A recorded decision at which a channel could lie, and the names of its lies, sorted."""

    episode: str
    role: Role
    turn: int
    lies: tuple[str, ...]


def places(run: RunDir, id: str, channel: str, lie: str, trust: Trust) -> list[Place]:
    """Where a channel could have told `lie` ("" for any) in an episode, in order of time.

    The episode is replayed. Raises UserError for an episode that cannot go on, that has no such
    channel, or in which it lies already.
    """
    events = playable(run, id, trust)
    header = run.header(id)
    target = find_target(registry.env_spec(header.episode.env), channel)
    listening = _Listening(target)
    with suppress(EndOfTrace):
        replayed(run, id, events, lambda part: None, trust, (listening,))
    decided = {(e.role, e.turn) for e in events if isinstance(e, trace.Acted)}
    found = [
        Place(id, role, turn, tuple(name for name in lies if lie in ("", name)))
        for (role, turn), lies in listening.heard.items()
        if (role, turn) in decided
    ]
    return [place for place in found if place.lies]


def probes(
    run: RunDir, chosen: Sequence[Place], channel: str, trust: Trust
) -> Iterator[list[trace.Event]]:
    """The beginnings of all probes: each place under the truth, the same again, and each lie."""
    known: dict[str, list[trace.Event]] = {}
    for place in chosen:
        if place.episode not in known:
            known = {place.episode: playable(run, place.episode, trust)}
        events = known[place.episode]
        for differs in (TRUTH, AGAIN):
            yield probe(events, Moment(place.role, place.turn), differs)
        for lie in place.lies:
            told = Moment(place.role, place.turn, (f"conflict:{channel}={lie}",))
            yield probe(events, told, f"{channel} lies: {lie}")


def some(found: Sequence[Place], count: int) -> list[Place]:
    """At most `count` places, drawn evenly over the episodes and in their order."""
    rng = stream(0, "probes")
    left: dict[str, list[Place]] = {}
    for place in found:
        left.setdefault(place.episode, []).append(place)
    drawn: set[Place] = set()
    while len(drawn) < min(count, len(found)):
        for places in left.values():
            if places and len(drawn) < count:
                drawn.add(places.pop(rng.below(len(places))))
    return [place for place in found if place in drawn]


_STAGE: Stage = "conflict"


class _Listening:
    """core.interventions.Intervention that changes nothing and hears which lies there are."""

    def __init__(self, target: Target) -> None:
        self.name, self.stage = "listening", _STAGE
        self.heard: dict[tuple[Role, int], tuple[str, ...]] = {}
        self._target = target

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        aimed = [percept for percept in obs.percepts if self._target.hits(percept)]
        if any(LIE in percept.facts for percept in aimed):
            raise UserError(
                f"{self._target.text} lies in this run already: probe one of undisturbed senses"
            )
        lies = sorted({name for percept in aimed for name in percept.counterfactuals})
        if lies:
            self.heard[obs.role, obs.turn] = tuple(lies)
        return obs
