"""Baselines, people, user functions, and how an agent is chosen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.agents.fakes import FakeContext, act_once, always, game, play

from polyathlon import registry
from polyathlon.agents.baselines import OracleAgent, PolicyAgent, random_agent
from polyathlon.agents.build import build
from polyathlon.agents.human import HumanAgent
from polyathlon.agents.llm import LlmAgent
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import AgentSpec, PlayerLeft
from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError
from polyathlon.core.world import Mail, Step


def context() -> FakeContext:
    return FakeContext(game(), always(""))


def test_names_lead_to_agents() -> None:
    spec = game().spec
    assert isinstance(build(AgentSpec("random"), spec, "player"), PolicyAgent)
    assert isinstance(build(AgentSpec("human"), spec, "player"), HumanAgent)
    assert isinstance(build(AgentSpec("llm", "scripted/x"), spec, "player"), LlmAgent)


@pytest.mark.parametrize(
    ("kind", "role", "hint"),
    [
        ("randon", "player", "random"),
        ("random", "plaeyr", "player"),
        ("no_such_module_here:act", "player", "cannot be imported"),
    ],
)
def test_wrong_agents_say_what_to_write(kind: str, role: str, hint: str) -> None:
    with pytest.raises(UserError, match=hint):
        build(AgentSpec(kind), game().spec, role)


def test_random_games_are_equal_under_one_seed() -> None:
    games = []
    for _ in range(2):
        env = game()
        agent = build(AgentSpec("random"), env.spec, "player")
        decisions = play(agent, env, FakeContext(env, always("")), 40)
        games.append([decision.action for decision in decisions])
    assert games[0] == games[1]
    assert len(set(games[0])) == 4


def test_random_play_without_a_policy_samples_the_action_space(monkeypatch) -> None:
    env = game()
    monkeypatch.setattr(registry, "policy", lambda id, name: None)
    agent = random_agent(AgentSpec("random"), env.spec, "player")
    decisions = play(agent, env, FakeContext(env, always("")), 30)
    assert {decision.action for decision in decisions} == {"up", "down", "left", "right"}


def steer(state: dict[str, int], role: str, rng: Stream) -> str:
    return ("up", "down", "left", "right")[(state["turns"] + rng.below(2)) % 4]


def test_oracles_are_privileged_and_draw_from_a_stream_of_their_own() -> None:
    agent = OracleAgent(steer)
    assert agent.access == "privileged"
    games = []
    for _ in range(2):
        env = game()
        ctx = FakeContext(env, always(""))
        games.append([decision.action for decision in play(agent, env, ctx, 20)])
        assert ctx.computed == len(games[-1])
        assert ctx.rng.drawn == len(games[-1])
    assert games[0] == games[1]


def test_an_env_without_an_oracle_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "policy", lambda id, name: None)
    with pytest.raises(UserError, match="no oracle"):
        build(AgentSpec("oracle"), game().spec, "player")


def person(*lines: str) -> tuple[HumanAgent, list[str]]:
    typed: Iterator[str] = iter(lines)
    shown: list[str] = []
    return HumanAgent(lambda: next(typed, ""), shown.append), shown


def test_a_person_is_asked_until_an_action_is_typed() -> None:
    agent, shown = person("jump\n", "\n", "?\n", "LEFT\n")
    env = game()
    decision = act_once(agent, env.observe("player"), context())
    assert (decision.action, decision.raw) == ("left", "LEFT")
    text = "\n".join(shown)
    assert text.count("Not an action") == 2
    assert text.count("A move slides every tile") == 2
    assert "row 0:" in text
    assert "one of: up, down, left, right" in text
    assert not agent.replayable


def test_rules_are_shown_once_and_the_last_step_afterwards() -> None:
    agent, shown = person("up\n", "up\n")
    obs = game().observe("player")
    act_once(agent, obs, context())
    shown.clear()
    act_once(agent, obs, context(), Step.ineffective({"player": 4.0}))
    assert "A move slides" not in "".join(shown)
    assert "Last action: ineffective, reward 4" in "".join(shown)


@pytest.mark.parametrize("line", ["", "quit\n", "Q\n"])
def test_leaving_is_an_exception_of_its_own(line: str) -> None:
    agent, _ = person(line)
    with pytest.raises(PlayerLeft, match="player left"):
        act_once(agent, game().observe("player"), context())


def test_a_partner_cannot_steer_the_terminal() -> None:
    agent, shown = person("up\n")
    obs = replace(game().observe("player"), mail=(Mail("expert", ("player",), "\x1b[2Jhello"),))
    act_once(agent, obs, context())
    assert "\x1b" not in "".join(shown)
    assert "hello" in "".join(shown)


MODULE = """
from polyathlon.core.agents import Decision

def simple(obs):
    return "Left"

async def full(obs, last, ctx):
    return obs.actions.sample(ctx.rng)

def decided(obs, last, ctx):
    return Decision("up", thought="because")

def wrong(obs, last):
    return "left"

def unsure(obs):
    return "perhaps"

simple.replayable = True
value = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_players.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_players", raising=False)
    return "my_players"


def test_user_functions_of_the_working_directory(module: str) -> None:
    spec, obs = game().spec, game().observe("player")
    for name, replayable in (("simple", True), ("full", False), ("decided", False)):
        agent = build(AgentSpec(f"{module}:{name}"), spec, "player")
        decision = act_once(agent, obs, context())
        assert decision.action in ("up", "down", "left", "right")
        assert agent.replayable is replayable
        assert agent.access == "plain"
    assert decision.thought == "because"


def test_text_of_a_user_function_is_parsed(module: str) -> None:
    spec, obs = game().spec, game().observe("player")
    unsure = act_once(build(AgentSpec(f"{module}:unsure"), spec, "player"), obs, context())
    assert isinstance(unsure.action, Malformed)
    assert unsure.raw == "perhaps"


@pytest.mark.parametrize(
    ("name", "hint"), [("wrong", "must take"), ("simpel", "simple"), ("value", "unknown function")]
)
def test_wrong_user_functions_say_what_to_write(module: str, name: str, hint: str) -> None:
    with pytest.raises(UserError, match=hint):
        build(AgentSpec(f"{module}:{name}"), game().spec, "player")
