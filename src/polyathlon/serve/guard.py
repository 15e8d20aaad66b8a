"""Who may speak to a server: requests are refused before any handler sees them."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SAFE_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


class Guard:
    """Middleware that asks for the right name, no foreign page, and the token.

    `hosts` are the names the server may be called by, so that no web page can reach it under a
    name of its own (DNS rebinding); none means any. `token` "" means that none is asked for.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._expected = f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(dict(scope["headers"]))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    def _refusal(self, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts and _name(host) not in self._hosts:
            return 400, f"call this server by one of its names: {', '.join(sorted(self._hosts))}"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").partition("://")[2] != host:
            return 403, "web pages of other addresses may not use this server"
        given = headers.get(b"authorization", b"")
        if self._expected and not hmac.compare_digest(given, self._expected):
            return 401, "send the header Authorization: Bearer TOKEN with the token of the server"
        return None


def _name(host: str) -> str:
    """The name in a Host header: `localhost:8765`, `[::1]:8765`, `127.0.0.1`."""
    if host.startswith("["):
        return host.partition("]")[0].removeprefix("[")
    return host.partition(":")[0].lower()


async def _refuse(send: Send, status: int, problem: str) -> None:
    body = msgspec.json.encode({"problem": problem})
    headers = {"Content-Type": "application/json", **SAFE_HEADERS}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
