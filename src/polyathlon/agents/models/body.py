"""Bodies of chat completion requests, built as bytes from threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from polyathlon.agents.models.encoding import as_pictures, wav_base64
from polyathlon.agents.models.families import Terms
from polyathlon.agents.models.prefixes import Piece, Prefixes
from polyathlon.agents.models.writing import (
    Fields,
    check_schema,
    no_grammar,
    only_text,
    png_url,
    quoted,
    unaccepted,
)
from polyathlon.core.models import Message, Request, Sampling, ToolSchema
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video, modality

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


class BodyWriter:
    """Writes requests to one model in one dialect."""

    path, conversation = "/chat/completions", b"messages"

    def __init__(self, model: str, dialect: Dialect) -> None:
        self._model = model
        self._dialect = dialect
        self.prefixes = Prefixes(lambda node: self._message(node.message))

    def take_grammars(self, grammar: Callable[[str], Fields]) -> None:
        """Ask for grammars in this way from now on."""
        self._dialect = msgspec.structs.replace(self._dialect, grammar=grammar)

    def _message(self, message: Message) -> Piece:
        fields: dict[str, Any] = {"role": message.speaker}
        conversions: list[str] = []
        if only_text(message):
            fields["content"] = message.text
        else:
            fields["content"] = [
                item for part in message.parts for item in self._items(part, conversions)
            ]
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
        return Piece(items=_encode(fields), conversions=tuple(conversions), holds=holds)

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
                data = quoted(wav_base64(part))
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

    def settings(self, request: Request, terms: Terms) -> tuple[Fields, list[str]]:
        """The fields beside the messages, and what was changed. Raises ModelError."""
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
    return {"type": "image_url", "image_url": {"url": png_url(image)}}


def _tool(tool: ToolSchema) -> Fields:
    function = {"name": tool.name, "description": tool.doc, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _json_schema(schema: Any) -> Fields:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
