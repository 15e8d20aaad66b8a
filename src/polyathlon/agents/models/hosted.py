"""Models behind HTTP: what is asked is written by an interface, sent here, and read by it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from polyathlon.agents.models.failures import DETAIL_CHARACTERS, masked, told
from polyathlon.agents.models.families import Family, Terms
from polyathlon.agents.models.http import MOST_IN_FLIGHT, Answer, Http
from polyathlon.agents.models.learning import lesson
from polyathlon.agents.models.writing import Written, no_grammar, refused
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request, Usage


class Interface(Protocol):
    """How one model is asked, and what the answers mean."""

    async def written(self, request: Request, terms: Terms) -> Written:
        """Raises ModelError when the model cannot be asked this."""
        ...

    def most_output(self, request: Request, terms: Terms) -> int:
        """The most tokens of a reply, as the request will ask for it. Raises ModelError."""
        ...

    async def read(self, answer: Answer, request: Request, written: Written) -> Reply:
        """The reply, with what it says of cost and conversions. Raises ModelError."""
        ...


class HostedModel:
    """A model behind HTTP; one call of `complete` is one request for a reply.

    An option that the server refuses is not sent again by this client, as conversions of replies
    say. Its key and the passwords in addresses are masked in all errors.
    """

    def __init__(
        self,
        name: str,
        *,
        http: Http,
        interface: Interface,
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
        self._interface = interface
        self._terms = Terms(family)
        self._secrets = (key, *http.secrets)

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError for whatever went wrong; a refusal is a Reply."""
        try:
            return await self._complete(request)
        except ModelError as error:
            error.detail = masked(error.detail, self._secrets)
            error.args = (f"{error.cause}: {error.detail}" if error.detail else error.cause,)
            raise

    def most(self, request: Request) -> Usage:
        """The most tokens that one attempt can use; none for what would not be sent."""
        try:
            used = request.most(self._interface.most_output(request, self._terms))
        except ModelError:
            return Usage()
        more = used.image * (self._terms.family.picture_factor - 1)
        return msgspec.structs.replace(used, input=used.input + more, image=used.image + more)

    async def reach(self, limit_s: float) -> bool:
        """Whether the server answers in time, for no money; the connection is closed again.

        Raises ModelError where there is nothing to connect to.
        """
        try:
            return await self._http.reach(limit_s)
        except ModelError as error:
            detail = masked(error.detail, self._secrets)
            raise ModelError(error.cause, detail, retryable=error.retryable) from None
        finally:
            await self._http.close()

    async def close(self) -> None:
        await self._http.close()

    async def _complete(self, request: Request) -> Reply:
        written = await self._interface.written(request, self._terms)
        start = time.perf_counter()
        answer = await self._http.post(written.path, written.json, written.headers)
        latency_s = time.perf_counter() - start
        try:
            reply = await self._interface.read(answer, request, written)
        except ModelError as error:
            raise self._learned(error, answer, written) from None
        cost_usd = reply.cost_usd
        if cost_usd is None and self.price is not None:
            cost_usd = self.price.cost(reply.usage)
        return msgspec.structs.replace(
            reply,
            latency_s=latency_s,
            cost_usd=cost_usd,
            conversions=(*written.conversions, *reply.conversions),
        )

    def _learned(self, error: ModelError, answer: Answer, written: Written) -> ModelError:
        """`error`, or what it taught about an option, after which another attempt may help."""
        if error.cause not in ("bad_request", "not_found"):
            return error
        learned = lesson(answer.status, told(answer.data), written.fields, self._terms)
        if learned is None:
            return error
        if learned.essential:
            detail = f"{learned.essential} is refused, and cannot be left out: {error.detail}"
            return refused(detail[:DETAIL_CHARACTERS])
        self._terms = learned.terms
        detail = f"{learned.words}: {error.detail}"[:DETAIL_CHARACTERS]
        return ModelError("unsupported_option", detail, retryable=True)


def check(request: Request, name: str) -> None:
    """Raises ModelError for what neither Anthropic nor Google can be asked."""
    if request.logprobs:
        raise refused(f"{name} gives no log-probabilities")
    if request.grammar and request.schema is None:
        raise no_grammar(name)
    if request.schema is not None and not isinstance(request.schema, Mapping):
        raise refused("a JSON schema must be an object")
