"""One HTTP request and its answer, over aiohttp: what every model behind HTTP is asked through.

There is no pool to wait for: connections are as many as calls in flight. Nothing is retried and no
redirect is followed, so that one `post` is one request and keys go where they were meant to go.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from polyathlon.agents.models.hiding import hidden, told_in_secret, without
from polyathlon.core.extras import missing
from polyathlon.core.models import ModelError

if TYPE_CHECKING:
    import aiohttp

TIMEOUT_S = 300.0
CONNECT_S = 10.0
MAX_BYTES = 16 << 20
IDLE_S, IDLE_TLS_S = 4.0, 60.0
"""How long an idle connection is kept. uvicorn and cpp-httplib close theirs after 5 s, and a
request that crosses the closing is lost; the edges of hosted providers keep theirs for minutes."""
MOST_IN_FLIGHT = 4_096
"""What a client declares where a server states no limit of its own."""


class Answer(msgspec.Struct, frozen=True):
    """What a server answered, whatever its status. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Http:
    """Requests to one server under `base_url`, each with `headers`.

    `timeout_s` bounds a request from connecting to its last byte. With `proxied`, proxies that the
    environment names (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) are honoured. A user and a password in the
    address become basic authorization. Keys and logins that an answer repeats are hidden in it.
    `secrets` are the passwords of both, as they may be told.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        timeout_s: float = TIMEOUT_S,
        proxied: bool = True,
    ) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        try:
            import aiohttp
        except ImportError as error:
            raise missing("this model needs its client", "models") from error
        self._aiohttp = aiohttp
        self._base_url, login = _apart(base_url.rstrip("/"))
        self._headers = {
            "Accept-Encoding": "identity",
            "User-Agent": "polyathlon",
            **headers,
            **login,
        }
        self._secrets = told_in_secret(self._headers)
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, connect=CONNECT_S)
        self._proxy = _proxy(self._base_url) if proxied else None
        self.secrets = (*_secrets(base_url), *_secrets(self._proxy or ""))
        self._trusted = _trusted()

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer to a JSON body sent to `base_url` + `path`.

        Raises ModelError: `timeout`, `connection` with the innermost reason, `redirect`,
        `too_large` above `MAX_BYTES`, or `wrong_content_type` for a compressed answer and for a
        success that is no JSON.
        """
        return await self._ask("POST", path, body, {**_JSON, **(headers or {})})

    async def get(self, path: str) -> Answer:
        """The answer to a question without a body, with the errors of `post`."""
        return await self._ask("GET", path, None, {})

    async def reach(self, limit_s: float) -> bool:
        """Whether the server answers a request for its models in time, whatever it answers.

        Raises ModelError `connection` where there is nothing to connect to.
        """
        timeout = self._aiohttp.ClientTimeout(total=limit_s, connect=0.8 * limit_s)
        try:
            async with self._open().request(
                "GET",
                f"{self._base_url}/models",
                proxy=self._proxy,
                allow_redirects=False,
                timeout=timeout,
            ):
                return True
        except (self._aiohttp.ClientConnectorError, self._aiohttp.ServerTimeoutError) as error:
            raise ModelError("connection", _innermost(error), retryable=True) from error
        except (self._aiohttp.ClientError, OSError):
            return False

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        if self._session is None or self._loop is not asyncio.get_running_loop():
            return self._abandon()
        session, self._session = self._session, None
        await session.close()
        return None

    def __del__(self) -> None:
        self._abandon()

    async def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        session = self._open()
        try:
            async with session.request(
                method,
                self._base_url + path,
                data=body,
                headers=headers,
                proxy=self._proxy,
                allow_redirects=False,
            ) as response:
                answer = Answer(
                    response.status,
                    {n.lower(): hidden(v, self._secrets) for n, v in response.headers.items()},
                    without(await _bounded(response.content), self._secrets),
                )
        except TimeoutError as error:
            raise ModelError(
                "timeout", str(error) or "no answer in time", retryable=True
            ) from error
        except (self._aiohttp.ClientError, OSError, ValueError) as error:
            raise ModelError("connection", _innermost(error), retryable=True) from error
        return _accepted(answer)

    def _open(self) -> aiohttp.ClientSession:
        """The session of the running loop; one that was left behind by another loop is replaced."""
        loop = asyncio.get_running_loop()
        if self._session is not None and self._loop is not loop:
            self._abandon()
        if self._session is None:
            idle_s = IDLE_TLS_S if self._base_url.startswith("https:") else IDLE_S
            self._loop = loop
            self._session = self._aiohttp.ClientSession(
                connector=self._aiohttp.TCPConnector(
                    limit=0, keepalive_timeout=idle_s, ssl=self._trusted
                ),
                headers=self._headers,
                timeout=self._timeout,
                cookie_jar=self._aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session

    def _abandon(self) -> None:
        """Drop the connections of a session that nobody can wait for any more."""
        session, self._session = self._session, None
        connector = None if session is None else session.connector
        if session is None or connector is None:
            return
        session.detach()
        closing = connector.close().__await__()
        with suppress(StopIteration):
            closing.send(None)  # this closes them; what it would wait for then is the loop
        closing.close()


_JSON = {"Content-Type": "application/json"}


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    chunks: list[bytes] = []
    brought = 0
    while chunk := await content.readany():
        brought += len(chunk)
        if brought > MAX_BYTES:
            raise ModelError("too_large", f"a reply above {MAX_BYTES} bytes", retryable=False)
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _accepted(answer: Answer) -> Answer:
    encoding = answer.headers.get("content-encoding", "identity")
    if encoding != "identity":  # was not asked for, and may expand without bounds
        raise ModelError("wrong_content_type", f"encoded as {encoding}", retryable=True)
    if 300 <= answer.status < 400:
        target = answer.headers.get("location", "nowhere")[:200]
        detail = f"HTTP {answer.status} to {target}, which is not followed: write that address"
        raise ModelError("redirect", detail, retryable=False)
    kind = answer.headers.get("content-type", "")
    if answer.status < 300 and "json" not in kind:
        raise ModelError("wrong_content_type", f"{kind or 'none'}, not JSON", retryable=True)
    return answer


def _innermost(error: BaseException) -> str:
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return f"{type(cause).__name__}: {' '.join(str(cause).split())}"


def _apart(url: str) -> tuple[str, Mapping[str, str]]:
    """An address without the login it may hold, and the header that carries the login."""
    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, {}
    encoded = base64.b64encode(unquote(login).encode()).decode("ascii")
    return parts._replace(netloc=host).geturl(), {"Authorization": f"Basic {encoded}"}


def _secrets(url: str) -> tuple[str, ...]:
    """A login in an address, in the forms in which it may be told."""
    login = urlsplit(url).netloc.rpartition("@")[0]
    if not login:
        return ()
    password = login.partition(":")[2]
    encoded = base64.b64encode(unquote(login).encode()).decode("ascii")
    return encoded, password, unquote(password)


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address; one without a scheme speaks HTTP."""
    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxy = getproxies().get(parts.scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


@cache
def _trusted() -> ssl.SSLContext | bool:
    """Certificates to trust: the system's, or those of `certifi` where the system has none."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or (paths.capath and any(Path(paths.capath).iterdir())):
        return True
    try:
        import certifi
    except ImportError:
        return True
    return ssl.create_default_context(cafile=certifi.where())
