"""Tools: typed functions an agent may call while it thinks."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from polyathlon.core.agents import ToolResult
from polyathlon.core.models import Reply, Request, ToolSchema
from polyathlon.core.parts import Part


class ToolContext(Protocol):
    """What a tool may use: media that was delivered to its role, models, and nothing else."""

    def media(self, id: str) -> Part:
        """A delivered part by its id. Raises KeyError for anything that was not delivered."""
        ...

    async def complete(self, request: Request, model: str, purpose: str) -> Reply:
        """Ask a model; recorded, limited and paid for as the role's own calls."""
        ...


class Tool(Protocol):
    """One tool. The host checks arguments, bounds calls and time, and records every result.

    `arguments` is a `msgspec.Struct` whose fields are the tool's parameters; its docstring and
    `Meta` annotations become the JSON schema that models see.
    """

    name: str
    doc: str
    arguments: type[msgspec.Struct]
    timeout_s: float

    async def run(self, arguments: Any, ctx: ToolContext) -> ToolResult:
        """Answer one call; `arguments` is an instance of `self.arguments`."""
        ...


def tool_schema(tool: Tool) -> ToolSchema:
    """The tool as a model sees it."""
    _, components = msgspec.json.schema_components([tool.arguments])
    parameters = components[tool.arguments.__name__]
    return ToolSchema(tool.name, tool.doc, {**parameters, "additionalProperties": False})
