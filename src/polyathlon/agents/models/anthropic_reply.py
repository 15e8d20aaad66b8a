"""Reading Anthropic's answers: untrusted bytes become a Reply or a ModelError, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from polyathlon.agents.models.failures import Told, from_status
from polyathlon.agents.models.http import Answer
from polyathlon.agents.models.opaque import sealed
from polyathlon.agents.models.reading import Count, finished, items, opened
from polyathlon.core.models import Finish, ModelError, Reply, ToolCall, Usage

_FINISHES: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refusal",
}
"""https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (others: `stop`)"""

_STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""https://platform.claude.com/docs/en/api/errors"""

_LENGTH = ("prompt is too long", "exceed context limit", "exceeds the context window")
_QUOTA = ("credit balance is too low", "usage limit", "spend limit")
_LIMITS = ("requests", "tokens", "input-tokens", "output-tokens")


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"{}")


class _Made(msgspec.Struct):
    thinking_tokens: Count = None


class _Usage(msgspec.Struct):
    input_tokens: Count = None
    output_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_creation_input_tokens: Count = None
    output_tokens_details: _Made | None = None


class _Stop(msgspec.Struct):
    explanation: str | None = None
    category: str | None = None


class _Change(msgspec.Struct):
    type: str = ""
    reason: str | None = None


class _Message(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b"null")
    id: str | None = None
    stop_reason: str | None = None
    stop_details: _Stop | None = None
    usage: _Usage | None = None
    input_transformations: list[_Change] | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Message).decode
_decode_blocks = msgspec.json.Decoder(list[_Block] | None).decode


def read(answer: Answer, name: str) -> Reply:
    """The reply of the model `name`; without latency and cost. Raises ModelError."""
    message = opened(answer, _decode, _failed)
    return finished(_reply(message, items(_decode_blocks, message.content), name))


def _reply(message: _Message, blocks: Sequence[_Block], name: str) -> Reply:
    asked = [block for block in blocks if block.type == "tool_use"]
    calls = tuple(
        ToolCall(b.id or f"{message.id or 'call'}_{n}", b.name or "", bytes(b.input).decode())
        for n, b in enumerate(asked)
    )
    text = "".join(block.text or "" for block in blocks if block.type == "text")
    reasoning = "\n".join(b.thinking for b in blocks if b.type == "thinking" and b.thinking)
    finish = _FINISHES.get(message.stop_reason or "", "stop")
    if finish == "refusal" and not text and message.stop_details is not None:
        text = message.stop_details.explanation or message.stop_details.category or ""
    return Reply(
        text=text,
        reasoning=reasoning,
        tool_calls=calls,
        finish=finish,
        usage=_usage(message.usage or _Usage()),
        raw_id=message.id or "",
        conversions=_changes(message.input_transformations or ()),
        opaque=_opaque(message.content, blocks, name),
    )


def _usage(usage: _Usage) -> Usage:
    """Anthropic counts what was read from and written to the cache beside the other input."""
    cached, cache_write = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    made = usage.output_tokens_details or _Made()
    return Usage(
        input=(usage.input_tokens or 0) + cached + cache_write,
        cached=cached,
        cache_write=cache_write,
        output=usage.output_tokens or 0,
        reasoning=made.thinking_tokens or 0,
    )


def _changes(changes: Sequence[_Change]) -> tuple[str, ...]:
    dropped = [change.reason or "?" for change in changes if change.type == "thinking_dropped"]
    reasons = ", ".join(dict.fromkeys(dropped))
    return (
        (f"{len(dropped)} earlier thoughts left out by the server: {reasons}",) if dropped else ()
    )


def _opaque(content: msgspec.Raw, blocks: Sequence[_Block], name: str) -> bytes:
    """The content as it came, where it holds more than can be written again: signed thoughts."""
    if all(block.type in ("text", "tool_use") for block in blocks):
        return b""
    return sealed(name, bytes(content))


def _failed(answer: Answer, said: Told) -> ModelError:
    words, code, status = said.message.lower(), "", answer.status
    if status < 300:
        status = next((_STATUSES[kind] for kind in said.codes if kind in _STATUSES), 500)
    if any(known in words for known in _LENGTH):
        code = "context_length_exceeded"
    elif "billing_error" in said.codes or (status < 429 and any(w in words for w in _QUOTA)):
        code = "insufficient_quota"
    headers = dict(answer.headers)
    if "retry-after" not in headers and (wait_s := _reset_s(headers)) is not None:
        headers["retry-after"] = str(wait_s)
    return from_status(status, said.message, code, headers)


def _reset_s(headers: Mapping[str, str]) -> float | None:
    """Seconds until the last of the used up limits is filled again, by the server's clock.

    https://platform.claude.com/docs/en/api/rate-limits#response-headers
    """
    waits: list[float] = []
    for limit in _LIMITS:
        if headers.get(f"anthropic-ratelimit-{limit}-remaining") != "0":
            continue
        try:
            reset = datetime.fromisoformat(headers[f"anthropic-ratelimit-{limit}-reset"])
            now = parsedate_to_datetime(headers["date"])
            waits.append(max(0.0, (reset - now).total_seconds()))
        except (KeyError, ValueError, TypeError, OverflowError):
            continue
    return max(waits, default=None)
