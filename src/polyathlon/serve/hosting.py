"""What all servers of the project share: a socket, a thread, bodies of bounded size.

Needs starlette and uvicorn; who imports this turns their absence into advice.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

import uvicorn
from starlette.requests import ClientDisconnect, Request

from polyathlon.core.errors import UserError

LOOPBACK = "127.0.0.1"
GRACE_S = 1


def listener(host: str, port: int) -> socket.socket:
    """A listening TCP socket; port 0 is any free one. Raises UserError where none can be had.

    Its connections send small answers at once: asyncio sees to that only for sockets that name
    their protocol, and waiting for the client's acknowledgement costs 40 ms an answer.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        where = f"{host} port {port}"
        raise UserError(f"cannot listen at {where} ({error.strerror}): choose another") from None
    except OverflowError:
        raise UserError(f"--port is from 0 to 65535, not {port}") from None
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def server(app: Any) -> uvicorn.Server:
    """What serves an ASGI application on a socket until its `should_exit` is set."""
    config = uvicorn.Config(
        app, log_level="error", access_log=False, timeout_graceful_shutdown=GRACE_S
    )
    return uvicorn.Server(config)


class Background:
    """Serves an application from a thread of its own while the `with` block runs."""

    def __init__(self, app: Any, listening: socket.socket) -> None:
        self._server = server(app)
        self._socket = listening
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.leave()
        self._thread.join(timeout=5)

    def leave(self) -> None:
        """Begin to end; whatever is being answered is answered first."""
        self._server.should_exit = True

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))


async def body_of(request: Request, most: int) -> bytes | None:
    """The body of a request, or None when it is longer than `most` bytes or breaks off."""
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                return None
    except ClientDisconnect:
        return None
    return body
