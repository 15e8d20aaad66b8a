"""Players without a model: an env's random policy, its other policies, and its oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import anyio

from polyathlon import registry
from polyathlon.agents.aside import Aside
from polyathlon.core.agents import Access, AgentSpec, Context, Decision, access_of
from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation, Role, Step


def random_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> PolicyAgent:
    """The env's `random` policy, or uniform draws from its action space where it has none."""
    return PolicyAgent(registry.policy(env.id, "random") or _sample)


def policy_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> PolicyAgent:
    """The policy of the env that the kind names. Raises UserError when it has none such.

    A policy that is a class remembers: each seat of each episode gets an instance of its own.
    """
    policy = registry.policy(env.id, spec.kind)
    if policy is None:
        raise unknown(f"agent or policy of {env.id}", spec.kind, env.policies)
    return PolicyAgent(policy() if isinstance(policy, type) else policy)


def oracle_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> OracleAgent:
    """The env's `oracle` policy. Raises UserError when it has none."""
    policy = registry.policy(env.id, "oracle")
    if policy is None:
        raise UserError(f"{env.id} has no oracle: choose --agent random, human or llm")
    return OracleAgent(policy)


class PolicyAgent:
    """Plays `policy(observation, rng)`, which gives an action or a Malformed.

    It senses what a player senses, and what lies behind as far as the policy says by its `access`.
    Under a deadline it runs in a thread that can be left, else where it is asked.
    """

    replayable = True

    def __init__(self, policy: Callable[[Observation, Stream], Any]) -> None:
        self.access: Access = access_of(policy)
        self._policy = policy
        self._aside = Aside()

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """The policy's action."""
        if anyio.current_effective_deadline() < math.inf:
            return Decision(await self._aside(self._policy, obs, ctx.rng))
        return Decision(self._policy(obs, ctx.rng))


class OracleAgent:
    """Reads the env's state; shown apart on leaderboards.

    The policy is a pure function `policy(state, role, rng)` and may run in another process, so
    each turn gets a stream of its own, keyed by one word of the context's.
    """

    access: Access = "privileged"
    replayable = True

    def __init__(self, policy: Callable[..., Any]) -> None:
        self._policy = policy

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """The policy's action."""
        rng = stream(ctx.rng.word(), "oracle", ctx.role)
        return Decision(await ctx.compute(self._policy, ctx.state(), ctx.role, rng))


def _sample(observation: Observation, rng: Stream) -> Any:
    return observation.actions.sample(rng)
