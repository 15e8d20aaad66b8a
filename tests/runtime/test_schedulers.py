"""Every toy on every scheduler: it ends, replays without a live call, and resumes from any cut."""

from __future__ import annotations

import itertools

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.support import episode, played, same, services
from tests.toys import TOYS

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.agents.models.scripted import register_script
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec, Decision
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.interventions.build import build as build_intervention
from polyathlon.runtime.recorder import ReplayMismatch
from polyathlon.runtime.replay import branch, verify

TOY_IDS = [*(spec.id for spec in TOYS), "lmgame/twenty48-v0"]
TIMELESS = [SchedulerSpec("turns"), SchedulerSpec("stepped", 3.0)]
EXACT = [*TIMELESS, SchedulerSpec("virtual"), SchedulerSpec("virtual", latency_s=0.7)]
LIMITS = Limits(turns=12)


def _llm(env: str) -> dict[str, AgentSpec]:
    harness = {
        "history": 3,
        "reflection": "every:2",
        "reflection_model": "scripted/constant:keep going",
        "grammar": True,
        "tool_rounds": 0,
    }
    spec = registry.env_spec(env)
    return dict.fromkeys(spec.roles, AgentSpec("llm", "scripted/random", harness))


def _verified(spec, events):
    env = registry.make(spec.env, spec.level, spec.options)
    agents = {role: build(agent, env.spec, role) for role, agent in spec.lineup.items()}
    changes = [build_intervention(text, env.spec) for text in spec.interventions]
    return anyio.run(verify, events, env, agents, changes, services(model=None))


@pytest.mark.parametrize("scheduler", EXACT, ids=str)
@pytest.mark.parametrize("toy", TOY_IDS)
@pytest.mark.parametrize("lineup", ["random", "llm"])
def test_an_episode_ends_and_replays(toy, scheduler, lineup):
    agent = lineup if lineup == "random" else _llm(toy)
    spec = episode(toy, agent, scheduler=scheduler, limits=LIMITS)
    events = played(spec)
    ended = events[-1]
    assert isinstance(ended, trace.Ended)
    assert ended.status in ("done", "truncated"), ended.cause
    assert same(events) == same(played(spec))
    assert trace.unmeasured(_verified(spec, events)) == trace.unmeasured(ended)


@pytest.mark.parametrize("toy", TOY_IDS)
def test_wall_clock_games_end(toy):
    spec = episode(toy, scheduler=SchedulerSpec("realtime"), limits=Limits(turns=2))
    ended = played(spec)[-1]
    assert isinstance(ended, trace.Ended)
    assert ended.status in ("done", "truncated"), ended.cause


@pytest.mark.parametrize("toy", TOY_IDS)
@settings(max_examples=12, deadline=None)
@given(cut=st.integers(0, 400), kind=st.sampled_from(EXACT))
def test_a_trace_cut_anywhere_resumes_to_the_same_end(toy, cut, kind):
    spec = episode(toy, _llm(toy), scheduler=kind, limits=LIMITS)
    whole = played(spec)
    assert same(played(spec, recording=whole[: cut % len(whole)])) == same(whole)


def test_virtual_time_lets_the_fast_seat_act_while_the_slow_one_thinks():
    slow = AgentSpec("llm", "scripted/constant:move: a@9.3")
    quick = AgentSpec("llm", "scripted/constant:move: b@1")
    lineup = {"operator": slow, "guide": quick}
    spec = episode("toys/beacon-v0", lineup, scheduler=SchedulerSpec("virtual"))
    acts = [event for event in played(spec) if isinstance(event, trace.Acted)]
    first_slow = next(event for event in acts if event.role == "operator")
    before = [e for e in acts if e.role == "guide" and e.time_us < first_slow.time_us]
    assert first_slow.time_us == 9_300_000
    assert [e.time_us for e in before] == [s * 1_000_000 for s in (1, 3, 5, 7, 9)], "a pause of 1 s"


def test_a_decision_past_its_deadline_counts_as_malformed():
    lineup = dict.fromkeys(("operator", "guide"), AgentSpec("llm", "scripted/constant:move: a@5"))
    limits = Limits(turns=2, turn_s=2.0)
    spec = episode("toys/beacon-v0", lineup, scheduler=SchedulerSpec("virtual"), limits=limits)
    acts = [event for event in played(spec) if isinstance(event, trace.Acted)]
    assert {event.malformed for event in acts} == {"deadline"}
    assert [event.time_us for event in acts if event.role == "operator"] == [2_000_000, 5_000_000]


def test_mail_reaches_the_partner_once():
    spec = episode("toys/beacon-v0", "oracle", scheduler=SchedulerSpec("stepped", 1.0))
    events = played(spec)
    sent = [mail.text for e in events if isinstance(e, trace.Acted) for mail in e.mail]
    seen = [mail.text for e in events if isinstance(e, trace.Observed) for mail in e.mail]
    assert seen
    assert seen == sent[: len(seen)]


