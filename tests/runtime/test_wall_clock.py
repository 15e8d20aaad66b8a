"""Games on the wall's clock are played again from their recorded times and come to the same.

POLYATHLON_WALL_CLOCK_GAMES says how many random games are played.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import msgspec
import pytest
from tests.runtime.programs import TURNS, Cast
from tests.runtime.support import episode, played, services, verified
from tests.toys import TOYS

from polyathlon.core import trace
from polyathlon.core.agents import Decision
from polyathlon.core.episodes import EpisodeSpec, Limits, SchedulerSpec
from polyathlon.core.models import ModelError, Reply, Request, say, thread

GAMES = int(os.environ.get("POLYATHLON_WALL_CLOCK_GAMES", "3"))
AT_ONCE = 10
WALL = SchedulerSpec("realtime")
MOST_MS = {"call": 40, "tool": 30, "sleep": 30}
BEACON = TOYS[0].id


def test_games_of_random_programs_verify():
    with ThreadPoolExecutor(AT_ONCE) as threads:
        games = list(threads.map(_game, range(GAMES)))
    for cast, events in games:
        assert events[-1].status == "truncated", events[-1].cause
        _verifies(cast.spec, events, cast.seats(), cast.services())
        times = [e.time_us for e in events if isinstance(e, trace.Observed | trace.Acted)]
        assert times == sorted(times)
        assert times[-1] > 0
    overdue = sum(isinstance(e, trace.Overdue) for _, events in games for e in events)
    print(f"{len(games)} wall-clock games of random programs verify; {overdue} decisions overdue")


def _game(seed):
    cast = Cast(seed, scheduler=WALL)
    cast.spec = msgspec.structs.replace(cast.spec, limits=Limits(turns=TURNS, turn_s=0.15))
    cast.programs = {
        role: [_hurried(wanted) for wanted in turns] for role, turns in cast.programs.items()
    }
    return cast, cast.play()


def _hurried(wanted):
    match wanted:
        case ("seq" | "together" as kind, parts):
            return (kind, [_hurried(part) for part in parts])
        case (kind, ms):
            return (kind, 1 + ms % MOST_MS[kind])
    return wanted


def _verifies(spec, events, agents, use=None):
    ended = verified(spec, events, agents=agents, use=use)
    assert trace.unmeasured(ended) == trace.unmeasured(events[-1])


class Player:
    """An agent out of a function of the context."""

    access = "plain"
    replayable = True

    def __init__(self, function):
        self._function = function

    async def act(self, obs, last, ctx):
        await self._function(ctx)
        return Decision(obs.actions.parse("hello"))


class Model:
    """Answers after 20 ms and says it took `latency_s`; one that is asked to fail does at once."""

    name, group, in_flight, price, latency = "m", "m", 100, None, "modelled"

    def __init__(self, latency_s=0.02):
        self._latency_s = latency_s

    async def complete(self, request: Request) -> Reply:
        if "fail" in request.thread.message.text:
            raise ModelError("bad_request", retryable=False)
        await anyio.sleep(0.02)
        return Reply("hello", latency_s=self._latency_s)

    async def close(self):
        pass


def ask(ctx, text):
    return ctx.complete(Request(thread(say("user", text))), "m")


def wall_clock(limits: Limits, limit_s: int = 30) -> EpisodeSpec:
    return episode(BEACON, scheduler=WALL, limits=limits, limit_s=limit_s)


def test_a_world_that_came_late_to_its_own_event_verifies():
    """A player keeps the event loop busy over the end of the world, and asks a model after it."""

    async def busy(ctx):
        await ctx.sleep(0.9)
        if ctx.now() < 1.0:
            _keep_busy(0.2)
        await ask(ctx, "well")

    async def patient(ctx):
        await ctx.sleep(0.05)

    spec = wall_clock(Limits(), limit_s=1)
    agents = {"operator": Player(busy), "guide": Player(patient)}
    events = played(spec, agents=agents, use=services(model=lambda name: Model()))
    assert (events[-1].status, events[-1].cause) == ("done", "timer")
    called = next(e for e in events if isinstance(e, trace.Called))
    assert called.time_us > 1_000_000
    _verifies(spec, events, agents)


def _keep_busy(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


@pytest.mark.parametrize("turn_s", [0.1, 2.0], ids=["overdue", "in time"])
def test_a_game_with_replies_that_are_held_back_verifies(turn_s):
    async def asking(ctx):
        await ctx.together(lambda: ask(ctx, "one"), lambda: ask(ctx, "two"))

    spec = wall_clock(Limits(turns=1, turn_s=turn_s))
    agents = {"operator": Player(asking), "guide": Player(asking)}
    events = played(spec, agents=agents, use=services(model=lambda name: Model(0.3)))
    overdue = any(isinstance(e, trace.Overdue) for e in events)
    held_back = [e for e in events if isinstance(e, trace.Landed)]
    assert overdue == (not held_back) == (turn_s < 0.3)
    _verifies(spec, events, agents)


def test_what_landed_together_after_the_worlds_end_does_so_again():
    async def long(ctx):
        await ctx.together(*[lambda: ctx.sleep(1.1)] * 5)

    spec = wall_clock(Limits(), limit_s=1)
    agents = {"operator": Player(long), "guide": Player(long)}
    events = played(spec, agents=agents)
    assert events[-1].cause == "timer"
    assert sum(isinstance(e, trace.Landed) for e in events) > 2
    _verifies(spec, events, agents)


@pytest.mark.parametrize("fault", ["model", "agent"])
def test_a_game_that_a_fault_ended_verifies_up_to_that_moment(fault):
    """Between the failing player's last operation and its fault the others go on."""

    async def failing(ctx):
        await ask(ctx, "well")
        await anyio.sleep(0.1)
        if fault == "agent":
            raise ValueError("no idea")
        await ask(ctx, "fail")

    async def busy(ctx):
        for _ in range(20):
            await ctx.sleep(0.01)

    spec = wall_clock(Limits(turns=5))
    agents = {"operator": Player(failing), "guide": Player(busy)}
    events = played(spec, agents=agents, use=services(model=lambda name: Model()))
    assert events[-1].status == "failed"
    assert events[-1].cause in ("ValueError: no idea", "model:bad_request")
    _verifies(spec, events, agents)


def test_a_game_that_a_limit_of_calls_ended_verifies():
    async def asking(ctx):
        await ctx.together(lambda: ask(ctx, "one"), lambda: ask(ctx, "two"))

    async def busy(ctx):
        for _ in range(20):
            await ctx.sleep(0.01)

    spec = wall_clock(Limits(calls=3))
    agents = {"operator": Player(asking), "guide": Player(busy)}
    events = played(spec, agents=agents, use=services(model=lambda name: Model()))
    assert (events[-1].status, events[-1].cause) == ("truncated", "limit:calls")
    _verifies(spec, events, agents)
