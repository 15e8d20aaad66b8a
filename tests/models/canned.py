"""A server on loopback that gives prepared answers, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from typing import Any

CHAT = {"choices": [{"message": {"content": "left"}, "finish_reason": "stop"}]}


class Canned:
    """Answers by the end of the path: each a list that is used up to its last, which stays.

    An answer is a JSON value, or (status, headers, JSON value).
    """

    def __init__(self, **answers: Any) -> None:
        self.answers = {
            name: list(answer) if isinstance(answer, list) else [answer]
            for name, answer in answers.items()
        }
        self.paths: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.heads: list[str] = []

    async def __aenter__(self) -> Canned:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower():
                length = int(head.partition("content-length: ")[2].split("\r\n")[0] or 0)
                body = await reader.readexactly(length)
                path = head.split(" ")[1]
                self.paths.append(path)
                self.heads.append(head)
                if body:
                    self.raw.append(body)
                    self.bodies.append(json.loads(body))
                writer.write(self._answer(path.rsplit("/", 1)[-1]))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, name: str) -> bytes:
        waiting = self.answers.get(name, [(404, {}, {"error": {"message": "no such path"}})])
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        status, headers, value = answer if isinstance(answer, tuple) else (200, {}, answer)
        data = json.dumps(value).encode()
        named = {"content-type": "application/json", "content-length": str(len(data)), **headers}
        lines = [f"HTTP/1.1 {status} -", *(f"{k}: {v}" for k, v in named.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + data