@pytest.mark.parametrize("change", ["ablate:light", "substitute:image", "noise:gaussian=0.2@image"])
def test_interventions_keep_the_truth_in_the_trace(change):
    spec = episode("toys/beacon-v0", _llm("toys/beacon-v0"), interventions=(change,), limits=LIMITS)
    events = played(spec)
    assert isinstance(events[-1], trace.Ended)
    operator = [e for e in events if isinstance(e, trace.Observed) and e.role == "operator"]
    assert all(any(p.channel == "light" for p in e.truth) for e in operator)
    _verified(spec, events)


def test_a_changed_reply_is_a_mismatch():
    spec = episode("toys/beacon-v0", limits=LIMITS)
    events = played(spec)
    number = next(i for i, e in enumerate(events) if isinstance(e, trace.Acted) and e.turn == 1)
    changed = trace.unmeasured(events[number]) | {"action": "press red and run"}
    events[number] = trace.decode(trace.encode(changed))
    with pytest.raises(ReplayMismatch, match="action was"):
        played(spec, recording=events)


def test_a_branch_keeps_the_past_and_lives_another_future():
    env = "lmgame/twenty48-v0"
    said = itertools.cycle(["up", "left", "down"])
    register_script("restless", lambda request: f"move: {next(said)}")
    spec = episode(env, {"player": AgentSpec("llm", "scripted/restless")}, limits=Limits(turns=10))
    events = played(spec)
    next(said)
    begun = branch(events, "player", 4, "another draw")
    other_spec = begun[0].episode
    assert other_spec.id == begun[0].id != spec.id
    again = played(other_spec, recording=begun)
    acts, other = ([e for e in t if isinstance(e, trace.Acted)] for t in (events, again))
    assert same(other[:4]) == same(acts[:4])
    assert len(other) == 10
    assert [act.action for act in other[4:]] != [act.action for act in acts[4:]]


def test_a_branch_keeps_the_seeds_of_its_past_and_draws_others():
    env = "lmgame/twenty48-v0"
    lineup = {"player": AgentSpec("llm", "scripted/constant:move: up", {"seed": 7})}
    games = [played(episode(env, lineup, limits=Limits(turns=8)))]
    for turn in (2, 4):
        begun = branch(games[-1], "player", turn, "another draw")
        games.append(played(begun[0].episode, recording=begun))
    parent, child, grandchild = (
        [event.sampling.seed for event in game if isinstance(event, trace.Called)] for game in games
    )
    assert child[:2] == parent[:2]
    assert grandchild[:4] == child[:4]
    assert len({*parent, *child, *grandchild}) == 8 + 6 + 4
    _verified(games[-1][0].episode, games[-1])


def test_limits_truncate():
    for limits, cause in [(Limits(turns=3), "limit:turns"), (Limits(calls=2), "limit:calls"),
                          (Limits(tokens=1), "limit:tokens")]:  # fmt: skip
        env = "lmgame/twenty48-v0"
        ended = played(episode(env, _llm(env), limits=limits))[-1]
        assert (ended.status, ended.cause) == ("truncated", cause)


def test_faults_of_agents_fail_the_episode_with_their_cause():
    class Broken:
        access = "plain"
        replayable = True

        async def act(self, obs, last, ctx):
            return ctx.state()

    spec = episode("lmgame/twenty48-v0")
    ended = played(spec, agents={"player": Broken()})[-1]
    assert ended.status == "failed"
    assert "PermissionError" in ended.cause
    assert ended.metrics["invalid_rate"] == 1.0


class Nothing(msgspec.Struct):
    """No arguments."""


class _Calculating:
    """Answers the quiz with what the calculator says, and tries what a tool host must refuse."""

    access = "plain"
    replayable = True

    async def act(self, obs, last, ctx):
        await ctx.call("calculator", {"expression": 3})
        await ctx.call("shell", {"command": "ls"})
        result = await ctx.call("calculator", {"expression": "6 * 7"})
        return Decision(result.parts[0].text, thought=result.error)


def test_tool_results_are_recorded_and_served_back():
    spec = episode("toys/quiz-v0")
    events = played(spec, agents={role: _Calculating() for role in spec.lineup})
    used = [event for event in events if isinstance(event, trace.Used)]
    assert used[0].error.startswith("bad_arguments")
    assert used[1].error.startswith("unknown_tool")
    assert used[2].parts[0].text == "42"

    class Gone:
        name, doc, arguments, timeout_s = "calculator", "", Nothing, 1.0

        async def run(self, arguments, ctx):
            raise AssertionError("a recorded tool result was asked for again")

    agents = {role: _Calculating() for role in spec.lineup}
    use = services(tool=lambda name: Gone())
    assert same(played(spec, recording=events, agents=agents, use=use)) == same(events)
