"""What agents are handed leads to no world, no truth behind a lie, no session and no other seat."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.runtime.support import episode, played
from tests.toys import TOYS

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import Access, AgentSpec, Context, Decision
from polyathlon.core.episodes import Limits
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import Channel, EnvSpec
from polyathlon.core.world import Env, Mail, Observation, Role, Step
from polyathlon.runtime.context import RoleContext
from polyathlon.runtime.course import Course
from polyathlon.runtime.modelcalls import ModelCalls
from polyathlon.runtime.recorder import ListSink, Recorder
from polyathlon.runtime.services import Services
from polyathlon.runtime.session import Session
from polyathlon.runtime.toolcalls import ToolCalls
from polyathlon.runtime.toolhost import ToolHost
from polyathlon.runtime.turn import Turn
from polyathlon.testing.cases import signals_built, with_hidden
from polyathlon.testing.reach import in_scene, reachable

TURNS = 2
WITHIN = (
    *(Session, Course, Recorder, ListSink, Services, RoleContext, Turn),
    *(ModelCalls, ToolCalls, ToolHost, AgentSpec, trace.Header, trace.Observed),
)
"""What only the runtime holds."""
MARKS = {"lie", "noisy"}
ENVS = [*registry.built_in_env_specs().values(), *TOYS]


class Watched:
    """An env that keeps what it showed: every percept, and all that was not said of it."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.hidden: dict[int, Any] = {}
        self.truths: list[str] = []
        self._observe = env.observe
        env.observe = self.observe  # type: ignore[method-assign]

    def observe(self, role: Role) -> Observation:
        seen = self._observe(role)
        for percept in seen.percepts:
            for each in with_hidden(percept):
                self._hide(each)
        return seen

    def _hide(self, percept: Percept) -> None:
        facts = list(percept.facts.values())
        data = (value for value in in_scene(percept.scene) if not any(value is f for f in facts))
        self.hidden.update({id(value): value for value in data})
        if percept.meaning is not None:
            self.truths.append(percept.meaning)


class Prying:
    """Acts at random and goes through all that it is handed."""

    replayable = True

    def __init__(self, role: Role, access: Access, world: Watched, policy: Any) -> None:
        self.access: Access = access
        self.found: list[str] = []
        self.turns = 0
        self._role, self._world, self._policy = role, world, policy

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        self.turns += 1
        told = {obs.ask, *(percept.meaning for percept in obs.percepts)}
        secrets = [t for t in self._world.truths if len(t) > 20 and not any(map(_in(t), told))]
        for path, value in reachable((obs, last, ctx), "handed"):
            problem = self._problem(value, secrets)
            if problem:
                self.found.append(f"{path}: {problem}")
        return Decision(self._policy(obs, ctx.rng))

    def _problem(self, value: Any, secrets: list[str]) -> str:
        world = self._world
        match value:
            case _ if value is world.env or value is getattr(world.env, "rules", world):
                return "the world"
            case _ if isinstance(value, WITHIN):
                return f"a {type(value).__name__}"
            case _ if value is world.hidden.get(id(value), world):
                return f"a scene: {value!r:.60}"
            case str() if value in secrets:
                return f"what was not delivered: {value!r:.60}"
            case Percept() if value.counterfactuals or value.aids:
                return "what a channel would carry"
            case Percept() if value.facts and self.access == "plain":
                return "facts"
            case Mapping() if MARKS & {key for key in value if isinstance(key, str)}:
                return "a mark of what was changed"
            case Step() if set(value.rewards) - {self._role}:
                return "rewards of other seats"
            case Mail() if self._role not in value.to:
                return "mail of other seats"
        return ""


def _in(truth: str) -> Any:
    return lambda told: told is not None and truth in told


def _changes(spec: EnvSpec) -> Iterator[tuple[str, ...]]:
    """Every kind of intervention that the env's channels take."""
    default = [channel for channel in spec.channels if channel.default]
    yield ()
    yield tuple(f"conflict:{channel.name}" for channel in default)
    yield tuple(f"ablate:{channel.name}" for channel in default[:1])
    yield tuple(f"aid:{channel.name}" for channel in spec.channels if not channel.default)
    yield tuple(f"words:insert=0.5@{c.name}" for c in default if c.modality in ("text", "audio"))
    yield tuple(f"noise:gaussian=0.1@{c.name}" for c in default if c.modality != "text")
    yield tuple(f"substitute:{c.name}" for c in default if c.modality != "text" and _told(spec, c))


def _told(spec: EnvSpec, channel: Channel) -> bool:
    """Whether a channel has words at the first moment."""
    env = registry.make(spec.id)
    env.reset(0)
    seen = [p for role in spec.roles for p in env.observe(role).percepts]
    return any(p.tell is not None for p in seen if p.channel == channel.name)


def pried(
    spec: EnvSpec, access: Access, changes: tuple[str, ...], turns: int = TURNS, **options: Any
) -> list[Prying]:
    """Players of the first turns of an episode, who went through all they were handed."""
    env = registry.make(spec.id, None, spec.configure(options))
    world = Watched(env)
    policy = registry.policy(spec.id, "random") or (lambda obs, rng: obs.actions.sample(rng))
    agents = {role: Prying(role, access, world, policy) for role in spec.roles}
    played(
        episode(spec.id, interventions=changes, limits=Limits(turns=turns), **options),
        agents=agents,
        env=env,
    )
    return list(agents.values())


@pytest.mark.parametrize("access", ["plain", "informed"])
@pytest.mark.parametrize("spec", ENVS, ids=lambda spec: spec.id)
def test_what_is_handed_leads_nowhere(spec: EnvSpec, access: Access) -> None:
    for changes in dict.fromkeys(_changes(spec)):
        players = pried(spec, access, changes)
        assert any(player.turns for player in players)
        found = [line for player in players for line in player.found]
        assert not found, f"{changes}: {found[:8]}"


@pytest.mark.parametrize("access", ["plain", "informed"])
def test_what_others_are_told_is_not_reached(access: Access) -> None:
    spec = registry.env_spec("omniplay/showdown-v0")
    for player in pried(spec, access, (), turns=3, observers=True):
        assert player.turns > 1
        assert not player.found


def test_the_walk_finds_what_is_there() -> None:
    spec = registry.env_spec("omniplay/pathfinding-v0")
    (player,) = pried(spec, "privileged", ("conflict:guidance",))
    problems = {line.split(": ", 1)[1].split(":")[0] for line in player.found}
    assert {"a scene", "what a channel would carry", "a mark of what was changed"} <= problems


class Keeping:
    """Acts at random and keeps its context."""

    access: Access = "plain"
    replayable = True

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        self.ctx = ctx
        return Decision(obs.actions.sample(ctx.rng))


def test_an_agent_that_keeps_its_context_keeps_no_episode() -> None:
    agent, spec = Keeping(), episode("lmgame/twenty48-v0", limits=Limits(turns=2))
    played(spec, agents={"player": agent})
    gc.collect()
    assert agent.ctx.role == "player"
    with pytest.raises(RuntimeError, match="is over"):
        agent.ctx.now()


@pytest.mark.parametrize("access", ["plain", "informed"])
def test_what_nobody_looks_at_is_not_drawn(access: Access) -> None:
    with signals_built() as built:
        for id in ("omniplay/pathfinding-v0", "gptnt/solo-v0"):
            agent = Keeping()
            agent.access = access
            played(
                episode(id, limits=Limits(turns=3)),
                agents=dict.fromkeys(registry.env_spec(id).roles, agent),
            )
    assert built == []
