"""The tool host: checks arguments, bounds time and calls, and contains every failure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import anyio
import msgspec

from polyathlon.core.agents import ToolResult
from polyathlon.core.canonical import JSON
from polyathlon.core.models import Reply, Request, ToolSchema
from polyathlon.core.parts import Part
from polyathlon.core.tools import Tool, tool_schema

MAX_CALLS_PER_TURN = 32
MAX_ERROR_CHARS = 500


class _Delivered(msgspec.Struct):
    parts: Mapping[str, Part]
    ask: Callable[..., Awaitable[Reply]]

    def media(self, id: str) -> Part:
        return self.parts[id]

    async def complete(self, request: Request, model: str, purpose: str) -> Reply:
        return await self.ask(request, model, purpose)


class ToolHost:
    """Runs the tools of one role; `complete` is how they ask models."""

    def __init__(
        self, tools: Mapping[str, Tool], complete: Callable[..., Awaitable[Reply]]
    ) -> None:
        self._tools = tools
        self._complete = complete
        self.schemas: tuple[ToolSchema, ...] = tuple(map(tool_schema, tools.values()))

    async def run(
        self,
        name: str,
        arguments: Mapping[str, JSON],
        ordinal: int,
        delivered: Mapping[str, Part],
    ) -> ToolResult:
        """The result of a turn's `ordinal`-th call.

        A wrong name, wrong arguments, one call too many, a time-out or a fault is its `error`.
        """
        tool = self._tools.get(name)
        if tool is None:
            return ToolResult(error=f"unknown_tool: use one of {', '.join(self._tools) or 'none'}")
        if ordinal >= MAX_CALLS_PER_TURN:
            return ToolResult(error=f"too_many_calls: at most {MAX_CALLS_PER_TURN} a turn")
        try:
            checked = msgspec.convert(arguments, tool.arguments)
        except msgspec.ValidationError as error:
            return ToolResult(error=f"bad_arguments: {error}")
        try:
            with anyio.fail_after(tool.timeout_s):
                return await tool.run(checked, _Delivered(delivered, self._complete))
        except TimeoutError:
            return ToolResult(error=f"timeout: no answer within {tool.timeout_s:g} s")
        except Exception as error:
            return ToolResult(error=f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARS])
