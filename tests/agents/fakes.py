"""A Context with scripted replies, and games played through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.core.actions import FreeText
from polyathlon.core.agents import Agent, AgentSpec, Decision, ToolResult
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.models import Reply, Request, ToolSchema
from polyathlon.core.parts import Text
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Brief, Env, Observation, Step

TWENTY48 = "lmgame/twenty48-v0"
LEFT = "thought: push the tiles together\nmove: left"
SIDE = {"reflect": "The last move merged nothing; try down.", "summarise": "SUMMARY OF TURNS"}

Replies = Callable[[str, int], Reply | str]


def always(text: str) -> Replies:
    """The same decision every time; side questions get a fixed answer."""
    return lambda purpose, ordinal: SIDE.get(purpose, text)


class Sent:
    """A request as it was sent."""

    def __init__(self, request: Request, model: str, purpose: str) -> None:
        self.request, self.model, self.purpose = request, model, purpose
        self.messages = request.thread.messages()
        self.parts = [part for message in self.messages for part in message.parts]
        self.text = "\n".join(message.text for message in self.messages)
        self.system = self.messages[0].text
        self.user = self.messages[-1].text

    @property
    def media(self) -> list[Any]:
        return [part for part in self.parts if not isinstance(part, Text)]


class FakeContext:
    """Answers from a script and keeps everything that was asked."""

    def __init__(
        self,
        env: Env,
        replies: Replies,
        tools: Sequence[ToolSchema] = (),
        results: Sequence[ToolResult] = (),
        role: str = "player",
        brief: Brief | None = None,
    ) -> None:
        self.role = role
        self.spec: EnvSpec = env.spec
        self.brief = brief or env.brief(role)
        self.rng = stream(1, "test", role)
        self.tools = tuple(tools)
        self.sent: list[Sent] = []
        self.called: list[tuple[str, Mapping[str, JSON]]] = []
        self.computed = 0
        self._env = env
        self._replies = replies
        self._results = iter(results)

    async def complete(self, request: Request, model: str, purpose: str = "decide") -> Reply:
        ordinal = len([sent for sent in self.sent if sent.purpose == purpose])
        self.sent.append(Sent(request, model, purpose))
        reply = self._replies(purpose, ordinal)
        return Reply(reply) if isinstance(reply, str) else reply

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolResult:
        self.called.append((tool, arguments))
        return next(self._results)

    async def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.computed += 1
        return function(*arguments)

    async def sleep(self, seconds: float) -> None:
        return None

    def now(self) -> float:
        return 0.0

    def state(self) -> JSON:
        return self._env.state()

    def purposes(self) -> list[str]:
        return [sent.purpose for sent in self.sent]

    def decisions(self) -> list[Sent]:
        return [sent for sent in self.sent if sent.purpose == "decide"]


def game(id: str = TWENTY48, seed: int = 0) -> Env:
    env = registry.make(id)
    env.reset(seed)
    return env


def play(agent: Agent, env: Env, ctx: FakeContext, turns: int) -> list[Decision]:
    """Let an agent play; stops when the game ends."""
    decisions: list[Decision] = []
    last: Step | None = None

    async def loop() -> None:
        nonlocal last
        for _ in range(turns):
            if env.outcome() is not None:
                return
            obs = env.observe(ctx.role)
            decision = await agent.act(obs, last, ctx)
            decisions.append(decision)
            last = env.act(ctx.role, decision.action)

    asyncio.run(loop())
    return decisions


def harnessed(
    settings: Mapping[str, JSON] | str,
    turns: int = 1,
    replies: Replies | str = LEFT,
    env: Env | None = None,
    **context: Any,
) -> tuple[FakeContext, list[Decision]]:
    """A game by the llm agent under a harness."""
    env = env or game()
    answer = always(replies) if isinstance(replies, str) else replies
    mapping = {"preset": settings} if isinstance(settings, str) else settings
    ctx = FakeContext(env, answer, **context)
    agent = build(AgentSpec("llm", "scripted/x", mapping), env.spec, "player")
    return ctx, play(agent, env, ctx, turns)


def act_once(
    agent: Agent, obs: Observation, ctx: FakeContext, last: Step | None = None
) -> Decision:
    return asyncio.run(agent.act(obs, last, ctx))


def free_text(obs: Observation) -> Observation:
    """The observation with any text as its action."""
    from msgspec.structs import replace

    return replace(obs, actions=FreeText())
