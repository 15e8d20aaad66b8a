"""Whole games with the bomb: what each player is sent, in which order, and how much later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.agents.fakes import FakeContext
from tests.runtime.support import episode, played

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec, Context, Decision
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.core.models import Reply
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation, Step
from polyathlon.envs.gptnt.bomb.play.actions import Command, Interact, Message, Wait
from polyathlon.envs.gptnt.bomb.play.seeing import Marked, Plain

PAIR, SOLO = "gptnt/defusal-v0", "gptnt/solo-v0"
FLIP = '<action>{"result": {"kind": "interact_game", "data": {"action": "flip"}}}</action>'
LATENCY_S = 9.3
TICK_S = 0.5

Choose = Callable[[Observation], Command]


class Slow:
    """Thinks for a while, then does what it chose when it looked; keeps what it saw."""

    access = "privileged"
    replayable = True

    def __init__(self, choose: Choose, seconds: float = LATENCY_S) -> None:
        self.seen: list[Observation] = []
        self.told: list[Step | None] = []
        self._choose = choose
        self._seconds = seconds

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        self.seen.append(obs)
        self.told.append(last)
        await ctx.sleep(self._seconds)
        return Decision(self._choose(obs))


def pair(defuser: Slow, expert: Slow, level: str, turns: int) -> None:
    """A game in virtual time."""
    spec = episode(PAIR, scheduler=SchedulerSpec("virtual"), limits=Limits(turns=turns))
    events = played(
        type(spec)(
            spec.env, level, spec.options, 0, spec.lineup, 0, (), spec.scheduler, spec.limits
        ),
        agents={"defuser": defuser, "expert": expert},
    )
    assert isinstance(events[-1], trace.Ended)
    assert events[-1].status in ("done", "truncated"), events[-1].cause


def shown(obs: Observation, channel: str) -> list[Percept]:
    return [percept for percept in obs.percepts if percept.channel == channel]


def pictured_us(percept: Percept) -> int:
    """The time of the scene that a picture of the bomb shows."""
    scene = percept.scene
    assert isinstance(scene, Plain | Marked)
    return int(scene.scene.bomb.time_us)  # type: ignore[union-attr]


def opening(obs: Observation) -> Command:
    """Move close to the first module, then wait."""
    first = obs.actions.hands.marks[:1]  # type: ignore[attr-defined]
    return Wait() if obs.turn or not first else Interact("click_release", first[0])


def waiting(obs: Observation) -> Command:
    return Wait()


def test_the_previous_picture_is_the_one_that_was_looked_at() -> None:
    defuser = Slow(opening)
    pair(defuser, Slow(waiting, 5.0), "simon-says", 8)
    assert [obs.time_us for obs in defuser.seen[:4]] == [
        round(turn * (LATENCY_S + TICK_S) * 1e6) for turn in range(4)
    ]
    for before, now in zip(defuser.seen, defuser.seen[1:], strict=False):
        (previous,) = shown(now, "previous")
        assert isinstance(previous.scene, Plain)
        assert pictured_us(previous) == before.time_us == pictured_us(shown(before, "view")[0])


def test_the_burst_of_a_slow_player_holds_the_last_seconds() -> None:
    defuser = Slow(opening)
    pair(defuser, Slow(waiting, 5.0), "simon-says", 8)
    assert [len(shown(obs, "burst")) for obs in defuser.seen[:3]] == [0, 15, 15]
    times = [pictured_us(percept) for percept in shown(defuser.seen[1], "burst")]
    assert times == [9_750_000 - 250_000 * back for back in range(14, -1, -1)]
    module = [p.scene.scene.bomb.grip.zoomed for p in shown(defuser.seen[1], "burst")]
    assert module == [None] * 13 + ["m1"] * 2


def test_sounds_reach_back_to_the_last_look_as_far_as_they_are_remembered() -> None:
    defuser = Slow(opening)
    pair(defuser, Slow(waiting, 5.0), "wires", 4)
    (sounds,) = shown(defuser.seen[1], "view")[0].aids
    assert sounds.render().duration_s == pytest.approx(4.0, abs=0.01)  # type: ignore[union-attr]
    quick = Slow(opening, 1.0)
    pair(quick, Slow(waiting, 5.0), "wires", 4)
    (sounds,) = shown(quick.seen[1], "view")[0].aids
    assert sounds.render().duration_s == pytest.approx(1.5, abs=0.01)  # type: ignore[union-attr]


def test_all_messages_since_the_last_look_arrive_in_order() -> None:
    defuser = Slow(opening)
    expert = Slow(lambda obs: Message(f"message {obs.turn}"), 0.7)
    pair(defuser, expert, "multi", 40)
    heard = [[mail.text for mail in obs.mail] for obs in defuser.seen]
    assert heard[0] == []
    assert len(heard[1]) > 5
    flat = [text for texts in heard for text in texts]
    assert flat == [f"message {number}" for number in range(len(flat))]


MANUAL = {"manual_text", "manual_pages"}
BOMB = {"previous", "burst", "view"}


@pytest.mark.parametrize("scheduler", ["stepped", "virtual"])
def test_the_expert_gets_manual_and_messages_and_nothing_else(scheduler: str) -> None:
    """Whatever is done to the bomb, and however badly the Expert answers."""
    replies: Sequence[str] = ("", FLIP, "<action>{", "<thoughts>x</thoughts>" + FLIP)
    model = AgentSpec("llm", f"scripted/constant:{replies[1]}@0.3", {})
    lineup = {"defuser": AgentSpec("stochastic"), "expert": model}
    spec = episode(PAIR, lineup, scheduler=SchedulerSpec(scheduler, 3.0), limits=Limits(turns=12))
    events = played(spec)
    sensed = [
        {each.channel for each in event.percepts}
        for event in events
        if isinstance(event, trace.Observed) and event.role == "expert"
    ]
    assert sensed[0] == MANUAL
    assert not set().union(*sensed[1:])
    known = {"manual_text:", "manual_pages:", "feedback:"}
    calls = [event for event in events if isinstance(event, trace.Said)]
    told = [part.text for event in calls if event.speaker == "user" for part in event.parts]
    for text in told:
        assert not {f"{channel}:" for channel in BOMB} & set(text.splitlines())
        assert '"modules"' not in text
        assert "m1" not in text.split()
    assert any(line in known for text in told for line in text.splitlines())


def test_the_defuser_gets_pictures_and_no_word_of_the_bomb() -> None:
    env = registry.make(PAIR, "multi")
    env.reset(0)
    for turn in range(4):
        obs = env.observe("defuser")
        assert {percept.channel for percept in obs.percepts} <= BOMB
        assert all(percept.meaning is None and not percept.facts for percept in obs.percepts)
        env.act("defuser", opening(obs) if turn < 2 else Interact("flip"))
        env.advance_to((turn + 1) * 3_000_000)


def conversation(id: str, role: str, *replies: Reply | str) -> tuple[list[Decision], FakeContext]:
    """A few turns of a model with these replies, one a turn."""
    env: Any = registry.make(id, "wires")
    env.reset(0)
    ctx = FakeContext(env, lambda purpose, ordinal: replies[ordinal], role=role)
    agent = build(AgentSpec("llm", "scripted/echo"), env.spec, role)

    async def turns() -> list[Decision]:
        decisions: list[Decision] = []
        last: Step | None = None
        for _ in replies:
            decisions.append(await agent.act(env.observe(role), last, ctx))
            last = env.act(role, decisions[-1].action)
        return decisions

    return asyncio.run(turns()), ctx


def test_a_model_is_told_of_the_form_of_its_last_reply_and_of_nothing_more() -> None:
    replies = [
        FLIP,
        f"<thoughts>Turn it.</thoughts>{FLIP}",
        Reply(f"<thoughts>Turn it.</thoughts>{FLIP[:-12]}", finish="length"),
        Reply("<thoughts>Turn it, for", finish="length"),
        f"<thoughts>Again.</thoughts>```{FLIP}```",
        "",
    ]
    decisions, ctx = conversation(SOLO, "player", *replies)
    users = [sent.user for sent in ctx.sent]
    assert "although it had no thoughts before the action." in users[1]
    assert "execution-feedback" not in users[2]
    assert "although it was cut off at the token limit." in users[3]
    assert "skipped: it was cut off at the token limit, before an action" in users[4]
    assert "execution-feedback" not in users[5]
    assert [d.thought for d in decisions[:3]] == ["", "Turn it.", "Turn it."]
    assert decisions[0].warnings == ("it had no thoughts before the action",)
    assert decisions[1].warnings == decisions[1].repairs == ()
    assert decisions[2].warnings == ("cut at max_tokens", "it was cut off at the token limit")
    assert decisions[4].repairs == ("tags",)
    cut = "<thoughts>Turn it, for"
    assert cut in "\n".join(message.text for message in ctx.sent[4].messages)


def test_under_a_grammar_a_model_writes_the_form_of_the_game() -> None:
    harness = {"grammar": True, "max_tokens": 200}
    lineup = dict.fromkeys(("defuser", "expert"), AgentSpec("llm", "scripted/random", harness))
    spec = episode(PAIR, lineup, scheduler=SchedulerSpec("stepped", 3.0), limits=Limits(turns=8))
    acts = [event for event in played(spec) if isinstance(event, trace.Acted)]
    assert len(acts) == 15
    for act in acts:
        assert act.raw.startswith("<thoughts>")
        assert (act.malformed, act.warnings) == ("", ())
        assert act.thought
