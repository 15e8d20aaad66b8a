"""A world's own time under the schedulers: nothing polls, ends are exact, late has no effect."""

from __future__ import annotations

import math
from collections import Counter

import anyio
import msgspec
import pytest
from tests.runtime.support import UNLIMITED, episode, played, same, services, verified
from tests.toys import beacon, vigil

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import Decision
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.core.models import Reply, Request, Usage, say, thread
from polyathlon.runtime import schedulers

VIRTUAL, STEPPED = SchedulerSpec("virtual"), SchedulerSpec("stepped", 2.0)
SECOND_US = 1_000_000
OVER_US = 1_000 * SECOND_US
"""When the shift of the vigil is over."""
COST_USD = 0.25


class Sleeper:
    """Thinks for so many seconds of episode time, then says its word."""

    access = "plain"
    replayable = True

    def __init__(self, seconds, word="work"):
        self._seconds, self._word = seconds, word

    async def act(self, obs, last, ctx):
        await ctx.sleep(self._seconds)
        return Decision(obs.actions.parse(self._word))


class Caller(Sleeper):
    """Asks a model that takes so many seconds."""

    async def act(self, obs, last, ctx):
        asked = f"{ctx.role} {obs.turn}:{self._seconds}"
        await ctx.complete(Request(thread(say("user", asked))), "m")
        return Decision(obs.actions.parse(self._word))


class Model:
    """Takes as long as it is asked to, by its own account and `pace` times that on the wall."""

    name, group, in_flight, price, latency = "m", "m", 8, None, "measured"

    def __init__(self, pace=0.0):
        self._pace = pace

    async def complete(self, request):
        seconds = float(request.thread.message.text.rpartition(":")[2])
        await anyio.sleep(seconds * self._pace)
        return Reply("work", usage=Usage(10, 0, 7), latency_s=seconds, cost_usd=COST_USD)

    async def close(self):
        pass


def vigil_with(worker, watcher, scheduler=VIRTUAL, *, limits=UNLIMITED, pace=0.0, **options):
    """The events of a vigil, which comes to the same end when it is played again."""
    agents = {"worker": worker, "watcher": watcher}
    spec = episode(vigil.SPEC.id, scheduler=scheduler, limits=limits, **options)
    model = Model(pace)
    events = played(spec, agents=agents, use=services(model=lambda name: model))
    ended = verified(spec, events, agents=agents)
    assert trace.unmeasured(ended) == trace.unmeasured(events[-1])
    return events


def of(events, kind, role=None):
    """The events of a kind, or those of a role among them."""
    return [e for e in events if isinstance(e, kind) and role in (None, getattr(e, "role", None))]


def test_only_what_the_world_does_by_itself_is_recorded_as_the_passing_of_time():
    events = vigil_with(Sleeper(60), Sleeper(5, "answer"))
    passed = of(events, trace.Advanced)
    assert [e.time_us for e in passed] == [400 * SECOND_US, 800 * SECOND_US, OVER_US]
    assert [len(e.mail) for e in passed] == [1, 1, 0]
    seen = of(events, trace.Observed, "watcher")
    assert [e.time_us for e in seen] == [400 * SECOND_US, 800 * SECOND_US], "asked as the alarm is"
    assert [len(e.mail) for e in seen] == [1, 1]
    assert events[-1].metrics["raw_score"] == 2.0


ASKED: Counter[str] = Counter()


class Counted(vigil.Vigil):
    """A vigil that counts how often it is asked for anything."""

    spec = msgspec.structs.replace(
        vigil.SPEC, id="toys/counted-vigil-v0", entry=f"{__name__}:Counted"
    )

    def pending(self):
        ASKED["pending"] += 1
        return super().pending()

    def advance_to(self, time_us):
        ASKED["advance_to"] += 1
        return super().advance_to(time_us)

    def next_event_us(self):
        ASKED["next_event_us"] += 1
        return super().next_event_us()


def test_nobody_looks_whether_the_world_has_changed():
    ASKED.clear()
    registry.register_env(Counted.spec)
    agents = {"worker": Sleeper(300), "watcher": Sleeper(5, "answer")}
    spec = episode(Counted.spec.id, scheduler=VIRTUAL, every_s=3_600)
    events = played(spec, agents=agents)
    assert len(of(events, trace.Acted)) == 3
    assert [e.time_us for e in of(events, trace.Advanced)] == [OVER_US]
    assert not of(events, trace.Observed, "watcher"), "it was never asked"
    assert ASKED["advance_to"] < 20
    assert sum(ASKED.values()) < 100


def test_a_tickless_world_with_slow_agents_writes_next_to_nothing():
    spec = episode("toys/beacon-v0", scheduler=VIRTUAL, limit_s=1_000)
    agents = {"operator": Sleeper(170, "hello"), "guide": Sleeper(90, "hello")}
    events = played(spec, agents=agents)
    assert [e.time_us for e in of(events, trace.Advanced)] == [OVER_US]
    assert len(events) < 100
    assert (events[-1].status, events[-1].cause) == ("done", "timer")


@pytest.mark.parametrize("scheduler", [VIRTUAL, SchedulerSpec("virtual", latency_s=2_000.0)])
def test_a_world_ends_at_its_moment_however_long_its_players_think(scheduler):
    events = vigil_with(Caller(5_000), Caller(7_000), scheduler, every_s=7)
    last = of(events, trace.Advanced)[-1]
    assert last.time_us == OVER_US
    assert events[-1].cause == "shift"
    assert not of(events, trace.Acted)
    at_the_end = [e.time_us for e in of(events, trace.Advanced)[:-1]]
    assert at_the_end == [n * 7 * SECOND_US for n in range(1, math.ceil(1_000 / 7))]


