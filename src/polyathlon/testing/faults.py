"""A model server for tests: real HTTP on loopback, deterministic replies, faults on order.

It speaks `POST /v1/chat/completions`, `POST /v1/responses`, `GET /v1/models` and `GET /stats`. In
one event loop:

    async with FaultServer(plan=parse_plan("every:3=429,5=hang")) as server:
        model = vllm(f"any@{server.url}")

As its own process, printing its URL: `python -m polyathlon.testing.faults --faults every:7=500`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, Protocol, TypeAlias, get_args

from polyathlon.core.errors import UserError

Fault: TypeAlias = Literal[
    "429", "401", "400", "500", "hang", "cut", "truncated", "bad_json", "empty", "refusal", "html",
    "trickle", "flood",
]  # fmt: skip
Answer: TypeAlias = Callable[[bytes], str]

FAULTS: tuple[Fault, ...] = get_args(Fault)
WORDS = ("up", "down", "left", "right")
TRICKLE_S = 0.02
FLOOD_BYTES = 32 << 20
BACKLOG = 4_096
PICTURE_TOKENS = 700
_RULE = re.compile(r"(?:(every|new):)?(\d+)(?:-(\d+))?=(\w+)")
_MEDIA = re.compile(rb'"data:[^"]*"')


class Plan(Protocol):
    """What happens to a request: its number, and the hash of a body that never came before."""

    def __call__(self, number: int, new: int | None = None) -> Fault | None: ...


def parse_plan(text: str) -> Plan:
    """What happens to each request, counted from 1, in words: `3=hang,5-7=500,every:10=429`.

    `new:10=500` is for a tenth of all bodies, by their hash, when they come for the first time. The
    first rule that fits decides. Raises UserError for a rule that cannot be read.
    """
    rules: list[tuple[_Fits, Fault]] = []
    for rule in filter(None, text.split(",")):
        match = _RULE.fullmatch(rule.strip())
        if match is None or match[4] not in FAULTS or (match[1] and int(match[2]) < 1):
            raise UserError(
                f"cannot read fault {rule!r}: write N=FAULT, N-M=FAULT, every:N=FAULT or "
                f"new:N=FAULT with one of {', '.join(FAULTS)}"
            )
        first, last = int(match[2]), int(match[3] or match[2])
        fits = _PERIODS[match[1]](first) if match[1] else _between(first, last)
        rules.append((fits, match[4]))

    def plan(number: int, new: int | None = None) -> Fault | None:
        return next((fault for fits, fault in rules if fits(number, new)), None)

    return plan


def word_answer(words: tuple[str, ...] = WORDS) -> Answer:
    """One of `words`, chosen by the hash of the request body."""
    return lambda body: words[int.from_bytes(hashlib.sha256(body).digest()[:4]) % len(words)]


class FaultServer:
    """The server. `requests` counts completions asked for, `disconnects` clients that left.

    `input_tokens` and `output_tokens` are what it would ask money for, whoever heard the answer.
    `owner` is who it says owns its models, by which servers are told apart.
    """

    def __init__(
        self,
        answer: Answer | None = None,
        plan: Plan | None = None,
        latency_s: float = 0.0,
        retry_after: str = "0.05",
        keep_bodies: bool = False,
        port: int = 0,
        owner: str = "",
    ) -> None:
        self._answer = answer or word_answer()
        self._plan = plan
        self._latency_s = latency_s
        self._retry_after = retry_after
        self._keep_bodies = keep_bodies
        self._port = port
        self._owner = owner
        self.requests = 0
        self.answered = 0
        self.disconnects = 0
        self.input_tokens = self.output_tokens = 0
        self._came: set[bytes] = set()
        self.bodies: list[bytes] = []

    async def __aenter__(self) -> FaultServer:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self._port, backlog=BACKLOG
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        self._connections: set[asyncio.Task[None]] = set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False ends the connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1]) if length else 0)
        path = head.split(" ", 2)[1]
        if path == "/stats":
            counts = {
                "requests": self.requests,
                "answered": self.answered,
                "input_tokens": self.input_tokens,
                "output_tokens": self.output_tokens,
            }
            await _send(writer, 200, json.dumps(counts).encode())
        elif path.endswith("/models"):
            model = {"id": "any", "object": "model", "owned_by": self._owner}
            listed = {"object": "list", "data": [model]}
            await _send(writer, 200, json.dumps(listed).encode())
        elif path.endswith(("/chat/completions", "/responses")):
            return await self._complete(path, body, reader, writer)
        else:
            await _send(writer, 404, b'{"error":{"message":"no such path"}}')
        return True

    async def _complete(
        self, path: str, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        self.requests += 1
        if self._keep_bodies:
            self.bodies.append(body)
        fault = self._plan(self.requests, self._new(body)) if self._plan else None
        await asyncio.sleep(self._latency_s)
        text = self._answer(body)
        form = response if path.endswith("/responses") else completion
        good = json.dumps(form(text, body)).encode()
        match fault:
            case None:
                self.answered += 1
                self.input_tokens += _input_tokens(body)
                self.output_tokens += _output_tokens(text)
                await _send(writer, 200, good)
            case "429":
                await _send(writer, 429, _error("slow down"), retry_after=self._retry_after)
            case "400" | "401" | "500":
                await _send(writer, int(fault), _error(f"made to answer {fault}"))
            case "hang":
                await self._wait_for_disconnect(reader)
                return False
            case "cut":
                writer.write(_head(200, len(good)) + good[: len(good) // 2])
                await writer.drain()
                return False
            case "truncated":
                await _send(writer, 200, good[: len(good) // 2])
            case "bad_json":
                await _send(writer, 200, b'{"choices": "none"}')
            case "empty":
                await _send(writer, 200, json.dumps(completion("", body)).encode())
            case "refusal":
                await _send(writer, 200, json.dumps(completion(text, body, refuse=True)).encode())
            case "html":
                await _send(writer, 200, b"<html>Bad gateway</html>", kind="text/html")
            case "trickle":
                writer.write(_head(200, len(good)))
                for start in range(0, len(good), 64):
                    writer.write(good[start : start + 64])
                    await writer.drain()
                    await asyncio.sleep(TRICKLE_S)
            case "flood":
                await _send(writer, 200, b" " * FLOOD_BYTES)
        return True

    def _new(self, body: bytes) -> int | None:
        """The hash of a body that never came before."""
        hash = hashlib.sha256(body).digest()
        if hash in self._came:
            return None
        self._came.add(hash)
        return int.from_bytes(hash[4:8])

    async def _wait_for_disconnect(self, reader: asyncio.StreamReader) -> None:
        while await reader.read(1 << 16):
            pass
        self.disconnects += 1


def completion(text: str, body: bytes, refuse: bool = False) -> dict[str, Any]:
    """A chat completion that says `text`; a token is four characters, a picture PICTURE_TOKENS."""
    message = {"role": "assistant", "content": None if refuse else text}
    if refuse:
        message["refusal"] = "I cannot help with that."
    asked, made = _input_tokens(body), _output_tokens(text)
    return {
        "id": f"fault-{hashlib.sha256(body).hexdigest()[:12]}",
        "object": "chat.completion",
        "model": "any",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": made,
            "total_tokens": asked + made,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    }


def response(text: str, body: bytes) -> dict[str, Any]:
    """An answer of the Responses API that says `text`; tokens are those of a completion."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    asked, made = _input_tokens(body), _output_tokens(text)
    return {
        "id": f"fault-{hashlib.sha256(body).hexdigest()[:12]}",
        "object": "response",
        "model": "any",
        "status": "completed",
        "output": [{**said, "content": content}],
        "usage": {"input_tokens": asked, "output_tokens": made, "total_tokens": asked + made},
    }


