"""What agents ask to be given, how traces say it, and what users' functions get."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.runtime.support import episode, played, verified

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.core import facade, trace
from polyathlon.core.agents import (
    ACCESSES,
    Access,
    AgentSpec,
    Context,
    Decision,
    access_of,
    with_access,
)
from polyathlon.core.chance import stream
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.errors import UserError
from polyathlon.core.world import Observation, Step
from polyathlon.testing import drive

MODULE = """
seen = []

def facts(obs):
    seen.append({p.channel: dict(p.facts) for p in obs.percepts})
    return "1 0"

def state(obs, last, ctx):
    seen.append(ctx._session.env.state())
    return "1 0"

def course(obs, last, ctx):
    seen.append(ctx._course.env.state())
    return "1 0"

def asked(obs, last, ctx):
    seen.append(ctx.state())
    return "1 0"

def told(obs):
    return facts(obs)

told.access = "informed"

def knowing(obs, last, ctx):
    seen.append(ctx.state())
    return "1 0"

knowing.access = "privileged"
"""
WALK = "omniplay/pathfinding-v0"
LIE = ("conflict:guidance",)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A user's module, whose functions note what they saw in its `seen`."""
    name = f"prying_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def walk(kind: str) -> EpisodeSpec:
    return episode(WALK, kind, limits=Limits(turns=2), interventions=LIE)


def seen(module: str) -> list[Any]:
    return list(__import__(module).seen)


def end(events: list[trace.Event]) -> trace.Ended:
    last = events[-1]
    assert isinstance(last, trace.Ended)
    return last


def stamped(events: list[trace.Event]) -> Mapping[str, Access]:
    header = events[0]
    assert isinstance(header, trace.Header)
    return header.access


def test_a_plain_function_is_given_no_facts(module: str) -> None:
    events = played(walk(f"{module}:facts"))
    assert end(events).status == "truncated"
    assert seen(module) == [{"view": {}, "guidance": {}, "state": {}}] * 2
    assert stamped(events) == {"player": "plain"}


@pytest.mark.parametrize("way", ["state", "course", "asked"])
def test_a_plain_function_reaches_no_state(module: str, way: str) -> None:
    ended = end(played(walk(f"{module}:{way}")))
    assert ended.status == "failed"
    assert ended.cause.startswith("PermissionError" if way == "asked" else "AttributeError")
    assert seen(module) == []


def test_an_informed_function_is_given_the_facts_of_the_lie_and_not_that_it_is_one(
    module: str,
) -> None:
    events = played(walk(f"{module}:told"))
    told = next(event for event in events if isinstance(event, trace.Observed))
    lie, truth = (
        next(sensed.facts for sensed in each if sensed.channel == "guidance")
        for each in (told.percepts, told.truth)
    )
    given = seen(module)[0]["guidance"]
    assert lie["lie"] == "opposite"
    assert given == {name: fact for name, fact in lie.items() if name != "lie"}
    assert given["suggests"] != truth["suggests"]
    assert stamped(events) == {"player": "informed"}


def test_a_privileged_function_is_given_the_state(module: str) -> None:
    events = played(walk(f"{module}:knowing"))
    assert end(events).status == "truncated"
    assert "maze" in seen(module)[0]
    assert stamped(events) == {"player": "privileged"}


def test_marked_words_are_given_to_nobody(module: str) -> None:
    spec = episode(
        WALK, f"{module}:told", limits=Limits(turns=1), interventions=("words:insert=1@guidance",)
    )
    events = played(spec)
    told = next(event for event in events if isinstance(event, trace.Observed))
    assert any("noisy" in sensed.facts for sensed in told.percepts)
    assert "words" in seen(module)[0]["guidance"]
    assert "noisy" not in seen(module)[0]["guidance"]


