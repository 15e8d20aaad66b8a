"""Bodies of chat completion requests, built as bytes from threads.

Nothing walks a conversation twice: the encoded messages of a thread are held under its hash, so a
request costs one join of what is new to what was sent before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any, TypeAlias

import anyio.to_thread
import msgspec

from polyathlon.agents.models.encoding import as_pictures, png_base64, takes_long, wav_base64
from polyathlon.agents.models.families import PLAIN, Terms
from polyathlon.core.models import Message, ModelError, Request, Sampling, Thread, ToolSchema
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video, modality
from polyathlon.media.lru import SizedLru

Fields: TypeAlias = Mapping[str, Any]

PREFIX_BYTES = 128 << 20

_encode = msgspec.json.Encoder().encode


class Dialect(msgspec.Struct, frozen=True):
    """How one kind of OpenAI-compatible server differs from the others.

    `reasoning` is the message field that hands an assistant's reasoning back, "" where none
    does, and `details` says whether the server's own `reasoning_details` go back in its place;
    `grammar` and `effort` make the fields that ask for them; `video` makes the URL of a
    video where the server takes one, and says what became of it; `extra_logprobs` go with a wish
    for log-probabilities, `token_ids` with one for token ids, `schema` with a JSON schema;
    `unsupported` are fields the server refuses.
    """

    accepts: frozenset[Modality]
    max_tokens: str = "max_tokens"
    reasoning: str = ""
    details: bool = False
    effort: Callable[[str], Fields] = lambda effort: {"reasoning_effort": effort}
    grammar: Callable[[str], Fields] | None = None
    video: Callable[[Video], tuple[str, str]] | None = None
    extra_logprobs: Fields = {}
    token_ids: Fields | None = None
    schema: Fields = {}
    unsupported: frozenset[str] = frozenset()


class Encoded(msgspec.Struct, frozen=True):
    """Messages as JSON, the conversions that were needed to write them, and what they hold."""

    json: bytes
    conversions: tuple[str, ...] = ()
    holds: frozenset[Modality] = frozenset()

    def __len__(self) -> int:
        return len(self.json)


class Body(msgspec.Struct, frozen=True):
    """A whole request as JSON, what was changed to write it, and the fields beside messages."""

    json: bytes
    conversions: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()


class Prefixes:
    """Conversations as JSON, each message encoded once; threads may share them."""

    def __init__(self, encode: Callable[[Message], Encoded]) -> None:
        self._encode = encode
        self._known: SizedLru[Encoded] = SizedLru(PREFIX_BYTES)

    def fresh(self, thread: Thread) -> Iterator[Thread]:
        """The threads that end in each message not encoded yet, newest first."""
        return takewhile(lambda node: self._known.get(node.hash) is None, thread.nodes())

    def joined(self, thread: Thread) -> Encoded:
        """The conversation's messages, separated by commas."""
        fresh: list[Message] = []
        known: Encoded | None = None
        for node in thread.nodes():
            known = self._known.get(node.hash)
            if known is not None:
                break
            fresh.append(node.message)
        if known is not None and not fresh:
            return known
        pieces = [known] if known is not None else []
        pieces += [self._encode(message) for message in reversed(fresh)]
        conversions = dict.fromkeys(name for piece in pieces for name in piece.conversions)
        holds = frozenset[Modality]().union(*(piece.holds for piece in pieces))
        json = b",".join(piece.json for piece in pieces)
        return self._known.put(thread.hash, Encoded(json, tuple(conversions), holds))


