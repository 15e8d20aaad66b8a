"""The client of a model behind OpenAI's interfaces, whoever serves it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

import msgspec

from polyathlon.agents.models.body import Body, BodyWriter, Dialect, refused
from polyathlon.agents.models.completion import read_completion
from polyathlon.agents.models.failures import DETAIL_CHARACTERS, failure, masked, told
from polyathlon.agents.models.families import UNKNOWN, Family, Terms
from polyathlon.agents.models.http import MOST_IN_FLIGHT, TIMEOUT_S, Answer, Http
from polyathlon.agents.models.learning import lesson
from polyathlon.agents.models.responses import ResponsesWriter, read_response
from polyathlon.agents.models.serving import GRAMMARS, owner, prompt_ids
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request, Thread, ToolCall

Writer: TypeAlias = BodyWriter | ResponsesWriter
Reader: TypeAlias = Callable[[bytes], Reply]


class ChatModel:
    """A model behind `/chat/completions`, and behind `/responses` if it has a `responder`.

    One call of `complete` is one request for a completion. A server that is not `known` is asked
    who it is before its first grammar, and llama.cpp which tokens a prompt has, where those are
    wanted. What the server refuses is not sent again by this client, as conversions of replies say.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str,
        api_key: str,
        dialect: Dialect,
        abilities: Abilities,
        group: str,
        price: Price | None,
        family: Family = UNKNOWN,
        responder: ResponsesWriter | None = None,
        headers: Mapping[str, str] | None = None,
        known: bool = True,
        proxied: bool = True,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.name = name
        self.group = group
        self.in_flight = MOST_IN_FLIGHT
        self.abilities = abilities
        self.price = price
        self.latency: Literal["measured", "modelled"] = "measured"
        self._terms = Terms(family)
        self._writer = BodyWriter(model, dialect)
        self._responder = responder
        self._known = known
        self._secrets = (api_key, unquote(urlsplit(base_url).password or ""))
        keys = {"Authorization": f"Bearer {api_key}", **(headers or {})}
        self._http = Http(base_url, keys, timeout_s=timeout_s, proxied=proxied)

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError for whatever went wrong; a refusal is a Reply."""
        try:
            return await self._complete(request)
        except ModelError as error:
            error.detail = masked(error.detail, self._secrets)
            error.args = (f"{error.cause}: {error.detail}" if error.detail else error.cause,)
            raise

    async def close(self) -> None:
        await self._http.close()

    async def _complete(self, request: Request) -> Reply:
        if request.grammar and not self._known:
            await self._meet()
        writer, read = self._route(request)
        body = await writer.written(request, self._terms)
        start = time.perf_counter()
        answer = await self._http.post(writer.path, body.json)
        latency_s = time.perf_counter() - start
        reply = read(answer.data) if answer.status < 300 else self._failed(answer, body)
        if request.token_ids and not reply.prompt_ids:
            ids = await prompt_ids(self._http, answer.data, reply.usage.input)
            reply = msgspec.structs.replace(reply, prompt_ids=ids)
        cost_usd = reply.cost_usd
        if cost_usd is None and self.price is not None:
            cost_usd = self.price.cost(reply.usage)
        return msgspec.structs.replace(
            reply,
            tool_calls=distinct(reply.tool_calls, request.thread),
            latency_s=latency_s,
            cost_usd=cost_usd,
            conversions=(*body.conversions, *_missed(request, reply, body)),
        )

    def _route(self, request: Request) -> tuple[Writer, Reader]:
        """What writes the request, and what reads the answer."""
        needs, effort = self._terms.family.responses, request.sampling.effort
        if self._responder is None or needs == "never":
            return self._writer, read_completion
        thinks = effort not in (None, "none")
        by_tools = needs == "tools" or (needs == "thinking_tools" and thinks)
        if needs == "always" or effort == "max" or (by_tools and request.tools):
            return self._responder, read_response
        return self._writer, read_completion

    async def _meet(self) -> None:
        """Learn which field of this server takes a grammar. Raises ModelError if none is known."""
        who = await owner(self._http)
        if who not in GRAMMARS:
            raise refused(
                f"{self.name}: its server does not say in /models that it is vLLM, llama.cpp or"
                " SGLang, and others ignore a grammar: use --harness grammar=off"
            )
        self._writer.take_grammars(GRAMMARS[who])
        self._known = True

    def _failed(self, answer: Answer, body: Body) -> Reply:
        """The refusal that an answer without success is. Raises ModelError for any other."""
        said = told(answer.data)
        outcome = failure(answer.status, said, answer.headers)
        if isinstance(outcome, Reply):
            return outcome
        if outcome.cause not in ("bad_request", "not_found"):
            raise outcome
        learned = lesson(answer.status, said, body.fields, self._terms)
        if learned is None:
            raise outcome
        if learned.essential:
            detail = f"{learned.essential} is refused, and cannot be left out: {outcome.detail}"
            raise refused(detail[:DETAIL_CHARACTERS])
        if learned.terms.family.responses != "never" and self._responder is None:
            raise outcome
        self._terms = learned.terms
        detail = f"{learned.words}: {outcome.detail}"[:DETAIL_CHARACTERS]
        raise ModelError("unsupported_option", detail, retryable=True)


def distinct(calls: tuple[ToolCall, ...], thread: Thread) -> tuple[ToolCall, ...]:
    """Calls with ids that no other call of the conversation has.

    Some servers give none, or count from zero in every reply. Such a call is named by its place.
    """
    if not calls:
        return calls
    used = {call.id for node in thread.nodes() for call in node.message.tool_calls}
    named: list[ToolCall] = []
    for place, call in enumerate(calls):
        name = call.id
        if not name or name in used:
            name = f"call_{thread.length}_{place}"
            while name in used:
                name += "_"
            call = msgspec.structs.replace(call, id=name)
        used.add(name)
        named.append(call)
    return tuple(named)


def _missed(request: Request, reply: Reply, body: Body) -> list[str]:
    """What was asked for beside the text, sent, and not given."""
    missed: list[str] = []
    if not reply.text or reply.finish == "refusal":
        return missed
    if not reply.logprobs and not body.fields.isdisjoint({"logprobs", "top_logprobs"}):
        missed.append("log-probabilities not given by the server")
    if request.token_ids and not body.fields.isdisjoint({"return_token_ids", "return_tokens"}):
        given = {"reply": reply.token_ids, "prompt": reply.prompt_ids}
        missed += [
            f"token ids of the {n} not given by the server" for n, i in given.items() if not i
        ]
    return missed
