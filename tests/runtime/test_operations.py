"""Operations in flight: the clock, their names, cuts and resumes, halts, wall-clock replay."""

from __future__ import annotations

import os
import random

import anyio
import msgspec
import pytest
from tests.runtime import programs
from tests.runtime.programs import TURNS, Cast
from tests.runtime.support import episode, played, same, services, verified

from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec, Decision, ToolResult
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.core.models import (
    Abilities,
    CallFailed,
    ModelError,
    Price,
    Reply,
    Request,
    ToolCall,
    say,
    thread,
)
from polyathlon.core.parts import Text
from polyathlon.runtime.episode import Stopped
from polyathlon.runtime.limits import BudgetReached
from polyathlon.runtime.recorder import operation

GAME = "lmgame/twenty48-v0"
MANY = int(os.environ.get("POLYATHLON_PROGRAMS", "60"))
PAUSE_MS = 1_000
EXACT = [programs.VIRTUAL, SchedulerSpec("turns"), SchedulerSpec("stepped", 2.0)]


@pytest.mark.parametrize("block", range(4))
def test_random_programs_take_as_long_as_an_independent_simulation_says(block):
    seeds, ran = range(block, MANY, 4), 0
    for seed in seeds:
        most_ms = random.Random(seed).choice((10**9, 4_000, 1_500))
        cast = Cast(seed, most_ms)
        events = cast.play()
        acts = [e for e in events if isinstance(e, trace.Acted)]
        want = {
            (role, turn): act
            for role, wanted in cast.programs.items()
            for turn, act in enumerate(programs.acts_ms(wanted, PAUSE_MS, most_ms))
        }
        end_ms = min(want[role, TURNS - 1][0] for role in cast.programs)
        due = {key: act for key, act in want.items() if act[0] < end_ms}
        seen = {(e.role, e.turn): (e.time_us / 1e3, bool(e.malformed)) for e in acts}
        assert {key: seen.get(key) for key in due} == due, seed
        assert all(want[key] == act for key, act in seen.items()), seed
        ran += sum(map(len, cast.programs.values()))
    print(f"{len(seeds)} games of {ran} random programs took as long as simulated")


def test_another_roles_call_lands_on_time_beside_parallel_calls():
    """A call of 0.5 s, issued at 0.50 while another role has two in flight, lands at 1.00."""
    cast = Cast(0)
    cast.programs = {
        "operator": [("together", [("call", 300), ("call", 3_000)])] * TURNS,
        "guide": [("seq", [("sleep", 500), ("call", 500)])] * TURNS,
    }
    ended = [e for e in cast.play() if isinstance(e, trace.Attempted) and e.role == "guide"]
    assert ended[0].time_us == 1_000_000