def _input_tokens(body: bytes) -> int:
    media = _MEDIA.findall(body)
    return (len(body) - sum(map(len, media))) // 4 + PICTURE_TOKENS * len(media)


def _output_tokens(text: str) -> int:
    return 1 + len(text) // 4


_Fits: TypeAlias = Callable[[int, int | None], bool]


def _every(period: int) -> _Fits:
    return lambda number, new: number % period == 0


def _one_new_in(period: int) -> _Fits:
    return lambda number, new: new is not None and new % period == 0


def _between(first: int, last: int) -> _Fits:
    return lambda number, new: first <= number <= last


_PERIODS = {"every": _every, "new": _one_new_in}


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "made_up"}}).encode()


def _head(status: int, length: int, kind: str = "application/json", retry_after: str = "") -> bytes:
    lines = [f"HTTP/1.1 {status} -", f"content-type: {kind}", f"content-length: {length}"]
    if retry_after:
        lines.append(f"retry-after: {retry_after}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    kind: str = "application/json",
    retry_after: str = "",
) -> None:
    writer.write(_head(status, len(body), kind, retry_after) + body)
    await writer.drain()


@contextmanager
def served(words: tuple[str, ...] = WORDS, latency_s: float = 0.0) -> Iterator[str]:
    """The address of a server in a process of its own, which ends with the context."""
    command = [sys.executable, "-m", "polyathlon.testing.faults", "--words", ",".join(words)]
    command += ["--latency-ms", str(latency_s * 1000)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.kill()


async def _run(arguments: argparse.Namespace) -> None:
    server = FaultServer(
        answer=word_answer(tuple(arguments.words.split(","))),
        plan=parse_plan(arguments.faults) if arguments.faults else None,
        latency_s=arguments.latency_ms / 1000,
        retry_after=arguments.retry_after,
        port=arguments.port,
    )
    async with server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    """Serve until killed; the first line on stdout is the URL."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="0 chooses a free one")
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--faults", default="", help="for example every:7=429,3=hang,5-6=500")
    parser.add_argument("--words", default=",".join(WORDS), help="what replies are chosen from")
    parser.add_argument("--retry-after", default="0.05", help="seconds or an HTTP date")
    asyncio.run(_run(parser.parse_args()))


if __name__ == "__main__":
    main()
