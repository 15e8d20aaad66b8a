"""Players without a model: the env's random policy and its oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polyathlon import registry
from polyathlon.core.agents import AgentSpec, Context, Decision
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation, Role, Step


def random_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> RandomAgent:
    """The env's `random` policy, or uniform draws from its action space where it has none."""
    return RandomAgent(registry.policy(env.id, "random"))


def oracle_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> OracleAgent:
    """The env's `oracle` policy. Raises UserError when it has none."""
    policy = registry.policy(env.id, "oracle")
    if policy is None:
        raise UserError(f"{env.id} has no oracle: choose --agent random, human or llm")
    return OracleAgent(policy)


class RandomAgent:
    """Senses what a player senses and ignores it as the policy likes."""

    privileged = False
    replayable = True

    def __init__(self, policy: Callable[..., Any] | None) -> None:
        self._policy = policy

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """A random action."""
        if self._policy is None:
            return Decision(obs.actions.sample(ctx.rng))
        return Decision(self._policy(obs, ctx.rng))


class OracleAgent:
    """Reads the env's state; refused on leaderboards.

    The policy is a pure function `policy(state, role, rng)` and may run in another process, so
    each turn gets a stream of its own, keyed by one word of the context's.
    """

    privileged = True
    replayable = True

    def __init__(self, policy: Callable[..., Any]) -> None:
        self._policy = policy

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """The policy's action."""
        rng = stream(ctx.rng.word(), "oracle", ctx.role)
        return Decision(await ctx.compute(self._policy, ctx.state(), ctx.role, rng))
