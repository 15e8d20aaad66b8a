"""Agents: act on observations; a Context is their only way to models, tools, time and chance."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, get_args

import msgspec

from polyathlon.core.actions import Malformed
from polyathlon.core.addresses import bare
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError
from polyathlon.core.models import Reply, Request, ToolSchema, Usage
from polyathlon.core.parts import Part
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Brief, Observation, Role, Step

R = TypeVar("R")
P = TypeVar("P")

Access: TypeAlias = Literal["plain", "informed", "privileged"]
"""What an agent is given: percepts as delivered; their facts too; or the world's state and all that
lies behind percepts. Traces keep it, and leaderboards admit plain agents only."""
ACCESSES: tuple[Access, ...] = get_args(Access)


class PlayerLeft(Exception):
    """Raised by an agent whose player left: the episode stops and can be resumed."""


class Decision(msgspec.Struct, frozen=True):
    """What an agent decided.

    `raw` is the reply it came from, `thought` the reasoning it gave, `repairs` what had to be
    mended to read it, `warnings` what a reader of the trace should know.
    """

    action: Any | Malformed
    raw: str = ""
    thought: str = ""
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ToolResult(msgspec.Struct, frozen=True):
    """What a tool answered; `error` is a short slug when it failed.

    `usage` and `cost_usd` are what it used by itself, apart from calls made through its context;
    a cost of None is unknown.
    """

    parts: tuple[Part, ...] = ()
    error: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = 0.0


class Context(Protocol):
    """An agent's only way to models, tools, time and chance, for one role of one episode.

    What an agent holds has these attributes and leads to nothing else of the episode.

    `complete`, `call`, `compute` and `sleep` are operations: one at a time is in flight, or several
    inside `together`.
    """

    role: Role
    spec: EnvSpec
    brief: Brief
    rng: Stream
    tools: tuple[ToolSchema, ...]

    async def complete(self, request: Request, model: str, purpose: str = "decide") -> Reply:
        """Ask a model. Rate limits, retries, recording and replay happen underneath.

        Raises core.models.CallFailed when every attempt failed.
        """
        ...

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolResult:
        """Run a tool of this env's list through the tool host."""
        ...

    async def together(self, *strands: Callable[[], Awaitable[R]]) -> list[R]:
        """Run functions at once, each a strand of operations of its own; their results in order.

        All come to their end; then the error of the first in order that failed is raised.
        """
        ...

    async def compute(self, function: Callable[..., R], *arguments: Any) -> R:
        """Run a picklable pure function that is heavy on the CPU, off the event loop."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let episode time pass."""
        ...

    def now(self) -> float:
        """Episode time in seconds: on the wall's clock, when the role's latest operation landed."""
        ...

    def state(self) -> JSON:
        """The env's state. Raises PermissionError unless the agent is privileged."""
        ...


class Agent(Protocol):
    """One seat's player for one episode. `access` is what it asks to be given.

    `replayable` says that `act` depends on its arguments and context alone, so that an episode
    can be resumed by replay; agents that say False restart their episode instead.
    """

    access: Access
    replayable: bool

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """Decide. `last` is what the previous act of this role brought, None on the first turn."""
        ...


def access_of(player: object) -> Access:
    """What an agent, a policy or a function asks for by its attribute `access`; else plain.

    Agents of before there was `access` say by a boolean `privileged` whether they read the state.
    Raises UserError for an access that does not exist.
    """
    asked = getattr(player, "access", None)
    if asked is None:
        return "privileged" if getattr(player, "privileged", False) else "plain"
    for access in ACCESSES:
        if asked == access:
            return access
    name = getattr(player, "__name__", type(player).__name__)
    raise UserError(f"access of {name} is {asked!r}: make it one of {', '.join(ACCESSES)}")


def with_access(access: Access) -> Callable[[P], P]:
    """Decorates a policy or a function that plays with what it asks to be given."""

    def mark(player: P) -> P:
        marked: Any = player
        marked.access = access
        return player

    return mark


class AgentSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """An agent as data: its kind, the model it asks and its harness, all part of the episode id.

    `weights` tells policies of one name apart: a digest of the weights, or a training step.
    """

    kind: str
    model: str = ""
    harness: Mapping[str, JSON] = {}
    weights: str = ""

    @property
    def label(self) -> str:
        """What tables call it."""
        name = bare(self.model) or self.kind
        return f"{name}#{self.weights}" if self.weights else name
