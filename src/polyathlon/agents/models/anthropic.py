"""Claude models, through Anthropic's Messages API."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from polyathlon.agents.models.anthropic_families import Claude, claude
from polyathlon.agents.models.anthropic_reply import read
from polyathlon.agents.models.efforts import BUDGETS, settled
from polyathlon.agents.models.encoding import as_pictures, png_base64
from polyathlon.agents.models.families import Terms
from polyathlon.agents.models.hosted import HostedModel, check
from polyathlon.agents.models.http import Answer, Http
from polyathlon.agents.models.keys import api_key
from polyathlon.agents.models.opaque import unsealed
from polyathlon.agents.models.prefixes import Piece, Prefix, Prefixes
from polyathlon.agents.models.prices import known_price
from polyathlon.agents.models.schemas import anthropic_schema
from polyathlon.agents.models.writing import (
    Written,
    as_object,
    quoted,
    refused,
    unaccepted,
)
from polyathlon.core.models import (
    Abilities,
    Message,
    Price,
    Reply,
    Request,
    Sampling,
    Thread,
    ToolSchema,
)
from polyathlon.core.parts import Image, Modality, Part, Text, Video, modality

BASE_URL = "https://api.anthropic.com"
PATH = "/v1/messages"
VERSION = "2026-10-21"
SAMPLING_VERSION = "2023-06-01"
"""The last version of the API that knows temperature and top_p, for models that take them.
https://platform.claude.com/docs/en/api/migration-2026-10-21"""
BINDING_BETA = "thinking-binding-controls-2026-08-01"
"""https://platform.claude.com/docs/en/build-with-claude/preserved-thinking"""
OUTPUT_TOKENS, THINKING_OUTPUT_TOKENS = 4_096, 20_000
"""Limits where a request names none. They hold thoughts as well, and the API insists on one."""
LEAST_BUDGET = 1_024
ACCEPTS: frozenset[Modality] = frozenset({"text", "image"})

_encode = msgspec.json.Encoder().encode
_USER, _ASSISTANT = b'{"role":"user","content":[', b'{"role":"assistant","content":['
_CLOSE = b"]}"
_CACHED = b',"cache_control":{"type":"ephemeral","ttl":"5m"}}'
_DROP = {"prefix_mismatch_behavior": "drop_block"}


def anthropic(name: str, price: Price | None = None) -> HostedModel:
    """A Claude model by its name; the key is in ANTHROPIC_API_KEY.

    An effort of digits is a thinking budget in tokens. ANTHROPIC_BASE_URL redirects it.
    """
    key = api_key("ANTHROPIC_API_KEY", f"anthropic/{name}")
    url = os.environ.get("ANTHROPIC_BASE_URL", BASE_URL)
    return HostedModel(
        f"anthropic/{name}",
        http=Http(url, {"x-api-key": key}),
        interface=ClaudeMessages(name),
        abilities=Abilities(ACCEPTS, tools=True, schema=True),
        group="anthropic",
        price=price or known_price("anthropic", name),
        family=claude(name).family,
        key=key,
    )


