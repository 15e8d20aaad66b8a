"""Models of one hosted provider: what is asked is written here, sent, and read here."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from polyathlon.agents.models.body import refused
from polyathlon.agents.models.http import MOST_IN_FLIGHT, Answer, Http
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request

MASK = "***"


def check(request: Request, name: str) -> None:
    """Raises ModelError for what no hosted model of these providers can be asked."""
    if request.logprobs:
        raise refused(f"{name} gives no log-probabilities")
    if request.grammar and request.schema is None:
        raise refused(f"{name} does not accept a grammar: give it a schema")
    if request.schema is not None and not isinstance(request.schema, Mapping):
        raise refused("a JSON schema must be an object")


def as_object(arguments: str) -> msgspec.Raw | None:
    """A tool call's arguments as they are; None where they are no JSON object."""
    try:
        msgspec.json.decode(arguments, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None
    return msgspec.Raw(arguments.encode())


class Written(msgspec.Struct, frozen=True):
    """A request as it goes out: the JSON body, headers of its own, and what had to be converted."""

    json: bytes
    conversions: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}


class Writer(Protocol):
    """How a provider is asked."""

    path: str

    async def written(self, request: Request) -> Written:
        """Raises ModelError when the model cannot be asked this."""
        ...


class HostedModel:
    """A model of a provider; one call of `complete` is one HTTP request.

    `read` makes a Reply of an answer or raises ModelError. The key is masked in all that a server
    says.
    """

    def __init__(
        self,
        name: str,
        *,
        http: Http,
        writer: Writer,
        read: Callable[[Answer], Reply],
        abilities: Abilities,
        group: str,
        price: Price | None,
        key: str,
    ) -> None:
        self.name = name
        self.group = group
        self.in_flight = MOST_IN_FLIGHT
        self.abilities = abilities
        self.price = price
        self.latency: Literal["measured", "modelled"] = "measured"
        self._http = http
        self._writer = writer
        self._read = read
        self._key = key

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError for whatever went wrong; a refusal is a Reply."""
        written = await self._writer.written(request)
        start = time.perf_counter()
        try:
            answer = await self._http.post(self._writer.path, written.json, written.headers)
            latency_s = time.perf_counter() - start
            reply = self._read(answer)
        except ModelError as error:
            raise self._masked(error) from error
        return msgspec.structs.replace(
            reply,
            latency_s=latency_s,
            cost_usd=None if self.price is None else self.price.cost(reply.usage),
            conversions=(*written.conversions, *reply.conversions),
        )

    async def close(self) -> None:
        await self._http.close()

    def _masked(self, error: ModelError) -> ModelError:
        return ModelError(
            error.cause,
            error.detail.replace(self._key, MASK),
            retryable=error.retryable,
            retry_after_s=error.retry_after_s,
        )