@pytest.mark.parametrize(
    ("env", "kinds"),
    [
        ("lmgame/twenty48-v0", {"random": "plain", "oracle": "privileged", "human": "plain"}),
        (
            WALK,
            {
                **dict.fromkeys(("random", "guidance_only", "state_only"), "plain"),
                **dict.fromkeys(
                    ("view_listener", "guidance_listener", "state_listener"), "informed"
                ),
                **dict.fromkeys(("oracle", "full", "view_only"), "privileged"),
            },
        ),
        ("omniplay/alchemist-v0", {"full": "informed", "state_only": "privileged"}),
        ("omniplay/echoes-v0", {"recall7": "informed", "invalid": "plain"}),
        ("omniplay/phantom-v0", {"full": "plain", "map_only": "plain"}),
        ("omniplay/showdown-v0", {"full": "plain", "passive": "plain"}),
        (
            "gptnt/defusal-v0",
            {"talker": "privileged", "manual": "privileged", "stochastic": "privileged"},
        ),
        ("gptnt/manual-vqa-v0", {"longest": "plain"}),
    ],
)
def test_built_in_players_say_what_they_are(env: str, kinds: Mapping[str, Access]) -> None:
    spec = registry.env_spec(env)
    role = spec.roles[0]
    assert {kind: build(AgentSpec(kind), spec, role).access for kind in kinds} == kinds


@pytest.mark.parametrize("env", registry.built_in_env_specs())
def test_no_policy_misses_what_it_does_not_ask_for(env: str) -> None:
    spec = registry.env_spec(env)
    for name in set(spec.policies) - {"oracle"}:
        policy = registry.policy(env, name)
        assert policy is not None
        access = access_of(policy)
        whole, given = (policy() if isinstance(policy, type) else policy for _ in range(2))
        world = registry.make(env)
        random = registry.policy(env, "random")
        assert random is not None
        chance = stream(0, "test")
        for turn in islice(drive.play(world, 0, partial(random, rng=chance)), 6):
            if (obs := turn.observation) is not None:
                free = whole(obs, stream(0, name))
                bound = given(facade.observation(obs, access), stream(0, name))
                assert free == bound, f"{name} with {access} access"


def test_the_llm_agent_is_plain() -> None:
    spec = registry.env_spec(WALK)
    llm = build(AgentSpec("llm", "scripted/random"), spec, "player")
    assert llm.access == "plain"


class Old:
    """An agent of before there was `access`."""

    privileged, replayable = True, True

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        assert ctx.state()
        return Decision(obs.actions.sample(ctx.rng))


def test_agents_that_only_say_whether_they_are_privileged_still_play() -> None:
    assert end(played(walk("random"), agents={"player": Old()})).status == "truncated"  # type: ignore[dict-item]
    unprivileged = Old()
    unprivileged.privileged = False
    assert [access_of(old) for old in (Old(), unprivileged)] == ["privileged", "plain"]


def test_an_access_that_does_not_exist_is_refused() -> None:
    @with_access("all")  # type: ignore[arg-type]
    def greedy(obs: Observation) -> str:
        return ""

    with pytest.raises(UserError, match="greedy is 'all': make it one of plain, informed"):
        access_of(greedy)


@pytest.mark.parametrize("access", ACCESSES)
def test_a_decorated_player_says_it(access: Access) -> None:
    @with_access(access)
    def player(obs: Observation) -> str:
        return ""

    assert access_of(player) == access


def test_a_trace_without_the_stamp_verifies_and_another_one_does_not() -> None:
    spec = walk("random")
    events = played(spec)
    header = events[0]
    assert isinstance(header, trace.Header)
    old = [msgspec.structs.replace(header, access={}), *events[1:]]
    assert b'"access"' not in trace.encode(old[0])
    assert verified(spec, old).metrics == end(events).metrics
    other = [msgspec.structs.replace(header, access={"player": "informed"}), *events[1:]]
    with pytest.raises(UserError, match="access was"):
        verified(spec, other)