class BodyWriter:
    """Writes requests to one model in one dialect. `path` is where they go."""

    path = "/chat/completions"

    def __init__(self, model: str, dialect: Dialect) -> None:
        self._model = model
        self._dialect = dialect
        self._prefixes = Prefixes(lambda message: self._message(message))

    def take_grammars(self, grammar: Callable[[str], Fields]) -> None:
        """Ask for grammars in this way from now on."""
        self._dialect = msgspec.structs.replace(self._dialect, grammar=grammar)

    async def written(self, request: Request, terms: Terms = PLAIN) -> Body:
        """`write`, off the event loop where that takes long."""
        if takes_long(self._prefixes.fresh(request.thread)):
            return await anyio.to_thread.run_sync(self.write, request, terms)
        return self.write(request, terms)

    def write(self, request: Request, terms: Terms = PLAIN) -> Body:
        """The whole body, within the terms of the model; threads may share a writer.

        Raises ModelError when the model cannot be asked this.
        """
        settings, told = self._settings(request, terms)
        messages = self._prefixes.joined(request.thread)
        check_insisted(self._model, terms, messages.holds)
        json = b'%b,"messages":[%b]}' % (_encode(settings)[:-1], messages.json)
        return Body(json, (*messages.conversions, *told), frozenset(settings))

    def _message(self, message: Message) -> Encoded:
        fields: dict[str, Any] = {"role": message.speaker}
        conversions: list[str] = []
        if all(isinstance(part, Text) for part in message.parts):
            fields["content"] = message.text
        elif message.speaker == "user":
            fields["content"] = [
                item for part in message.parts for item in self._items(part, conversions)
            ]
        else:
            raise refused(f"media belongs into user messages, not {message.speaker} messages")
        if message.tool_calls:
            fields["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in message.tool_calls
            ]
        if message.tool_call_id:
            fields["tool_call_id"] = message.tool_call_id
        self._thoughts(message, fields, conversions)
        holds = frozenset(modality(part) for part in message.parts)
        return Encoded(_encode(fields), tuple(conversions), holds)

    def _thoughts(self, message: Message, fields: dict[str, Any], conversions: list[str]) -> None:
        details = _details(message.opaque) if self._dialect.details else _NOTHING
        if bytes(details):
            fields["reasoning_details"] = details
        elif message.reasoning and self._dialect.reasoning:
            fields[self._dialect.reasoning] = message.reasoning
        elif message.reasoning or message.opaque:
            conversions.append("earlier reasoning not sent back")

    def _items(self, part: Part, conversions: list[str]) -> list[Fields]:
        """The content items of a part, usually one."""
        if isinstance(part, Video) and not self._takes_video():
            self._check("image", "video")
            pictures = as_pictures(part)
            conversions.append(pictures.conversion)
            return [_text(pictures.caption), *map(_image, pictures.images)]
        self._check(modality(part), modality(part))
        match part:
            case Text():
                return [_text(part)]
            case Image():
                return [_image(part)]
            case Audio():
                data = msgspec.Raw(b'"%b"' % wav_base64(part).encode())
                return [{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}]
            case Video():
                assert self._dialect.video is not None
                url, conversion = self._dialect.video(part)
                conversions.append(conversion)
                return [{"type": "video_url", "video_url": {"url": url}}]

    def _takes_video(self) -> bool:
        return "video" in self._dialect.accepts and self._dialect.video is not None

    def _check(self, needed: Modality, given: Modality) -> None:
        if needed not in self._dialect.accepts:
            raise unaccepted(self._model, given)

    def _settings(self, request: Request, terms: Terms) -> tuple[Fields, list[str]]:
        dialect = self._dialect
        sampling, changed = terms.fitted(request.sampling)
        told = list(changed)
        fields: dict[str, Any] = {"model": self._model, **_sampling(sampling, dialect)}
        if sampling.effort is not None:
            fields.update(dialect.effort(sampling.effort))
        if request.tools:
            fields["tools"] = [_tool(tool) for tool in request.tools]
        if request.grammar and dialect.grammar is not None:
            fields.update(dialect.grammar(request.grammar))
        elif request.schema is not None:
            check_schema(self._model, terms)
            fields.update({"response_format": _json_schema(request.schema), **dialect.schema})
        elif request.grammar:
            raise no_grammar(self._model)
        if request.logprobs:
            if why := terms.withheld("logprobs", sampling.effort):
                told.append(why)
            else:
                fields["logprobs"] = True
        if request.token_ids:
            if dialect.token_ids is None:
                told.append("token ids not asked for: the server gives none")
            elif why := terms.withheld("token_ids", sampling.effort):
                told.append(why)
            else:
                fields.update(dialect.token_ids)
        if fields.get("logprobs") and "token_ids" not in terms.refused:
            fields.update(dialect.extra_logprobs)
        dropped = [name for name in fields if name in dialect.unsupported]
        sent = {name: value for name, value in fields.items() if name not in dropped}
        return sent, [*told, *(f"{name} not sent" for name in dropped)]


def refused(detail: str) -> ModelError:
    """The error of a request that is not sent because the model cannot take it."""
    return ModelError("unsupported", detail, retryable=False)


def unaccepted(model: str, given: Modality) -> ModelError:
    """The error of a request with a part of a modality that the model does not take."""
    return refused(
        f"{model} does not accept {given}: give it words (--intervene substitute:{given}) or choose"
        " another model"
    )


def no_grammar(model: str) -> ModelError:
    """The error of a request whose grammar the model's server does not know."""
    return refused(f"{model} does not accept a grammar: give it a schema")


def check_schema(model: str, terms: Terms) -> None:
    """Raises ModelError where the family keeps to no JSON schema."""
    if not terms.family.schema:
        raise refused(f"{model} does not keep to a JSON schema: ask it without one")


def check_insisted(model: str, terms: Terms, holds: frozenset[Modality]) -> None:
    """Raises ModelError where a conversation lacks what the family insists on."""
    for needed in terms.family.insists - holds:
        raise refused(f"{model} refuses what holds no {needed}: give it some, or another model")


def _details(opaque: bytes) -> msgspec.Raw:
    """The `reasoning_details` in a message's opaque bytes as they came, empty without any."""
    if not opaque:
        return _NOTHING
    try:
        return _decode_opaque(opaque).reasoning_details
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _NOTHING


_NOTHING = msgspec.Raw()


class _Opaque(msgspec.Struct):
    reasoning_details: msgspec.Raw = _NOTHING


_decode_opaque = msgspec.json.Decoder(_Opaque).decode


def _sampling(sampling: Sampling, dialect: Dialect) -> dict[str, Any]:
    values = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        dialect.max_tokens: sampling.max_tokens,
        "seed": sampling.seed,
        "stop": sampling.stop or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _text(text: Text) -> Fields:
    return {"type": "text", "text": text.text}


def _image(image: Image) -> Fields:
    url = msgspec.Raw(b'"data:image/png;base64,%b"' % png_base64(image).encode())
    return {"type": "image_url", "image_url": {"url": url}}


def _tool(tool: ToolSchema) -> Fields:
    function = {"name": tool.name, "description": tool.doc, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _json_schema(schema: Any) -> Fields:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
