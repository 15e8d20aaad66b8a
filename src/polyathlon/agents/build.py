"""From an AgentSpec to an agent."""

from __future__ import annotations

from polyathlon import registry
from polyathlon.agents.callables import callable_agent
from polyathlon.core.agents import Agent, AgentSpec
from polyathlon.core.errors import unknown
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Role


def build(spec: AgentSpec, env: EnvSpec, role: Role) -> Agent:
    """A fresh agent for one seat of one episode.

    `spec.kind` is a registered name or a user's `module:function`. Raises UserError for an
    unknown kind or role and for settings the kind does not take.
    """
    if role not in env.roles:
        raise unknown(f"role of {env.id}", role, env.roles)
    own = ":" in spec.kind
    factory = callable_agent if own else registry.factory("agents", spec.kind)
    agent: Agent = factory(spec, env, role)
    return agent