@pytest.mark.parametrize("kind", EXACT, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_a_trace_cut_at_every_event_resumes_without_repeating_a_finished_operation(kind, seed):
    most_ms = 4_000 if kind.kind == "virtual" and seed % 2 else 10**9
    cast = Cast(seed, most_ms, kind)
    whole = cast.play()
    verified(cast.spec, whole, agents=cast.seats(), use=cast.services())
    cuts = range(1, len(whole), max(1, len(whole) // (12 if MANY < 1_000 else 10**6)))
    for cut in cuts:
        kept = whole[:cut]
        cast.model.asked.clear()
        cast.tool.used.clear()
        resumed = cast.play(kept)
        assert same(resumed) == same(whole)
        heads = {operation(e): e.head for e in kept if isinstance(e, trace.Called)}
        done = {heads[operation(e)] for e in kept if isinstance(e, trace.Attempted) and e.final}
        assert not done & set(cast.model.asked)
        begun = {operation(e): e.arguments["name"] for e in kept if isinstance(e, trace.Using)}
        used = {begun[operation(e)] for e in kept if isinstance(e, trace.Used)}
        assert not used & set(cast.tool.used)
        cut_off = [e for e in resumed if isinstance(e, trace.Interrupted)]
        open_starts = len(heads) - len(
            {operation(e) for e in kept if isinstance(e, trace.Attempted)}
        )
        open_starts += len(begun) - len(used)
        assert len(cut_off) == open_starts
    print(f"{len(cuts)} cuts of a trace of {len(whole)} events resumed")


class Each:
    """An agent out of a function of the observation and the context."""

    access = "plain"
    replayable = True

    def __init__(self, function):
        self._function = function

    async def act(self, obs, last, ctx):
        await self._function(obs, ctx)
        return Decision(obs.actions.parse("up"))


def ask(ctx, text):
    return ctx.complete(Request(thread(say("user", text))), "m")


class Model:
    """Answers after a while; one that is asked for `fail` fails."""

    name, group, in_flight, latency = "m", "m", 100, "measured"
    price = Price(1e5, 1e5)

    def __init__(self, seconds=0.02):
        self._seconds = seconds

    async def complete(self, request):
        await anyio.sleep(self._seconds)
        if "fail" in request.thread.message.text:
            raise ModelError("bad_request", retryable=False)
        return Reply("up", latency_s=self._seconds, cost_usd=1.0)

    async def close(self):
        pass


def test_two_operations_outside_together_are_an_error_that_says_so():
    async def act(obs, ctx):
        async with anyio.create_task_group() as group:
            group.start_soon(ask, ctx, "one")
            group.start_soon(ask, ctx, "two")

    spec = episode(GAME, limits=Limits(turns=1))
    ended = played(spec, agents={"player": Each(act)}, use=services(model=lambda n: Model()))[-1]
    assert ended.status == "failed"
    assert "ctx.together" in ended.cause


def test_together_lets_all_land_and_raises_the_first_in_order():
    async def act(obs, ctx):
        with pytest.raises(CallFailed):
            await ctx.together(lambda: ask(ctx, "well"), lambda: ask(ctx, "fail"))
        assert await ctx.together() == []
        replies = await ctx.together(lambda: ask(ctx, "a"), lambda: ask(ctx, "b"))
        assert [reply.text for reply in replies] == ["up", "up"]

    spec = episode(GAME, limits=Limits(turns=1))
    events = played(spec, agents={"player": Each(act)}, use=services(model=lambda n: Model()))
    assert events[-1].status == "truncated", events[-1].cause
    assert sum(isinstance(e, trace.Attempted) for e in events) == 4
    verified(spec, events, agents={"player": Each(act)})


def test_a_used_up_budget_lets_what_is_in_flight_land():
    settled = []

    async def reserve(usd):
        return len(settled) + 1 < 3 and not reserve.full

    async def settle(reserved, cost):
        settled.append(cost)

    reserve.full = False

    async def act(obs, ctx):
        async def second():
            await anyio.sleep(0.005)
            reserve.full = True
            await ask(ctx, "two")

        await ctx.together(lambda: ask(ctx, "one"), second)

    spec = episode(GAME, limits=Limits(turns=1))
    use = services(model=lambda n: Model(0.05), reserve=reserve, settle=settle)
    with pytest.raises(Stopped) as stop:
        played(spec, agents={"player": Each(act)}, use=use)
    assert isinstance(stop.value.__cause__, BudgetReached)
    assert settled == [1.0]


def test_a_call_that_a_deadline_cuts_off_is_booked_at_its_most():
    settled = []

    async def reserve(usd):
        return True

    async def settle(reserved, cost):
        settled.append((reserved, cost))

    async def act(obs, ctx):
        await ctx.together(lambda: ask(ctx, "one"), lambda: ask(ctx, "two"))

    spec = episode(GAME, limits=Limits(turns=1, turn_s=0.02))
    use = services(model=lambda n: Model(0.5), reserve=reserve, settle=settle)
    events = played(spec, agents={"player": Each(act)}, use=use)
    assert any(isinstance(e, trace.Overdue) for e in events)
    assert [reserved for reserved, _ in settled] == [cost for _, cost in settled]
    called = [e for e in events if isinstance(e, trace.Called)]
    assert events[-1].cost_usd == pytest.approx(sum(e.most_usd for e in called))
    ended = verified(spec, events, agents={"player": Each(act)})
    assert trace.unmeasured(ended) == trace.unmeasured(events[-1])


class Asker:
    """A tool that asks a model."""

    name, doc, arguments = "slow", "asks", programs.Slow

    def __init__(self, timeout_s):
        self.timeout_s = timeout_s

    async def run(self, arguments, ctx):
        request = Request(thread(say("user", arguments.name)))
        return ToolResult((Text((await ctx.complete(request, "m", "opinion")).text),))


@pytest.mark.parametrize("timeout_s", [30.0, 0.05], ids=["answered", "cut off"])
def test_what_a_tool_asked_is_paid_for_again_when_it_is_served(timeout_s):
    """Killed while the tool's own call was in flight, or cut off by the tool's time-out."""

    async def act(obs, ctx):
        await ctx.call("slow", {"ms": 1, "name": f"{ctx.role} {obs.turn}"})

    def use(model):
        return services(model=model, tool=lambda name: Asker(timeout_s))

    agents = {"operator": Each(act), "guide": Each(act)}
    spec = episode("toys/workshop-v0", limits=Limits(turns=1), limit_s=30)
    live = use(lambda name: Model(0.01 if timeout_s > 1 else 0.5))
    whole = played(spec, agents=agents, use=live)
    cut = 1 + next(n for n, e in enumerate(whole) if isinstance(e, trace.Called))
    resumed = played(spec, recording=whole[:cut], agents=agents, use=live)
    assert resumed[-1].booked_usd == whole[cut - 1].most_usd
    for events in (whole, resumed):
        assert events[-1].status == "truncated", events[-1].cause
        assert events[-1].calls == 2
        assert events[-1].cost_usd > 0
        ended = verified(spec, events, agents=agents, use=use(None))
        assert trace.unmeasured(ended) == trace.unmeasured(events[-1])


def test_every_operation_has_a_sampling_seed_of_its_own():
    async def act(obs, ctx):
        sampling = msgspec.structs.replace(Request(thread(say("user", "x"))).sampling, seed=7)
        request = Request(thread(say("user", "again")), sampling)
        await ctx.together(*(lambda: ctx.complete(request, "m") for _ in range(3)))

    seeds = []
    for attempt in (0, 1):
        spec = episode(GAME, limits=Limits(turns=2))
        spec = msgspec.structs.replace(spec, attempt=attempt)
        events = played(spec, agents={"player": Each(act)}, use=services(model=lambda n: Model()))
        seeds += [e.sampling.seed for e in events if isinstance(e, trace.Called)]
        assert same(events) == same(
            played(spec, agents={"player": Each(act)}, use=services(model=lambda n: Model()))
        )
    assert len(set(seeds)) == 12


class Signing:
    """A model that calls a tool first, and will not go on without the signature of its thought."""

    name, group, in_flight, price, latency = "m", "m", 8, None, "measured"
    abilities = Abilities(tools=True)
    SIGNATURE = bytes(range(256))

    def __init__(self):
        self.asked = 0

    async def complete(self, request):
        self.asked += 1
        said = request.thread.messages()
        if not any(message.speaker == "tool" for message in said):
            call = ToolCall("c1", "calculator", '{"expression": "6 * 7"}')
            return Reply(tool_calls=(call,), finish="tool_calls", opaque=self.SIGNATURE)
        assert [m.opaque for m in said if m.tool_calls] == [self.SIGNATURE]
        return Reply("move: 42")

    async def close(self):
        pass


def test_what_a_provider_needs_of_its_thoughts_survives_a_restart():
    model = Signing()
    spec = episode("toys/quiz-v0", {"player": AgentSpec("llm", "m/any")})
    events = played(spec, use=services(model=lambda name: model))
    assert events[-1].status == "done", events[-1].cause
    kept = [trace.decode(trace.encode(event)) for event in events]
    cut = next(n for n, event in enumerate(kept) if isinstance(event, trace.Used))
    model.asked = 0
    resumed = played(spec, recording=kept[: cut + 1], use=services(model=lambda name: model))
    assert model.asked == 1
    assert same(resumed) == same(events)