class ClaudeMessages:
    """One Claude model behind the Messages API.

    A request that tells the model not to think is written without its earlier thoughts, which the
    API would refuse.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._name = f"anthropic/{model}"
        self._known = claude(model)
        self._thinking = Prefixes(self._piece, _CLOSE)
        self._thoughtless = Prefixes(self._thoughtless_piece, _CLOSE)

    async def written(self, request: Request, terms: Terms) -> Written:
        """Raises ModelError when the model cannot be asked this."""
        settings = self._settings(request, terms)
        off = settings.fields.get("thinking") == {"type": "disabled"}
        prefixes = self._thoughtless if off else self._thinking
        return _joined(settings, await prefixes.written(request.thread))

    def most_output(self, request: Request, terms: Terms) -> int:
        """The limit that goes out with a request, which holds thoughts too. Raises ModelError."""
        sampling, _ = settled(request.sampling, terms, self._known.unasked)
        return _thought(self._known, self._name, sampling).max_tokens

    async def read(self, answer: Answer, request: Request, written: Written) -> Reply:
        """Raises ModelError for what is no reply."""
        return read(answer, self._name)

    def _settings(self, request: Request, terms: Terms) -> _Settings:
        check(request, self._name)
        made = _Settings()
        sampling, made.conversions = settled(request.sampling, terms, self._known.unasked)
        thought = _thought(self._known, self._name, sampling)
        made.fields |= {"model": self._model, "max_tokens": thought.max_tokens}
        made.fields |= thought.fields
        made.conversions += thought.conversions
        _sample(made, sampling)
        if request.tools:
            made.fields["tools"] = [_tool(tool) for tool in request.tools]
            made.fields["tool_choice"] = {"type": "auto"}
        if request.schema is not None:
            fitted = anthropic_schema(request.schema)
            output = made.fields.setdefault("output_config", {})
            output["format"] = {"type": "json_schema", "schema": fitted.schema}
            made.conversions += fitted.conversions
        if "block_binding" in made.fields.get("thinking", {}):
            made.headers["anthropic-beta"] = BINDING_BETA
        made.fields["stream"] = False
        return made

    def _piece(self, node: Thread) -> Piece:
        message = node.message
        match message.speaker:
            case "system":
                return Piece(system=_text(message.text) if message.text.strip() else b"")
            case "user":
                return self._user(message)
            case "tool":
                return Piece(_USER, _tool_result(message), group="results")
            case "assistant":
                signed = unsealed(message, self._name)
                return _said(message) if signed is None else Piece(_ASSISTANT, signed)

    def _thoughtless_piece(self, node: Thread) -> Piece:
        message = node.message
        return _said(message) if message.speaker == "assistant" else self._piece(node)

    def _user(self, message: Message) -> Piece:
        conversions: list[str] = []
        items = [item for part in message.parts for item in self._items(part, conversions)]
        return Piece(_USER, b",".join(items), conversions=tuple(conversions))

    def _items(self, part: Part, conversions: list[str]) -> list[bytes]:
        """The content blocks of a part; none for blank text, which the API refuses."""
        match part:
            case Text():
                return [_text(part.text)] if part.text.strip() else []
            case Image():
                return [_image(part)]
            case Video():
                pictures = as_pictures(part)
                conversions.append(pictures.conversion)
                return [_text(pictures.caption.text), *map(_image, pictures.images)]
            case _:
                raise unaccepted(self._name, modality(part))


class _Settings(msgspec.Struct):
    """All of a request but its messages."""

    fields: dict[str, Any] = {}
    headers: dict[str, str] = msgspec.field(default_factory=lambda: {"anthropic-version": VERSION})
    conversions: tuple[str, ...] = ()


class _Thought(msgspec.Struct, frozen=True):
    """How a request asks for thought, and the limit that holds it."""

    max_tokens: int
    fields: dict[str, Any] = {}
    conversions: tuple[str, ...] = ()


def _thought(known: Claude, name: str, sampling: Sampling) -> _Thought:
    effort, limit = sampling.effort, sampling.max_tokens
    if effort == "none" or (effort is None and not known.unasked):
        told = effort == "none" and known.off
        off = {"thinking": {"type": known.off}} if told else {}
        return _Thought(limit or OUTPUT_TOKENS, off)
    if effort is not None and (known.thinking == "budget" or effort.isdigit()):
        return _budgeted(known, name, effort, limit)
    thinking: dict[str, Any] = {"type": "adaptive", "display": "summarized"}
    if known.bound:
        thinking["block_binding"] = _DROP
    fields: dict[str, Any] = {"thinking": thinking}
    if effort is not None:
        fields["output_config"] = {"effort": effort}
    return _Thought(limit or THINKING_OUTPUT_TOKENS, fields)


def _budgeted(known: Claude, name: str, effort: str, limit: int | None) -> _Thought:
    """Thought within a budget, which must be below the limit; the limit is never raised."""
    budget = int(effort) if effort.isdigit() else BUDGETS[effort]
    conversions: tuple[str, ...] = ()
    if budget < LEAST_BUDGET:
        raise refused(f"{name} thinks in at least {LEAST_BUDGET} tokens: not {budget}")
    if limit is None:
        limit = max(THINKING_OUTPUT_TOKENS, budget + OUTPUT_TOKENS)
        limit = min(limit, known.family.output_tokens or limit)
    if limit <= LEAST_BUDGET or (effort.isdigit() and limit <= budget):
        least = budget if effort.isdigit() else LEAST_BUDGET
        raise refused(
            f"{name} needs max_tokens above {least} to think with effort {effort}: raise it or"
            " think less"
        )
    if limit <= budget:
        lowered = max(LEAST_BUDGET, limit // 2)
        conversions += (f"thinking budget {budget} sent as {lowered}, to fit into max_tokens",)
        budget = lowered
    fields: dict[str, Any] = {"thinking": {"type": "enabled", "budget_tokens": budget}}
    if known.effort and not effort.isdigit():
        fields["output_config"] = {"effort": effort}
    return _Thought(limit, fields, conversions)


def _sample(made: _Settings, sampling: Sampling) -> None:
    """Add what may be sent of a request's sampling: temperature or top_p, and stops with words."""
    for name in ("temperature", "top_p"):
        value = getattr(sampling, name)
        if value is None:
            continue
        if "temperature" in made.fields:
            made.conversions += (f"{name} not sent beside temperature",)
        else:
            made.fields[name] = value
            made.headers["anthropic-version"] = SAMPLING_VERSION
    stops = [stop for stop in sampling.stop if stop.strip()]
    if stops:
        made.fields["stop_sequences"] = stops
    if len(stops) < len(sampling.stop):
        made.conversions += ("blank stop not sent",)


