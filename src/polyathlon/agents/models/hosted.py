"""Models of one hosted provider: what is asked is written here, sent, and read here."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from polyathlon.agents.models.body import refused
from polyathlon.agents.models.failures import DETAIL_CHARACTERS, masked, told
from polyathlon.agents.models.families import Family, Terms
from polyathlon.agents.models.http import MOST_IN_FLIGHT, Answer, Http
from polyathlon.agents.models.learning import lesson
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request


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
    """A request as it goes out: the JSON body, headers of its own, and what had to be converted.

    `options` are the settings in it that a server may refuse and that it can go without.
    """

    json: bytes
    conversions: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}
    options: frozenset[str] = frozenset()


class Writer(Protocol):
    """How a provider is asked."""

    path: str

    async def written(self, request: Request, terms: Terms) -> Written:
        """Raises ModelError when the model cannot be asked this."""
        ...


class HostedModel:
    """A model of a provider; one call of `complete` is one HTTP request.

    `read` makes a Reply of an answer or raises ModelError. An option that the server refuses is
    not sent again by this client, as conversions of replies say. The key is masked in all errors.
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
        family: Family,
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
        self._terms = Terms(family)
        self._key = key

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError for whatever went wrong; a refusal is a Reply."""
        try:
            return await self._complete(request)
        except ModelError as error:
            error.detail = masked(error.detail, (self._key,))
            error.args = (f"{error.cause}: {error.detail}" if error.detail else error.cause,)
            raise

    async def close(self) -> None:
        await self._http.close()

    async def _complete(self, request: Request) -> Reply:
        written = await self._writer.written(request, self._terms)
        start = time.perf_counter()
        answer = await self._http.post(self._writer.path, written.json, written.headers)
        latency_s = time.perf_counter() - start
        try:
            reply = self._read(answer)
        except ModelError as error:
            learned = self._learned(error, answer, written)
            if learned is None:
                raise
            raise learned from error
        return msgspec.structs.replace(
            reply,
            latency_s=latency_s,
            cost_usd=None if self.price is None else self.price.cost(reply.usage),
            conversions=(*written.conversions, *reply.conversions),
        )

    def _learned(self, error: ModelError, answer: Answer, written: Written) -> ModelError | None:
        """What a refusal taught about an option, after which another attempt may help."""
        if error.cause != "bad_request":
            return None
        learned = lesson(answer.status, told(answer.data), written.options, self._terms)
        if learned is None or learned.essential:
            return None
        self._terms = learned.terms
        detail = f"{learned.words}: {error.detail}"[:DETAIL_CHARACTERS]
        return ModelError("unsupported_option", detail, retryable=True)
