"""Agents, models and envs that misbehave: the episode ends as it must, and its trace is whole."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import math

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.support import episode, played, same, services, verified
from tests.toys import TOYS

from polyathlon import registry
from polyathlon.agents.models.scripted import scripted
from polyathlon.core import trace
from polyathlon.core.agents import Decision
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.core.models import ModelError, Reply, Request, ToolCall, say, thread
from polyathlon.core.parts import Text
from polyathlon.runtime.episode import Stopped
from polyathlon.runtime.recorder import EndOfTrace, ReplayMismatch

GAME = "lmgame/twenty48-v0"
REQUEST = Request(thread(say("user", "Up or left?")))
QUIZ = TOYS[3].id
UNENCODABLE = "\ud83d up \udc00"


@contextlib.contextmanager
def bounded():
    """Ends the process with a traceback of an episode that never ends."""
    faulthandler.dump_traceback_later(30, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


class Player:
    """An agent made of a coroutine function."""

    access = "plain"
    replayable = True

    def __init__(self, act):
        self._act = act

    async def act(self, obs, last, ctx):
        return await self._act(obs, ctx)


class Says:
    """A model made of a coroutine function."""

    group, in_flight, price, latency = "test", 8, None, "measured"
    name = "test/says"

    def __init__(self, complete):
        self.complete = complete

    async def close(self):
        pass


async def deaf(obs, ctx):
    """Asks, and hides whatever goes wrong."""
    with contextlib.suppress(Exception):
        await ctx.complete(REQUEST, "scripted/constant:up")
    return Decision("up")


async def stubborn(obs, ctx):
    """Asks until it is answered."""
    while True:
        try:
            await ctx.complete(REQUEST, "scripted/constant:up")
        except Exception:
            continue


def _ended(spec, act, **use):
    agents = {role: Player(act) for role in spec.lineup}
    ended = played(spec, agents=agents, use=services(**use))[-1]
    assert isinstance(ended, trace.Ended)
    return ended


@pytest.mark.parametrize("act", [deaf, stubborn])
def test_a_limit_ends_the_episode_of_an_agent_that_hides_it(act):
    ended = _ended(episode(GAME, limits=Limits(calls=3, turns=20)), act)
    assert (ended.status, ended.cause, ended.calls) == ("truncated", "limit:calls", 3)


@pytest.mark.parametrize("act", [deaf, stubborn])
def test_a_budget_stops_the_episode_of_an_agent_that_hides_it(act):
    async def broke(usd):
        return False

    with pytest.raises(Stopped, match="budget_usd"):
        _ended(episode(GAME, limits=Limits(turns=5)), act, reserve=broke)


@pytest.mark.parametrize("act", [deaf, stubborn])
def test_a_mismatch_is_not_hidden(act):
    spec = episode(GAME, limits=Limits(turns=5))
    events = played(spec, agents={"player": Player(deaf)})
    number = next(i for i, e in enumerate(events) if isinstance(e, trace.Called))
    changed = trace.unmeasured(events[number]) | {"model": "another"}
    events[number] = trace.decode(trace.encode(changed))
    with pytest.raises(ReplayMismatch, match="model was"):
        played(spec, agents={"player": Player(act)}, recording=events)


def test_the_end_of_a_trace_is_not_hidden():
    spec = episode(GAME, limits=Limits(turns=5))
    events = played(spec, agents={"player": Player(deaf)})
    cut = next(i for i, e in enumerate(events) if isinstance(e, trace.Attempted))
    with pytest.raises(EndOfTrace):
        verified(spec, events[:cut], agents={"player": Player(deaf)})


@pytest.mark.parametrize("act", [deaf, stubborn])
@pytest.mark.parametrize("kind", ["turns", "virtual", "realtime"])
def test_a_deadline_cuts_an_agent_that_hides_it(act, kind):
    async def slow(request):
        await anyio.sleep(0 if kind == "virtual" else 5)
        return Reply("up", latency_s=5.0, cost_usd=0.0)

    limits = Limits(turns=2, turn_s=0.1)
    spec = episode(GAME, scheduler=SchedulerSpec(kind), limits=limits)
    agents = {"player": Player(act)}
    with bounded():
        events = played(spec, agents=agents, use=services(model=lambda name: Says(slow)))
    acts = [event for event in events if isinstance(event, trace.Acted)]
    assert [event.malformed for event in acts] == ["deadline", "deadline"]
    if kind != "realtime":
        assert same(played(spec, agents=agents, recording=events)) == same(events)
        verified(spec, events, agents={"player": Player(act)})


def test_a_decision_cut_off_while_it_computes_or_uses_a_tool_replays():
    started = []

    async def act(obs, ctx):
        await ctx.call("calculator", {"expression": "1 + 1"})
        await ctx.complete(REQUEST, "scripted/constant:never asked")
        return Decision("2")

    class Slow:
        name, doc, timeout_s = "calculator", "", 60.0
        arguments = registry.factory("tools", "calculator")().arguments

        async def run(self, arguments, ctx):
            started.append(arguments)
            await anyio.sleep(5)

    spec = episode(QUIZ, limits=Limits(turn_s=0.1))
    agents = {role: Player(act) for role in spec.lineup}
    use = services(tool=lambda name: Slow())
    events = played(spec, agents=agents, use=use)
    assert any(isinstance(event, trace.Overdue) for event in events)
    assert len(started) == 1
    assert played(spec, agents=agents, use=use, recording=events) == events
    verified(spec, events, agents=agents, use=use)
    assert len(started) == 1


@pytest.mark.parametrize("kind", ["turns", "stepped", "virtual"])
def test_an_agent_that_sleeps_for_ever_meets_its_deadline_or_a_limit(kind):
    async def sleeper(obs, ctx):
        while True:
            await ctx.sleep(0)

    limits = Limits(turns=2, turn_s=0.3)
    with bounded():
        spec = episode(GAME, scheduler=SchedulerSpec(kind), limits=limits)
        ended = _ended(spec, sleeper)
        assert (ended.status, ended.cause) == ("truncated", "limit:turns")


def test_an_agent_that_cancels_itself_fails():
    async def cancels(obs, ctx):
        raise asyncio.CancelledError("mine")

    ended = _ended(episode(GAME), cancels)
    assert ended.status == "failed"
    assert "cancel" in ended.cause.lower()


SURROGATES = st.text(st.characters(categories=("Cs", "Lu", "Zs")), max_size=8)


@given(SURROGATES, SURROGATES, SURROGATES)
def test_lone_surrogates_anywhere_in_a_reply_are_replaced(text, reasoning, arguments):
    async def speak(request):
        calls = (ToolCall("a" + text, "b" + text, arguments),)
        return Reply(text, reasoning, calls, raw_id=text, cost_usd=0.0)

    async def act(obs, ctx):
        reply = await ctx.complete(REQUEST, "test/says")
        longer = REQUEST.thread.append(say("assistant", Text(reply.text)))
        await ctx.complete(Request(longer), "test/says")
        await ctx.call("calculator", {"expression": arguments})
        return Decision(f"{reply.text}?", raw=reply.text, thought=reply.reasoning)

    spec = episode(QUIZ)
    agents = {role: Player(act) for role in spec.lineup}
    events = played(spec, agents=agents, use=services(model=lambda name: Says(speak)))
    assert isinstance(events[-1], trace.Ended)
    assert events[-1].status == "done", events[-1].cause
    written = [trace.decode(trace.encode(event)) for event in events]
    assert same(played(spec, agents=agents, recording=written)) == same(written)


def test_what_no_text_can_say_becomes_a_malformed_decision_or_a_plain_cause():
    async def unsayable(obs, ctx):
        return Decision(UNENCODABLE, raw=UNENCODABLE, thought=UNENCODABLE, warnings=(UNENCODABLE,))

    async def breaks(obs, ctx):
        raise ValueError(UNENCODABLE)

    async def refuses(request):
        raise ModelError("bad_request", UNENCODABLE, retryable=False)

    async def asks(obs, ctx):
        await ctx.complete(REQUEST, "test/says")

    spec = episode(QUIZ)
    [act] = [
        event
        for event in played(spec, agents={role: Player(unsayable) for role in spec.lineup})
        if isinstance(event, trace.Acted)
    ]
    assert trace.decode(trace.encode(act)) == act
    assert act.action is None
    for act in (breaks, asks):
        ended = _ended(spec, act, model=lambda name: Says(refuses))
        assert ended.status == "failed"
        assert trace.decode(trace.encode(ended)) == ended


def test_a_huge_reply_is_one_malformed_turn():
    model = scripted("constant:" + "up, or down? " * 400_000)
    spec = episode(GAME, limits=Limits(turns=2))

    async def act(obs, ctx):
        reply = await ctx.complete(REQUEST, "test/huge")
        return Decision(obs.actions.parse(reply.text), raw=reply.text)

    ended = _ended(spec, act, model=lambda name: model)
    assert (ended.status, ended.metrics["invalid_rate"]) == ("truncated", 1.0)


class _Broken:
    """A game with a fault in one of its methods."""

    def __init__(self, inner, method, fault):
        self._inner, self._method, self._fault = inner, method, fault

    def __getattr__(self, name):
        return self._fault if name == self._method else getattr(self._inner, name)


def _raise(*arguments):
    raise RuntimeError("a fault of the env")


@pytest.mark.parametrize("method", ["outcome", "metrics", "observe", "act", "state", "pending"])
def test_a_fault_anywhere_in_an_env_fails_the_episode(method, monkeypatch):
    whole = registry.make
    monkeypatch.setattr(registry, "make", lambda *given: _Broken(whole(*given), method, _raise))
    ended = played(episode(GAME, limits=Limits(turns=3)))[-1]
    assert isinstance(ended, trace.Ended)
    assert (ended.status, ended.cause) == ("failed", "RuntimeError: a fault of the env")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_metric_that_is_no_number_fails_the_episode(value, monkeypatch):
    whole = registry.make

    def broken(*given):
        env = whole(*given)
        return _Broken(env, "metrics", lambda role=None: dict.fromkeys(env.metrics(), value))

    monkeypatch.setattr(registry, "make", broken)
    ended = played(episode(GAME, limits=Limits(turns=3)))[-1]
    assert isinstance(ended, trace.Ended)
    assert ended.status == "failed"
    assert trace.decode(trace.encode(ended)) == ended
