"""The exact requests an agent would send first, without asking any model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.core import facade
from polyathlon.core.agents import AgentSpec, ToolResult, access_of
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.models import Message, Reply, Request
from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.core.tools import tool_schema
from polyathlon.core.world import Env, Role

R = TypeVar("R")

MODELLESS = ("random", "oracle", "human")
PLACEHOLDER = "<what the model would say>"


class Preview(msgspec.Struct, frozen=True):
    """A request with the model it goes to and its purpose."""

    purpose: str
    model: str
    request: Request


class _Decided(Exception):
    pass


class _Recording:
    """A Context that keeps requests and stops at the decision."""

    def __init__(self, env: Env, role: Role) -> None:
        self.role = role
        self.spec = env.spec
        self.brief = env.brief(role)
        self.rng = stream(0, "preview", role)
        self.tools = tuple(
            tool_schema(registry.factory("tools", name)()) for name in env.spec.tools
        )
        self.sent: list[Preview] = []

    async def complete(self, request: Request, model: str, purpose: str = "decide") -> Reply:
        self.sent.append(Preview(purpose, model, request))
        if purpose == "decide":
            raise _Decided
        return Reply(PLACEHOLDER)

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolResult:
        return ToolResult((Text(PLACEHOLDER),))

    async def together(self, *strands: Callable[[], Awaitable[R]]) -> list[R]:
        return [await strand() for strand in strands]

    async def compute(self, function: Callable[..., R], *arguments: Any) -> R:
        return function(*arguments)

    async def sleep(self, seconds: float) -> None:
        return None

    def now(self) -> float:
        return 0.0

    def state(self) -> JSON:
        raise PermissionError("a preview shows no state")


def first_requests(spec: AgentSpec, env: Env, role: Role) -> tuple[Preview, ...]:
    """The requests of `role`'s first turn in `env`, which has been reset, in order.

    The last one is the decision; captions before it are answered by a placeholder. No model is
    asked and nothing acts. Raises UserError for a wrong agent.
    """
    if spec.kind in MODELLESS:
        raise UserError(f"agent {spec.kind} asks no model: preview an llm agent")
    agent = build(spec, env.spec, role)
    ctx = _Recording(env, role)

    async def act() -> None:
        try:
            seen = facade.observation(env.observe(role), access_of(agent))
            await agent.act(seen, None, ctx)
        except _Decided:
            return

    asyncio.run(act())
    return tuple(ctx.sent)


def readable(previews: Iterable[Preview]) -> str:
    """Requests for people: every message with its text; media by size and hash."""
    return "\n\n".join(_request(preview) for preview in previews)


def _request(preview: Preview) -> str:
    request = preview.request
    lines = [f"=== {preview.purpose} -> {preview.model}"]
    sampling = msgspec.to_builtins(request.sampling)
    lines += [f"sampling: {sampling}"] * bool(sampling)
    lines += [f"tool: {tool.name}: {tool.doc}" for tool in request.tools]
    lines += [f"grammar:\n{request.grammar.rstrip()}"] * bool(request.grammar)
    return "\n".join([*lines, *map(_message, request.thread.messages())])


def _message(message: Message) -> str:
    return "\n".join([f"--- {message.speaker}", *map(_part, message.parts)])


def _part(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Image():
            shape = f"image {part.width_px}x{part.height_px}"
        case Audio():
            shape = f"audio {part.duration_s:.1f} s"
        case Video():
            shape = f"video {part.width_px}x{part.height_px} {part.duration_s:.1f} s"
    return f"[{shape} blake3 {part.digest[:16]}…]"