def _joined(settings: _Settings, prefix: Prefix) -> Written:
    pieces = [_encode(settings.fields)[:-1]]
    if prefix.system:
        *earlier, last = prefix.system
        pieces += [b',"system":[', b",".join([*earlier, last[:-1] + _CACHED]), b"]"]
    pieces += [b',"messages":[', prefix.messages, b"]}"]
    conversions = (*prefix.conversions, *settings.conversions)
    fields = frozenset(settings.fields) | frozenset(settings.fields.get("output_config", ()))
    return Written(PATH, b"".join(pieces), conversions, fields, settings.headers)


def _said(message: Message) -> Piece:
    blocks = [_text(message.text)] if message.text.strip() else []
    conversions: tuple[str, ...] = ()
    if message.reasoning or message.opaque:
        conversions += ("earlier reasoning not sent back",)
    for call in message.tool_calls:
        arguments = as_object(call.arguments)
        if arguments is None:
            conversions += ("unreadable tool arguments sent as none",)
        fields = {"type": "tool_use", "id": call.id, "name": call.name}
        blocks.append(_encode({**fields, "input": arguments or {}}))
    return Piece(_ASSISTANT, b",".join(blocks), conversions=conversions)


def _tool_result(message: Message) -> bytes:
    content = [{"type": "text", "text": message.text}] if message.text.strip() else []
    fields = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": content}
    return _encode({**fields, "is_error": False})


def _text(text: str) -> bytes:
    return _encode({"type": "text", "text": text})


def _image(image: Image) -> bytes:
    source = {"type": "base64", "media_type": "image/png", "data": quoted(png_base64(image))}
    return _encode({"type": "image", "source": source})


def _tool(tool: ToolSchema) -> Mapping[str, Any]:
    return {"name": tool.name, "description": tool.doc, "input_schema": tool.parameters}
