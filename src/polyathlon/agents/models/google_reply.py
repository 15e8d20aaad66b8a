"""Reading Google's answers: untrusted bytes become a Reply or a ModelError, nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.agents.models.failures import Told, from_status, inside_status
from polyathlon.agents.models.http import Answer
from polyathlon.agents.models.opaque import sealed
from polyathlon.agents.models.reading import Count, finished, items, opened
from polyathlon.core.models import Finish, ModelError, Reply, ToolCall, Usage

NAMELESS = "call_of_"
"""How the ids begin that are made here for calls that came without one."""

_LENGTHS = ("MAX_TOKENS", "CONTINUATION")
_REFUSALS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
             "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION")  # fmt: skip
_FAILURES = ("LANGUAGE", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
             "NO_IMAGE", "IMAGE_OTHER")  # fmt: skip
"""https://ai.google.dev/api/generate-content#FinishReason (others: `stop`)"""

_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")
_TOO_LONG = re.compile(r"token count .*exceeds the maximum", re.DOTALL)


class _Call(msgspec.Struct):
    name: str = ""
    id: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"{}")


class _Part(msgspec.Struct, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: _Call | None = None


class _Content(msgspec.Struct):
    parts: msgspec.Raw = msgspec.Raw(b"null")


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None
    block_reason_message: str | None = None


class _Tokens(msgspec.Struct, rename="camel"):
    modality: str | None = None
    token_count: Count = None


class _Usage(msgspec.Struct, rename="camel"):
    prompt_token_count: Count = None
    tool_use_prompt_token_count: Count = None
    cached_content_token_count: Count = None
    candidates_token_count: Count = None
    thoughts_token_count: Count = None
    prompt_tokens_details: list[_Tokens] | None = None
    candidates_tokens_details: list[_Tokens] | None = None


class _Response(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Usage | None = None
    response_id: str | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Response).decode
_decode_parts = msgspec.json.Decoder(list[_Part] | None).decode


def read(answer: Answer, name: str) -> Reply:
    """The reply of the model `name`; without latency and cost. Raises ModelError."""
    response = opened(answer, _decode, _failed)
    candidate = (response.candidates or [_Candidate()])[0]
    written = (candidate.content or _Content()).parts
    parts = items(_decode_parts, written)
    if not response.candidates and (blocked := response.prompt_feedback) is not None:
        words = blocked.block_reason_message or blocked.block_reason or ""
        usage = _usage(response.usage_metadata or _Usage())
        return Reply(words, finish="refusal", usage=usage, raw_id=response.response_id or "")
    return finished(_reply(response, candidate, parts, _opaque(written, parts, name)))


def _reply(
    response: _Response, candidate: _Candidate, parts: Sequence[_Part], opaque: bytes
) -> Reply:
    reason = candidate.finish_reason or ""
    if reason in _FAILURES:
        detail = f"{reason}: {candidate.finish_message or 'generation failed'}"
        raise ModelError("server_error", detail[:500], retryable=True)
    text = "".join(part.text or "" for part in parts if not part.thought)
    thoughts = [part.text for part in parts if part.thought and part.text]
    calls = _calls(response, parts)
    finish: Finish = "stop"
    if reason in _LENGTHS:
        finish = "length"
    elif reason in _REFUSALS:
        finish, text = "refusal", text or candidate.finish_message or reason
    return Reply(
        text=text,
        reasoning="\n".join(thoughts),
        tool_calls=calls,
        finish=finish,
        usage=_usage(response.usage_metadata or _Usage()),
        raw_id=response.response_id or "",
        opaque=opaque,
    )


def _calls(response: _Response, parts: Sequence[_Part]) -> tuple[ToolCall, ...]:
    asked = [part.function_call for part in parts if part.function_call is not None]
    return tuple(
        ToolCall(
            call.id or f"{NAMELESS}{response.response_id or 'reply'}_{n}",
            call.name,
            bytes(call.args).decode(),
        )
        for n, call in enumerate(asked)
    )


def _usage(usage: _Usage) -> Usage:
    """Thoughts are counted beside the candidates, and results of Google's tools beside the prompt.

    https://ai.google.dev/api/generate-content#UsageMetadata
    """
    given, made = _modalities(usage.prompt_tokens_details), usage.candidates_tokens_details
    thoughts = usage.thoughts_token_count or 0
    total = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
    return Usage(
        input=total,
        cached=min(total, usage.cached_content_token_count or 0),
        output=(usage.candidates_token_count or 0) + thoughts,
        reasoning=thoughts,
        image=given.get("IMAGE", 0),
        audio=given.get("AUDIO", 0),
        video=given.get("VIDEO", 0),
        audio_output=_modalities(made).get("AUDIO", 0),
    )


def _modalities(details: Sequence[_Tokens] | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    for tokens in details or ():
        kind = tokens.modality or ""
        counts[kind] = counts.get(kind, 0) + (tokens.token_count or 0)
    return counts


def _opaque(written: msgspec.Raw, parts: Sequence[_Part], name: str) -> bytes:
    """The parts as they came, where some are thoughts or signed."""
    if not any(part.thought or part.thought_signature for part in parts):
        return b""
    return sealed(name, bytes(written))


def _failed(answer: Answer, said: Told) -> ModelError:
    """The error with its `google.rpc` details read: the wait, the reason, the quota.

    https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
    """
    details, code, status = said.details, "", answer.status
    if status < 300:
        status = inside_status(said)
    if _TOO_LONG.search(said.message):
        code = "context_length_exceeded"
    elif status == 429 and _daily(details):
        code = "insufficient_quota"
    elif any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        status = 401
    headers = dict(answer.headers)
    if (wait_s := _wait_s(details)) is not None:
        headers["retry-after"] = wait_s
    return from_status(status, said.message, code, headers)


def _wait_s(details: Sequence[Mapping[str, Any]]) -> str | None:
    """The seconds of a `RetryInfo`, such as `47s` or `2.5s`."""
    delays = (_DELAY.fullmatch(str(detail.get("retryDelay", ""))) for detail in details)
    return next((delay[1] for delay in delays if delay), None)


def _daily(details: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a quota of the day is used up, which no wait of this run can mend."""
    violations = [v for detail in details if isinstance(v := detail.get("violations"), list)]
    quotas = (quota for several in violations for quota in several if isinstance(quota, dict))
    return any("PerDay" in str(quota.get("quotaId", "")) for quota in quotas)
