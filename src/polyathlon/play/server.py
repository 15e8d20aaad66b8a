"""The page's server: loopback only, every address begins with a random token."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from polyathlon.core.extras import missing
from polyathlon.play.seat import Answer, Table

try:
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    from polyathlon.serve.hosting import LOOPBACK, Background, body_of, listener
except ImportError as error:
    raise missing("the page needs its server", "play", "; or play --terminal") from error

T = TypeVar("T")

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".png": "image/png",
    ".wav": "audio/wav",
    ".mp4": "video/mp4",
}
MAX_BODY = 100_000
POLL_S = 20.0
LOOK_S = 0.02
_SAFE = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays; each field at most 80 characters."""

    participant: str = ""
    age_group: str = ""
    gender: str = ""
    warm_up: bool = False


def app(table: Table, token: str) -> Starlette:
    """The application for one table."""

    async def status(request: Request) -> Response:
        """The page's state once it differs from what the page has, or after `POLL_S`."""
        role = request.query_params.get("role") or None
        if role is not None and role not in table.seats:
            return _refused(404, "no such role")
        known = (request.query_params.get("phase", ""), request.query_params.get("number", ""))
        deadline = time.monotonic() + POLL_S
        while time.monotonic() < deadline:
            now = table.status(role)
            if (now["phase"], str(now["number"])) != known:
                break
            await asyncio.sleep(LOOK_S)
        return _json(table.status(role))

    async def act(request: Request) -> Response:
        seat = table.seats.get(request.query_params.get("role") or table.turn())
        if seat is None:
            return _refused(404, "no such role")
        return await _read(request, Answer, seat.give)

    async def start(request: Request) -> Response:
        def begin(form: _Form) -> bool:
            fields = msgspec.to_builtins(form)
            warm_up = "yes" if fields.pop("warm_up") else ""
            short = {name: value.strip()[:80] for name, value in fields.items()}
            return table.start({**short, "warm_up": warm_up})

        return await _read(request, _Form, begin)

    async def leave(request: Request) -> Response:
        table.leave()
        return _json({"accepted": True})

    async def media(request: Request) -> Response:
        name = request.path_params["name"]
        for seat in table.seats.values():
            if name in seat.media:
                return _file(seat.media[name], name)
        return _refused(404, "no such medium")

    async def static(request: Request) -> Response:
        name = request.path_params.get("name", "page.html")
        known = {path.name: path for path in STATIC.iterdir()}
        if name not in known:
            return _refused(404, "no such file")
        return _file(known[name].read_bytes(), name)

    at = f"/{token}"
    routes = [
        Route(f"{at}/", static),
        Route(f"{at}/status", status),
        Route(f"{at}/act", act, methods=["POST"]),
        Route(f"{at}/start", start, methods=["POST"]),
        Route(f"{at}/leave", leave, methods=["POST"]),
        Route(f"{at}/media/{{name}}", media),
        Route(f"{at}/{{name}}", static),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[LOOPBACK, "localhost"])
    return Starlette(routes=routes, middleware=[hosts])


class Server:
    """Serves a table from a thread of its own, on loopback."""

    def __init__(self, table: Table, port: int = 0) -> None:
        token = secrets.token_urlsafe(18)
        socket = listener(LOOPBACK, port)
        self.url = f"http://{LOOPBACK}:{socket.getsockname()[1]}/{token}/"
        self._served = Background(app(table, token), socket)

    def __enter__(self) -> Server:
        self._served.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._served.__exit__(*exception)


async def _read(request: Request, kind: type[T], use: Callable[[T], bool]) -> Response:
    """Hand a JSON body over. Bodies that are too long or of another shape change nothing."""
    body = await body_of(request, MAX_BODY)
    if body is None:
        return _refused(413, f"at most {MAX_BODY} bytes")
    try:
        value = msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _refused(400, str(error))
    return _json({"accepted": use(value)})


def _json(value: object) -> Response:
    return JSONResponse(value, headers=_SAFE)


def _file(data: bytes, name: str) -> Response:
    return Response(data, media_type=TYPES[Path(name).suffix], headers=_SAFE)


def _refused(code: int, why: str) -> Response:
    return JSONResponse({"problem": why}, status_code=code, headers=_SAFE)


__all__ = ["Server", "app"]
