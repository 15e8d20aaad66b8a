"""OpenAI's Responses API: bodies from threads, replies from output items.

The newest reasoning models take tools nowhere else. Requests are not stored with the provider; the
thoughts come back encrypted, and go into the next request byte for byte as they came.
"""

from __future__ import annotations

from typing import Any

import anyio.to_thread
import msgspec

from polyathlon.agents.models.body import (
    Body,
    Encoded,
    Fields,
    Prefixes,
    check_insisted,
    check_schema,
    no_grammar,
    refused,
    unaccepted,
)
from polyathlon.agents.models.completion import Count, decoded, failed_inside, finished
from polyathlon.agents.models.encoding import as_pictures, png_base64, takes_long
from polyathlon.agents.models.families import PLAIN, Terms
from polyathlon.core.models import Finish, Message, ModelError, Reply, Request, ToolCall, Usage
from polyathlon.core.parts import Image, Modality, Part, Text, Video, modality

_encode = msgspec.json.Encoder().encode


class ResponsesWriter:
    """Writes requests to one model. `path` is where they go."""

    path = "/responses"

    def __init__(self, model: str, accepts: frozenset[Modality]) -> None:
        self._model = model
        self._accepts = accepts
        self._prefixes = Prefixes(lambda message: self._message(message))

    async def written(self, request: Request, terms: Terms = PLAIN) -> Body:
        """`write`, off the event loop where that takes long."""
        if takes_long(self._prefixes.fresh(request.thread)):
            return await anyio.to_thread.run_sync(self.write, request, terms)
        return self.write(request, terms)

    def write(self, request: Request, terms: Terms = PLAIN) -> Body:
        """The whole body, within the terms of the model.

        Raises ModelError when the model cannot be asked this.
        """
        settings, told = self._settings(request, terms)
        items = self._prefixes.joined(request.thread)
        check_insisted(self._model, terms, items.holds)
        json = b'%b,"input":[%b]}' % (_encode(settings)[:-1], items.json)
        return Body(json, (*items.conversions, *told), frozenset(settings))

    def _settings(self, request: Request, terms: Terms) -> tuple[Fields, list[str]]:
        sampling, changed = terms.fitted(request.sampling)
        told = ["asked through the Responses API", *changed]
        told += [
            f"{n} not sent" for n in ("seed", "stop") if getattr(sampling, n) not in (None, ())
        ]
        include = [] if terms.family.efforts == () else ["reasoning.encrypted_content"]
        fields: dict[str, Any] = {"model": self._model, "store": False}
        given = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_output_tokens": sampling.max_tokens,
        }
        fields.update({name: value for name, value in given.items() if value is not None})
        if sampling.effort is not None:
            fields["reasoning"] = {"effort": sampling.effort}
        if request.tools:
            fields["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.doc,
                    "parameters": tool.parameters,
                    "strict": False,
                }
                for tool in request.tools
            ]
        if request.schema is not None:
            check_schema(self._model, terms)
            form = {"type": "json_schema", "name": "reply", "schema": request.schema}
            fields["text"] = {"format": form}
        elif request.grammar:
            raise no_grammar(self._model)
        if request.logprobs:
            if why := terms.withheld("logprobs", sampling.effort):
                told.append(why)
            else:
                include.append("message.output_text.logprobs")
                fields["top_logprobs"] = 0
        if request.token_ids:
            told.append("token ids not asked for: the server gives none")
        if include:
            fields["include"] = include
        return fields, told

    def _message(self, message: Message) -> Encoded:
        conversions: list[str] = []
        holds = frozenset(modality(part) for part in message.parts)
        plain = all(isinstance(part, Text) for part in message.parts)
        if not plain and message.speaker != "user":
            raise refused(f"media belongs into user messages, not {message.speaker} messages")
        if message.speaker == "assistant":
            return self._said(message, conversions, holds)
        if message.speaker == "tool":
            result = {"type": "function_call_output", "call_id": message.tool_call_id}
            return Encoded(_encode({**result, "output": message.text}), (), holds)
        content: Any = message.text
        if not plain:
            content = [item for part in message.parts for item in self._items(part, conversions)]
        item = {"role": message.speaker, "content": content}
        return Encoded(_encode(item), tuple(conversions), holds)

    def _said(
        self, message: Message, conversions: list[str], holds: frozenset[Modality]
    ) -> Encoded:
        items = _kept(message)
        if items:
            return Encoded(b",".join(items), (), holds)
        if message.reasoning or message.opaque:
            conversions.append("earlier reasoning not sent back")
        said: list[Fields] = []
        if message.text or not message.tool_calls:
            said.append({"role": "assistant", "content": message.text})
        said += [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments,
            }
            for call in message.tool_calls
        ]
        return Encoded(b",".join(map(_encode, said)), tuple(conversions), holds)

    def _items(self, part: Part, conversions: list[str]) -> list[Fields]:
        if isinstance(part, Video) and "image" in self._accepts:
            pictures = as_pictures(part)
            conversions.append(pictures.conversion)
            return [_text(pictures.caption), *map(_image, pictures.images)]
        if isinstance(part, Text):
            return [_text(part)]
        if isinstance(part, Image) and "image" in self._accepts:
            return [_image(part)]
        raise unaccepted(self._model, modality(part))


