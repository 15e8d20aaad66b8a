"""A provider on loopback: real HTTP, the same answer to every request, all requests kept."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from tests.models.official import check_anthropic, check_google

from polyathlon.agents.models.hosted import HostedModel
from polyathlon.core.models import Message, Reply, Request, thread

KEY = "sk-secret-1"
CLAUDE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-4-5",
    "content": [
        {"type": "thinking", "thinking": "west", "signature": "signed"},
        {"type": "text", "text": "left"},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 5},
}
GEMINI: dict[str, Any] = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "left"}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {
        "promptTokenCount": 15,
        "candidatesTokenCount": 3,
        "cachedContentTokenCount": 5,
        "totalTokenCount": 18,
    },
    "responseId": "msg_1",
    "modelVersion": "gemini-3.8-flash",
}
ANSWERS = {"anthropic": CLAUDE, "google": GEMINI}


class Host:
    """Answers every POST alike. `bodies` may be cleared; `sent` keeps every head with its body."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.status = 200
        self.headers: Mapping[str, str] = {}
        self.bodies: list[bytes] = []
        self.sent: list[tuple[str, bytes]] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                size = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
                assert size is not None
                self.bodies.append(await reader.readexactly(int(size[1])))
                self.sent.append((head, self.bodies[-1]))
                writer.write(self._answered())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    def header(self, name: str) -> str | None:
        """A header of the last request."""
        found = re.search(rf"^{name}: *(.*?)\r$", self.sent[-1][0], re.MULTILINE | re.IGNORECASE)
        return found[1] if found else None

    def last(self) -> Any:
        """The last request's body."""
        return json.loads(self.bodies[-1])

    def _answered(self) -> bytes:
        given = self.answer
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        lines = [f"HTTP/1.1 {self.status} -", "content-type: application/json"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += [f"content-length: {len(data)}", "", ""]
        return "\r\n".join(lines).encode() + data


@asynccontextmanager
async def hosted(
    kind: str, make: Callable[[], HostedModel], monkeypatch: Any
) -> AsyncIterator[tuple[HostedModel, Host]]:
    """A model that `make` makes, redirected to a host on loopback.

    In the end all that was sent is checked against the types of the official client.
    """
    host = Host(ANSWERS[kind])
    server = await asyncio.start_server(host.serve, "127.0.0.1", 0)
    host.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for name in ("ANTHROPIC", "GOOGLE_GEMINI"):
        monkeypatch.setenv(f"{name}_BASE_URL", host.url)
    for name in ("ANTHROPIC", "GOOGLE"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
    model = make()
    yield model, host
    await model.close()
    server.close()
    for head, body in host.sent:
        check_anthropic(head, body) if kind == "anthropic" else check_google(body)


def said(reply: Reply) -> Message:
    """A reply as the message that hands it back."""
    return Message(
        "assistant", (), reply.tool_calls, reasoning=reply.reasoning, opaque=reply.opaque
    )


def restored(request: Request) -> Request:
    """A request as it is after a restart: its messages come from a file."""
    stored = msgspec.json.encode(request.thread.messages())
    messages = msgspec.json.decode(stored, type=list[Message])
    return msgspec.structs.replace(request, thread=thread(*messages))
