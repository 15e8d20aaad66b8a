"""From an AgentSpec to an agent."""

from __future__ import annotations

from collections.abc import Callable

from polyathlon import registry
from polyathlon.agents.baselines import policy_agent
from polyathlon.agents.callables import callable_agent
from polyathlon.core.agents import Agent, AgentSpec
from polyathlon.core.errors import unknown
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Role


def build(spec: AgentSpec, env: EnvSpec, role: Role) -> Agent:
    """A fresh agent for one seat of one episode.

    `spec.kind` is a registered name, a policy of the env, or a user's `module:function`. Raises
    UserError for an unknown kind or role and for settings the kind does not take.
    """
    if role not in env.roles:
        raise unknown(f"role of {env.id}", role, env.roles)
    agent: Agent = _factory(spec.kind, env)(spec, env, role)
    return agent


def check_kind(kind: str, env: EnvSpec) -> None:
    """Raises UserError, with the nearest names, for a kind of agent that cannot play an env."""
    if ":" not in kind and kind not in (known := kinds(env)):
        raise unknown(f"agent of {env.id}", kind, known)


def kinds(env: EnvSpec) -> tuple[str, ...]:
    """The kinds of agents that play an env: the registered ones and the env's own policies."""
    return tuple(dict.fromkeys((*registry.names("agents"), *env.policies)))


def _factory(kind: str, env: EnvSpec) -> Callable[..., Agent]:
    if ":" in kind:
        return callable_agent
    check_kind(kind, env)
    return registry.factory("agents", kind) if kind in registry.names("agents") else policy_agent
