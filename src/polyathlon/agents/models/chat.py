"""OpenAI's interfaces, whoever serves them: chat completions, and responses where needed."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from polyathlon.agents.models.body import BodyWriter, Dialect
from polyathlon.agents.models.completion import read_completion
from polyathlon.agents.models.failures import failure, told
from polyathlon.agents.models.families import PLAIN, UNKNOWN, Family, Terms
from polyathlon.agents.models.hosted import HostedModel
from polyathlon.agents.models.http import Answer, Http
from polyathlon.agents.models.responses import PATH as RESPONSES
from polyathlon.agents.models.responses import ResponsesWriter, read_response
from polyathlon.agents.models.serving import GRAMMARS, owner, prompt_ids
from polyathlon.agents.models.writing import Written, check_insisted, refused
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request, Thread, ToolCall


def chat_model(
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
) -> HostedModel:
    """A model that is asked through a `ChatInterface`."""
    keys = {"Authorization": f"Bearer {api_key}", **(headers or {})}
    http = Http(base_url, keys, proxied=proxied)
    return HostedModel(
        name,
        http=http,
        interface=ChatInterface(name, http, BodyWriter(model, dialect), responder, known),
        abilities=abilities,
        group=group,
        price=price,
        family=family,
        key=api_key,
    )


class ChatInterface:
    """A model behind `/chat/completions`, and behind `/responses` if it has a `responder`.

    A server that is not `known` is asked who it is before its first grammar, and llama.cpp which
    tokens a prompt has, where those are wanted.
    """

    def __init__(
        self,
        name: str,
        http: Http,
        writer: BodyWriter,
        responder: ResponsesWriter | None,
        known: bool,
    ) -> None:
        self._name = name
        self._http = http
        self._writer = writer
        self._responder = responder
        self._known = known

    async def written(self, request: Request, terms: Terms) -> Written:
        """Raises ModelError when the model cannot be asked this."""
        if request.grammar and not self._known:
            await self._meet()
        writer = self._responder if _needs_responses(request, terms) else None
        return await written(writer or self._writer, request, terms)

    def most_output(self, request: Request, terms: Terms) -> int:
        """The limit of a request, or of the family where it names none."""
        return terms.most_output(request.sampling)

    async def read(self, answer: Answer, request: Request, written: Written) -> Reply:
        """Raises ModelError for what is neither a reply nor a refusal."""
        if answer.status >= 300:
            outcome = failure(answer.status, told(answer.data), answer.headers)
            if isinstance(outcome, ModelError):
                raise outcome
            return outcome
        by_responses = written.path == RESPONSES
        reply = read_response(answer.data) if by_responses else read_completion(answer.data)
        if request.token_ids and not reply.prompt_ids:
            ids = await prompt_ids(self._http, answer.data, reply.usage.input)
            reply = msgspec.structs.replace(reply, prompt_ids=ids)
        return msgspec.structs.replace(
            reply,
            tool_calls=distinct(reply.tool_calls, request.thread),
            conversions=tuple(_missed(request, reply, written)),
        )

    async def _meet(self) -> None:
        """Learn which field of this server takes a grammar. Raises ModelError if none is known."""
        who = await owner(self._http)
        if who not in GRAMMARS:
            raise refused(
                f"{self._name}: its server does not say in /models that it is vLLM, llama.cpp or"
                " SGLang, and others ignore a grammar: use --harness grammar=off"
            )
        self._writer.take_grammars(GRAMMARS[who])
        self._known = True


async def written(
    writer: BodyWriter | ResponsesWriter, request: Request, terms: Terms = PLAIN
) -> Written:
    """A request as `writer` writes it, within the terms of the model; threads may share a writer.

    Raises ModelError when the model cannot be asked this.
    """
    settings, told_of = writer.settings(request, terms)
    prefix = await writer.prefixes.written(request.thread)
    check_insisted(settings["model"], terms, prefix.holds)
    pieces = msgspec.json.encode(settings)[:-1], writer.conversation, prefix.messages
    json = b'%b,"%b":[%b]}' % pieces
    return Written(writer.path, json, (*prefix.conversions, *told_of), frozenset(settings))


def _needs_responses(request: Request, terms: Terms) -> bool:
    """Whether a request must go through the Responses API."""
    needs, effort = terms.family.responses, terms.fitted(request.sampling)[0].effort
    if needs == "never":
        return False
    thinks = effort not in (None, "none")
    by_tools = needs == "tools" or (needs == "thinking_tools" and thinks)
    return needs == "always" or effort == "max" or bool(by_tools and request.tools)


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


def _missed(request: Request, reply: Reply, written: Written) -> list[str]:
    """What was asked for beside the text, sent, and not given."""
    missed: list[str] = []
    if not reply.text or reply.finish == "refusal":
        return missed
    if not reply.logprobs and not written.fields.isdisjoint({"logprobs", "top_logprobs"}):
        missed.append("log-probabilities not given by the server")
    if request.token_ids and not written.fields.isdisjoint({"return_token_ids", "return_tokens"}):
        given = {"reply": reply.token_ids, "prompt": reply.prompt_ids}
        missed += [
            f"token ids of the {n} not given by the server" for n, i in given.items() if not i
        ]
    return missed
