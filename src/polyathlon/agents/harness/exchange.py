"""The decision call with its tool rounds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import msgspec

from polyathlon.core.agents import Context, ToolResult
from polyathlon.core.canonical import JSON
from polyathlon.core.models import Message, Reply, Request, ToolCall, say
from polyathlon.core.parts import Part, Text

MAX_CALLS_PER_ROUND = 16


class Exchange(msgspec.Struct, frozen=True):
    """The last reply and all messages since the question, the reply's own among them."""

    reply: Reply
    messages: tuple[Message, ...]


async def converse(ctx: Context, request: Request, model: str, rounds: int) -> Exchange:
    """Ask for a decision; run the tools the model calls, at most `rounds` times.

    A reply that still calls tools after the last round ends the exchange; its calls are refused.
    """
    messages: list[Message] = []
    while True:
        reply = await ctx.complete(request, model)
        fresh = _said(reply)
        if reply.tool_calls:
            fresh += await _results(ctx, reply.tool_calls, rounds)
        messages += fresh
        if not reply.tool_calls or rounds == 0:
            return Exchange(reply, tuple(messages))
        thread = request.thread
        for message in fresh:
            thread = thread.append(message)
        request = msgspec.structs.replace(request, thread=thread)
        rounds -= 1


def _said(reply: Reply) -> list[Message]:
    """The reply as a message; none for an empty one, which providers refuse to read again."""
    if not reply.text and not reply.tool_calls:
        return []
    parts = (Text(reply.text),) if reply.text else ()
    said = Message("assistant", parts, reply.tool_calls, "", reply.reasoning, reply.opaque)
    return [said]


async def _results(ctx: Context, calls: tuple[ToolCall, ...], rounds: int) -> list[Message]:
    """A tool message for every call, then one user message with the media they brought."""
    results: list[Message] = []
    media: list[Part | str] = []
    for position, call in enumerate(calls):
        refused = rounds == 0 or position >= MAX_CALLS_PER_ROUND
        result = ToolResult(error="no_calls_left: answer now") if refused else await _run(ctx, call)
        signals = [part for part in result.parts if not isinstance(part, Text)]
        results.append(Message("tool", (Text(_worded(result, signals)),), tool_call_id=call.id))
        if signals:
            media += [f"From {call.name}:", *signals]
    return [*results, say("user", *media)] if media else results


async def _run(ctx: Context, call: ToolCall) -> ToolResult:
    arguments = _arguments(call.arguments)
    if arguments is None:
        return ToolResult(error="bad_arguments: they must be one JSON object")
    return await ctx.call(call.name, arguments)


def _arguments(text: str) -> Mapping[str, JSON] | None:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _worded(result: ToolResult, signals: Sequence[Part]) -> str:
    words = [part.text for part in result.parts if isinstance(part, Text)]
    if result.error:
        words.append(f"error: {result.error}")
    if signals:
        words.append("What it brought follows in the next message.")
    return "\n".join(words) or "done"
