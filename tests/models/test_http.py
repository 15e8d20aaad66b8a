"""The transport, against real servers on loopback."""

from __future__ import annotations

import asyncio
import base64
import gc
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.agents.models.http import MAX_BYTES, Http
from polyathlon.core.models import ModelError

pytestmark = pytest.mark.anyio

GOOD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Two: 2\r\ncontent-length: 2\r\n\r\n{}"
)


class Seen:
    """What a raw server saw: whole requests, connections, and those that the client closed."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.open = 0


@asynccontextmanager
async def raw(answer: Callable[[bytes], bytes | None]) -> AsyncIterator[tuple[str, Seen]]:
    """A server that sends what `answer` says of a request; None lets the client wait."""
    seen = Seen()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        seen.open += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
                seen.requests.append(head + await reader.readexactly(length))
                said = answer(seen.requests[-1])
                if said is not None:
                    writer.write(said)
                    if said != GOOD:
                        break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            seen.open -= 1
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", seen
    finally:
        server.close()


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(5):
        for _ in itertools.count():
            if holds():
                return
            await asyncio.sleep(0.01)


async def failure(said: bytes) -> ModelError:
    async with raw(lambda _: said) as (url, _):
        http = Http(url, {}, proxied=False)
        try:
            with pytest.raises(ModelError) as failed:
                await http.post("/x", b"{}")
        finally:
            await http.close()
    return failed.value


async def test_a_request_says_what_it_must_and_connections_are_kept() -> None:
    async with raw(lambda _: GOOD) as (url, seen):
        http = Http(url, {"Authorization": "Bearer k"}, proxied=False)
        first = await http.post("/chat", b'{"a":1}', {"X-More": "m"})
        await http.post("/chat", b'{"a":1}')
        await http.close()
    assert (first.status, first.data, first.headers["x-two"]) == (200, b"{}", "2")
    assert seen.connections == 1
    head, body = seen.requests[0].split(b"\r\n\r\n", 1)
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    assert head.startswith(b"POST /v1/chat HTTP/1.1\r\n")
    assert body == b'{"a":1}'
    assert lines[b"authorization"] == b"bearer k"
    assert lines[b"content-type"] == b"application/json"
    assert lines[b"accept-encoding"] == b"identity"
    assert lines[b"x-more"] == b"m"


async def test_connections_are_as_many_as_calls_in_flight() -> None:
    async with raw(lambda _: None) as (url, seen):
        http = Http(url, {}, proxied=False)
        calls = [asyncio.create_task(http.post("/x", b"{}")) for _ in range(150)]
        await until(lambda: len(seen.requests) == 150)
        assert seen.open == 150, "above the 100 that aiohttp stops at unless told"
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await until(lambda: seen.open == 0)
        await http.close()


@pytest.mark.parametrize(("said", "cause", "words", "retryable"), [
    (GOOD.replace(b"{}", b"{"), "connection", "Not enough data", True),
    (GOOD.replace(b"application/json", b"text/html"), "wrong_content_type", "text/html", True),
    (GOOD.replace(b"X-Two: 2", b"content-encoding: gzip"), "wrong_content_type", "gzip", True),
    (GOOD.replace(b"2\r\n\r\n{}", b"%d\r\n\r\n" % (MAX_BYTES + 1)) + b" " * (MAX_BYTES + 1),
     "too_large", str(MAX_BYTES), False),
    (b"HTTP/1.1 307 x\r\nlocation: http://elsewhere/v1\r\ncontent-length: 0\r\n\r\n",
     "redirect", "http://elsewhere/v1", False),
    (b"", "connection", "isconnected", True),
])  # fmt: skip
async def test_answers_that_are_none(said: bytes, cause: str, words: str, retryable: bool) -> None:
    error = await failure(said)
    assert (error.cause, error.retryable) == (cause, retryable)
    assert words in error.detail


async def test_an_answer_without_success_is_an_answer() -> None:
    said = b"HTTP/1.1 503 x\r\nRetry-After: 2\r\ncontent-length: 3\r\n\r\nno!"
    async with raw(lambda _: said) as (url, _):
        http = Http(url, {}, proxied=False)
        answer = await http.post("/x", b"{}")
        await http.close()
    assert (answer.status, answer.headers["retry-after"], answer.data) == (503, "2", b"no!")


async def test_silence_is_a_timeout_and_nobody_there_says_why() -> None:
    async with raw(lambda _: None) as (url, _):
        http = Http(url, {}, timeout_s=0.05, proxied=False)
        with pytest.raises(ModelError) as failed:
            await http.post("/x", b"{}")
        await http.close()
    assert (failed.value.cause, failed.value.retryable) == ("timeout", True)
    http = Http(url, {}, proxied=False)
    with pytest.raises(ModelError, match="connection: ConnectionRefusedError"):
        await http.post("/x", b"{}")
    await http.close()


async def test_a_login_in_the_address_is_a_header() -> None:
    async with raw(lambda _: GOOD) as (url, seen):
        http = Http(url.replace("//", "//me:p%40ss@"), {}, proxied=False)
        await http.get("/models")
        await http.close()
    assert seen.requests[0].startswith(b"GET /v1/models HTTP/1.1\r\n")
    assert b"Authorization: Basic " + base64.b64encode(b"me:p@ss") in seen.requests[0]
    assert b"p%40ss" not in seen.requests[0]


async def test_proxies_of_the_environment_where_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with raw(lambda _: GOOD) as (url, seen):
        proxy = url.removesuffix("/v1").replace("//", "//me:pw@")
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy)
        http = Http("http://far.invalid/v1", {}, proxied=True)
        await http.post("/x", b"{}")
        await http.close()
        near = Http(url, {}, proxied=False)
        await near.post("/x", b"{}")
        await near.close()
        monkeypatch.setenv("NO_PROXY", "far.invalid")
        monkeypatch.setenv("no_proxy", "far.invalid")
        direct = Http("http://far.invalid/v1", {}, proxied=True)
        with pytest.raises(ModelError, match="connection"):
            await direct.post("/x", b"{}")
        await direct.close()
    assert seen.requests[0].startswith(b"POST http://far.invalid/v1/x HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"me:pw") in seen.requests[0]
    assert seen.requests[1].startswith(b"POST /v1/x HTTP/1.1\r\n")


def test_it_outlives_its_event_loop(caplog: pytest.LogCaptureFixture) -> None:
    async def once(http: Http) -> int:
        async with raw(lambda _: GOOD) as (url, _):
            http._base_url = url
            return (await http.post("/x", b"{}")).status

    http = Http("http://127.0.0.1:1/v1", {}, proxied=False)
    assert [asyncio.run(once(http)) for _ in range(2)] == [200, 200]
    del http
    gc.collect()
    assert "Unclosed" not in caplog.text


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 4))
def test_any_bytes_are_an_answer_or_a_model_error(noise: bytes, where: int) -> None:
    lines = GOOD.split(b"\r\n")
    lines[where] += noise
    said = b"\r\n".join(lines)

    async def ask() -> None:
        async with raw(lambda _: said) as (url, _):
            http = Http(url, {}, timeout_s=0.5, proxied=False)
            try:
                await http.post("/x", b"{}")
            except ModelError:
                pass
            finally:
                await http.close()

    asyncio.run(ask())
