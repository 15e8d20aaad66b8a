"""`polyathlon serve`: a world behind HTTP, for programs in any language."""

from __future__ import annotations

from typing import Literal

from polyathlon.cli.output import print_json
from polyathlon.core.console import say


def serve(
    what: Literal["defusal"],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str = "",
    driver: Literal["virtual", "wall"] = "virtual",
    scale: float = 1.0,
    bombs: int = 100,
    json: bool = False,
) -> None:
    """Serve the defusal simulator until ctrl-C or POST /quit.

    Parameters
    ----------
    what
        The world to serve: defusal.
    host
        The address to listen at; any but loopback asks every client for a token.
    port
        The port to listen at; 0 takes any free one.
    token
        What clients must send as Authorization: Bearer TOKEN; elsewhere than on loopback one is
        made up and printed if none is given.
    driver
        How a bomb's time passes: virtual (by POST /advance alone) or wall (by itself).
    scale
        With the wall driver, seconds of game time in a second.
    bombs
        How many bombs there may be at once, beside the default one.
    json
        Print where it listens as one JSON object.
    """
    from polyathlon.serve.site import Site, local, new_token, serve_until_told

    site = Site(host, port, token or ("" if local(host) else new_token()), driver, scale, bombs)

    def announce(url: str) -> None:
        if json:
            print_json({"url": url, "token": site.token, "driver": driver, "bombs": bombs})
        else:
            asks = f", token {site.token}" if site.token else ""
            say(f"defusal simulator at {url} ({driver} time{asks}); ctrl-C ends it")

    serve_until_told(site, announce)
