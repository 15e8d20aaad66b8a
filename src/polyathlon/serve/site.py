"""Where the defusal simulator is served, to whom, and until when."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.errors import UserError
from polyathlon.serve.bombs import Bombs
from polyathlon.serve.defusal import app
from polyathlon.serve.hosting import LOOPBACK, Background, listener, server

Driver: TypeAlias = Literal["virtual", "wall"]

LOCAL_NAMES = frozenset({LOOPBACK, "localhost", "::1"})
MAX_SCALE = 100.0


class Site(msgspec.Struct, frozen=True):
    """A server's place and rules. Raises UserError for what cannot be served.

    With the `wall` driver, `scale` is how many seconds of game time pass in a second. `bombs` is
    how many there may be at once. Whoever is not on this machine needs a `token`.
    """

    host: str = LOOPBACK
    port: int = 0
    token: str = ""
    driver: Driver = "virtual"
    scale: float = 1.0
    bombs: int = 100

    def __post_init__(self) -> None:
        if not 0.0 < self.scale <= MAX_SCALE:
            raise UserError(f"--scale is above 0 and at most {MAX_SCALE:g}, not {self.scale}")
        if self.bombs < 0:
            raise UserError(f"--bombs is at least 0, not {self.bombs}")
        if not self.token.isascii():
            raise UserError("--token takes ASCII characters only")
        if not self.token and not local(self.host):
            raise UserError(f"anyone who reaches {self.host} could use this server: give a token")


def local(host: str) -> bool:
    """Whether an address is that of this machine alone."""
    return host in LOCAL_NAMES


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(18)


def serve_until_told(site: Site, announce: Callable[[str], None]) -> None:
    """Serve in the foreground until ctrl-C or POST /quit; `announce` is given the URL."""
    listening = listener(site.host, site.port)
    serving = server(_app(site, lambda: setattr(serving, "should_exit", True)))
    announce(_url(site.host, listening.getsockname()[1]))
    try:
        asyncio.run(serving.serve(sockets=[listening]))
    except KeyboardInterrupt:
        return


class Served:
    """A server in a thread of its own while the `with` block runs; its value is the URL."""

    def __init__(self, site: Site) -> None:
        listening = listener(site.host, site.port)
        self._url = _url(site.host, listening.getsockname()[1])
        self._background = Background(_app(site, self._leave), listening)

    def __enter__(self) -> str:
        self._background.__enter__()
        return self._url

    def __exit__(self, *exception: object) -> None:
        self._background.__exit__(*exception)

    def _leave(self) -> None:
        self._background.leave()


def _app(site: Site, leave: Callable[[], None]) -> object:
    bombs = Bombs(site.bombs, site.scale if site.driver == "wall" else 0.0)
    return app(bombs, leave, LOCAL_NAMES if local(site.host) else (), site.token)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