@pytest.mark.parametrize(("buys_time", "guide_acts_s"), [("", [2, 4, 6]), ("guide", [0, 2, 4])])
def test_acts_of_the_role_that_buys_time_let_it_pass_under_stepped(buys_time, guide_acts_s):
    """The guide acts after the operator: at once, or after what the operator's act has bought."""
    id = f"toys/{buys_time or 'first'}-buys-v0"
    spec = msgspec.structs.replace(beacon.SPEC, id=id, buys_time=buys_time)

    def make(level, **options):
        env = beacon.Beacon(level, **options)
        env.spec = spec
        return env

    registry.register_env(spec, make)
    agents = {seat: Sleeper(1, "hello") for seat in beacon.ROLES}
    events = played(episode(id, scheduler=STEPPED, limits=Limits(turns=4)), agents=agents)
    operator, guide = (
        [e.time_us / SECOND_US for e in of(events, trace.Acted, seat)] for seat in beacon.ROLES
    )
    assert (operator, guide) == ([0, 2, 4, 6], guide_acts_s)


def test_time_passes_under_stepped_while_the_role_that_buys_it_is_not_asked():
    events = vigil_with(Sleeper(1), Sleeper(1, "answer"), STEPPED, every_s=9, shift_s=20)
    assert [e.time_us for e in of(events, trace.Acted, "worker")] == [
        n * 2 * SECOND_US for n in range(10)
    ]
    answers = of(events, trace.Acted, "watcher")
    assert [e.time_us for e in answers] == [10 * SECOND_US, 18 * SECOND_US]
    assert events[-1].cause == "shift"
    assert events[-1].time_us == 20 * SECOND_US


def test_a_player_rests_for_its_pause_and_not_for_a_tick():
    events = vigil_with(Sleeper(3), Sleeper(1, "answer"), limits=Limits(turns=4))
    looks = [e.time_us for e in of(events, trace.Observed, "worker")]
    assert vigil.SPEC.pause_us == 250_000 != vigil.SPEC.tick_us
    assert looks == [n * 3_250_000 for n in range(4)]


def test_an_act_says_which_moment_it_answers_to_the_world_too():
    events = vigil_with(Sleeper(3), Sleeper(1, "answer"), limits=Limits(turns=3))
    acts = of(events, trace.Acted, "worker")
    assert [e.time_us - e.answers_us for e in acts] == [3 * SECOND_US] * 3


def test_what_comes_within_the_grace_is_late_and_what_comes_after_is_cut():
    """The shift is over at 1,000 s: the watcher's word comes 1 s later, the worker's 60 s."""
    events = vigil_with(Caller(1_060), Caller(601, "answer"), every_s=400)
    (late,) = of(events, trace.Late)
    assert (late.role, late.time_us, late.action) == ("watcher", 1_001 * SECOND_US, "answer")
    assert late.answers_us == 400 * SECOND_US
    assert not of(events, trace.Acted)
    assert events[-1].metrics["raw_score"] == 0.0
    assert events[-1].time_us == OVER_US, "the end is the world's, whatever came after it"
    assert not of(events, trace.Overdue)


@pytest.mark.parametrize("beyond_us", [-1, 0, 1])
def test_the_grace_has_an_end(beyond_us):
    lands_s = (OVER_US + schedulers.GRACE_US + beyond_us) / SECOND_US
    events = vigil_with(Caller(lands_s), Caller(1), every_s=3_600)
    assert len(of(events, trace.Late)) == (beyond_us <= 0)


def test_late_replies_cost_what_they_cost():
    events = vigil_with(Caller(1_060), Caller(601, "answer"), every_s=400)
    assert events[-1].calls == 2
    assert len(of(events, trace.Attempted)) == 2
    assert events[-1].cost_usd == 2 * COST_USD
    assert events[-1].usage == Usage(20, 0, 14)


def test_a_late_reply_that_is_cut_off_on_the_wall_costs_what_it_may(monkeypatch):
    monkeypatch.setattr(schedulers, "GRACE_US", 300_000)
    events = vigil_with(
        Caller(1.1), Caller(30, "answer"), SchedulerSpec("realtime"), pace=1.0, every_s=1, shift_s=1
    )
    (late,) = of(events, trace.Late)
    assert late.role == "worker"
    assert SECOND_US < late.time_us < 2 * SECOND_US
    assert not of(events, trace.Acted)
    ended = events[-1]
    assert (ended.status, ended.cause, ended.metrics["raw_score"]) == ("done", "shift", 0.0)
    assert ended.time_us < 3 * SECOND_US


@pytest.mark.parametrize("scheduler", [VIRTUAL, STEPPED], ids=str)
def test_a_vigil_cut_anywhere_comes_to_the_same_end(scheduler):
    agents = {"worker": Caller(90), "watcher": Caller(595, "answer")}
    spec = episode(vigil.SPEC.id, scheduler=scheduler, every_s=200, limits=Limits(turns=40))
    use = services(model=lambda name: Model())
    whole = played(spec, agents=agents, use=use)
    for cut in range(1, len(whole), 3):
        assert same(played(spec, agents=agents, use=use, recording=whole[:cut])) == same(whole)


def test_what_a_world_does_unannounced_is_recorded_all_the_same(monkeypatch):
    """A simulator elsewhere may not say what comes: its rewards still reach the trace."""
    monkeypatch.setattr(beacon.Beacon, "next_event_us", lambda self: None)
    spec = episode(beacon.SPEC.id, scheduler=SchedulerSpec("stepped", 20.0), limit_s=30)
    passed = of(played(spec), trace.Advanced)
    assert passed[-1].rewards == {"operator": -1.0, "guide": -1.0}