class _Token(msgspec.Struct):
    logprob: float


class _Piece(msgspec.Struct):
    text: str | None = None
    refusal: str | None = None
    logprobs: list[_Token] | None = None


class _Item(msgspec.Struct):
    type: str | None = None
    content: list[_Piece] | str | None = None
    summary: list[_Piece] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    phase: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: Count = None
    cache_write_tokens: Count = None
    reasoning_tokens: Count = None


class _Usage(msgspec.Struct):
    input_tokens: Count = None
    output_tokens: Count = None
    input_tokens_details: _Details | None = None
    output_tokens_details: _Details | None = None


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Response(msgspec.Struct):
    id: str | None = None
    status: str | None = None
    output: list[msgspec.Raw] | None = None
    usage: _Usage | None = None
    error: Any = None
    incomplete_details: _Incomplete | None = None


class _Opaque(msgspec.Struct):
    responses: list[msgspec.Raw] | None = None


_decode = msgspec.json.Decoder(_Response).decode
_decode_item = msgspec.json.Decoder(_Item).decode
_decode_opaque = msgspec.json.Decoder(_Opaque).decode


def read_response(data: bytes) -> Reply:
    """The reply in a body that came with success; without latency, cost and conversions.

    Raises ModelError with cause `bad_json`, `empty_reply` or that of an error inside the body.
    """
    response: _Response = decoded(_decode, data)
    if response.error or response.status == "failed":
        return failed_inside(response.error or "generation failed")
    if response.status in ("queued", "in_progress", "cancelled"):
        raise ModelError("server_error", f"the response is {response.status}", retryable=True)
    items = response.output or []
    read = [decoded(_decode_item, bytes(item)) for item in items]
    kept = any(item.type not in ("message", "function_call") or item.phase for item in read)
    return finished(
        msgspec.structs.replace(
            _reply(read, _finish(response)),
            usage=_usage(response.usage),
            raw_id=response.id or "",
            opaque=b'{"responses":[%b]}' % b",".join(items) if kept else b"",
        )
    )


def _reply(items: list[_Item], finish: Finish) -> Reply:
    pieces = [piece for item in items if item.type == "message" for piece in _pieces(item.content)]
    refusal = "".join(piece.refusal or "" for piece in pieces)
    text = "".join(piece.text or "" for piece in pieces)
    thoughts = [
        piece.text or ""
        for item in items
        if item.type == "reasoning"
        for piece in (item.summary or _pieces(item.content))
    ]
    calls = tuple(
        ToolCall(item.call_id or "", item.name or "", item.arguments or "")
        for item in items
        if item.type == "function_call"
    )
    return Reply(
        text=text or refusal,
        reasoning="\n".join(thoughts),
        tool_calls=calls,
        finish="refusal" if refusal else finish,
        logprobs=tuple(token.logprob for piece in pieces for token in piece.logprobs or ()),
    )


def _pieces(content: list[_Piece] | str | None) -> list[_Piece]:
    return [_Piece(content)] if isinstance(content, str) else content or []


def _finish(response: _Response) -> Finish:
    if response.status != "incomplete":
        return "stop"
    reason = response.incomplete_details.reason if response.incomplete_details else None
    return "refusal" if reason == "content_filter" else "length"


def _usage(usage: _Usage | None) -> Usage:
    if usage is None:
        return Usage()
    given = usage.input_tokens_details or _Details()
    made = usage.output_tokens_details or _Details()
    total, output = usage.input_tokens or 0, usage.output_tokens or 0
    cached = min(total, given.cached_tokens or 0)
    return Usage(
        input=total,
        cached=cached,
        output=output,
        reasoning=min(output, made.reasoning_tokens or 0),
        cache_write=min(total - cached, given.cache_write_tokens or 0),
    )


def _kept(message: Message) -> list[msgspec.Raw]:
    """The output items that a message came from, where they still say what the message says."""
    if not message.opaque:
        return []
    try:
        items = _decode_opaque(message.opaque).responses or []
        said = _reply([_decode_item(item) for item in items], "stop")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    same = (said.text, said.tool_calls) == (message.text, message.tool_calls)
    return items if same else []


def _text(text: Text) -> Fields:
    return {"type": "input_text", "text": text.text}


def _image(image: Image) -> Fields:
    url = msgspec.Raw(b'"data:image/png;base64,%b"' % png_base64(image).encode())
    return {"type": "input_image", "detail": "auto", "image_url": url}
