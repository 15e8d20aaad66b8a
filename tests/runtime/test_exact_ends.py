"""Episodes of several roles that a limit or a fault ends: replay comes to the same end."""

from __future__ import annotations

import time

import anyio
import pytest
from tests.runtime.support import episode, played, same, services, verified
from tests.runtime.test_schedulers import EXACT
from tests.toys import TOYS

from polyathlon.core import trace
from polyathlon.core.agents import Decision
from polyathlon.core.chance import stream
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.core.models import ModelError, Reply, Request, Usage, say, thread

BEACON, QUORUM = TOYS[0].id, TOYS[1].id
REQUEST = Request(thread(say("user", "What now?")))


class Asker:
    """Asks twice a turn, each time something of its own."""

    access = "plain"
    replayable = True

    async def act(self, obs, last, ctx):
        for number in range(2):
            text = f"{obs.role} {obs.turn} {number}"
            reply = await ctx.complete(Request(REQUEST.thread.append(say("user", text))), "m")
        action = obs.actions.parse(reply.text)
        return Decision(action, raw=reply.text)


class Unsteady:
    """Replies after a random while; a fraction of the calls fails for good."""

    name, group, in_flight, price, latency = "m", "m", 8, None, "measured"

    def __init__(self, failing: float = 0.0):
        self._rng = stream(0, "unsteady")
        self._failing = failing

    async def complete(self, request):
        await anyio.sleep(self._rng.uniform() / 100)
        if self._rng.uniform() < self._failing:
            raise ModelError("server_error", retryable=False)
        latency_s = self._rng.uniform()
        return Reply("raise", usage=Usage(10, 0, 7), latency_s=latency_s, cost_usd=0.1 + 2.5e-6)

    async def close(self):
        pass


@pytest.mark.parametrize("scheduler", EXACT, ids=str)
@pytest.mark.parametrize("env", [BEACON, QUORUM])
@pytest.mark.parametrize(
    ("limits", "failing"),
    [
        (Limits(tokens=200), 0.0),
        (Limits(calls=11), 0.0),
        (Limits(cost_usd=0.9), 0.0),
        (Limits(wall_s=0.1), 0.0),
        (Limits(turns=8), 0.2),
    ],
    ids=["tokens", "calls", "cost", "wall", "fault"],
)
def test_replay_comes_to_the_same_end(scheduler, env, limits, failing):
    spec = episode(env, scheduler=scheduler, limits=limits)
    agents = {role: Asker() for role in spec.lineup}
    model = Unsteady(failing)
    events = played(spec, agents=agents, use=services(model=lambda name: model))
    ended = verified(spec, events, agents=agents)
    assert trace.unmeasured(ended) == trace.unmeasured(events[-1])
    assert same(played(spec, agents=agents, recording=events)) == same(events)


def test_wall_time_ends_a_turn_that_was_resumed():
    async def slow(request):
        await anyio.sleep(5)

    model = Unsteady()
    model.complete = slow
    spec = episode(QUORUM, scheduler=SchedulerSpec(), limits=Limits(turns=1, turn_s=0.1))
    agents = {role: Asker() for role in spec.lineup}
    events = played(spec, agents=agents, use=services(model=lambda name: model))
    cut = next(i for i, e in enumerate(events) if isinstance(e, trace.Overdue))
    start_s = time.monotonic()
    resumed = played(
        spec, agents=agents, recording=events[:cut], use=services(model=lambda name: model)
    )
    assert time.monotonic() - start_s < 3
    assert same(resumed) == same(events)
