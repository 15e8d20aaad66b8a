"""OpenAI's Responses API: bodies from threads, replies from output items.

The newest reasoning models take tools nowhere else. Requests are not stored with the provider; the
thoughts come back encrypted, and go into the next request byte for byte as they came.
"""

from __future__ import annotations

from typing import Any

import msgspec

from polyathlon.agents.models.encoding import as_pictures
from polyathlon.agents.models.families import Terms
from polyathlon.agents.models.prefixes import Piece, Prefixes
from polyathlon.agents.models.reading import (
    Count,
    InputDetails,
    OutputDetails,
    counted,
    decoded,
    failed_inside,
    finished,
)
from polyathlon.agents.models.writing import (
    Fields,
    check_schema,
    no_grammar,
    only_text,
    png_url,
    unaccepted,
)
from polyathlon.core.models import Finish, Message, ModelError, Reply, Request, ToolCall
from polyathlon.core.parts import Image, Modality, Part, Text, Video, modality

PATH = "/responses"

_encode = msgspec.json.Encoder().encode


class ResponsesWriter:
    """Writes requests to one model."""

    path, conversation = PATH, b"input"

    def __init__(self, model: str, accepts: frozenset[Modality]) -> None:
        self._model = model
        self._accepts = accepts
        self.prefixes = Prefixes(lambda node: self._message(node.message))

    def settings(self, request: Request, terms: Terms) -> tuple[Fields, list[str]]:
        """The fields beside the conversation, and what was changed. Raises ModelError."""
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

    def _message(self, message: Message) -> Piece:
        plain, conversions = only_text(message), list[str]()
        match message.speaker:
            case "assistant":
                items = self._said(message, conversions)
            case "tool":
                result = {"type": "function_call_output", "call_id": message.tool_call_id}
                items = _encode({**result, "output": message.text})
            case _ if plain:
                items = _encode({"role": message.speaker, "content": message.text})
            case _:
                shown = [item for part in message.parts for item in self._items(part, conversions)]
                items = _encode({"role": message.speaker, "content": shown})
        holds = frozenset(modality(part) for part in message.parts)
        return Piece(items=items, conversions=tuple(conversions), holds=holds)

    def _said(self, message: Message, conversions: list[str]) -> bytes:
        if items := _kept(message):
            return b",".join(items)
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
        return b",".join(map(_encode, said))

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


class _Usage(msgspec.Struct):
    total: Count = msgspec.field(default=None, name="input_tokens")
    output: Count = msgspec.field(default=None, name="output_tokens")
    given: InputDetails | None = msgspec.field(default=None, name="input_tokens_details")
    made: OutputDetails | None = msgspec.field(default=None, name="output_tokens_details")


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
    response = decoded(_decode, data)
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
            usage=counted(response.usage or _Usage()),
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
    return {"type": "input_image", "detail": "auto", "image_url": png_url(image)}
