"""Reading chat completions: untrusted bytes become a Reply or a ModelError, nothing else."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from polyathlon.agents.models.failures import from_status
from polyathlon.core.models import Finish, ModelError, Reply, ToolCall, Usage

MAX_BYTES = 16 << 20
REFUSAL_CODES = ("content_filter", "content_policy_violation")

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)] | None

_FINISHES: dict[str, Finish] = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
    "refusal": "refusal",
}


class _InputDetails(msgspec.Struct):
    cached_tokens: Count = None
    audio_tokens: Count = None
    image_tokens: Count = None


class _OutputDetails(msgspec.Struct):
    reasoning_tokens: Count = None


class _Usage(msgspec.Struct):
    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None


class _Function(msgspec.Struct):
    name: str
    arguments: str = ""


class _Call(msgspec.Struct):
    function: _Function
    id: str | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None


class _Token(msgspec.Struct):
    logprob: float
    id: int | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Error(msgspec.Struct):
    message: str | None = None
    code: str | int | None = None
    type: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None
    error: _Error | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    id: str | None = None
    error: _Error | None = None


class _Failure(msgspec.Struct):
    error: _Error | str | None = None
    message: str | None = None


_decode = msgspec.json.Decoder(_Completion).decode
_decode_failure = msgspec.json.Decoder(_Failure).decode


def read_completion(data: bytes) -> Reply:
    """The reply in a body that came with success; without latency, cost and conversions.

    Raises ModelError with cause `bad_json`, `empty_reply` or that of an error inside the body.
    """
    try:
        completion = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError("bad_json", str(error)[:200], retryable=True) from error
    if completion.error is not None:
        raise _inner_error(completion.error)
    if not completion.choices:
        raise ModelError("empty_reply", "no choices", retryable=True)
    choice = completion.choices[0]
    if choice.error is not None or choice.finish_reason == "error":
        raise _inner_error(choice.error or _Error("generation failed"))
    return _reply(choice, _usage(completion.usage), completion.id or "")


def read_failure(status: int, data: bytes, headers: dict[str, str]) -> Reply | ModelError:
    """What an answer without success means: an error, or a refusal by the provider's filter."""
    try:
        failure = _decode_failure(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        failure = _Failure(data[:500].decode("utf-8", "replace"))
    error = failure.error
    if not isinstance(error, _Error):
        error = _Error(error or failure.message)
    message, code = error.message or "", str(error.code or error.type or "")
    if code in REFUSAL_CODES:
        return Reply(text=message, finish="refusal")
    return from_status(status, message, code, headers)


def _reply(choice: _Choice, usage: Usage, raw_id: str) -> Reply:
    message = choice.message
    calls = tuple(
        ToolCall(call.id or f"call_{n}", call.function.name, call.function.arguments)
        for n, call in enumerate(message.tool_calls or ())
    )
    text = message.content or message.refusal or ""
    reasoning = message.reasoning_content or message.reasoning or ""
    finish = _FINISHES.get(choice.finish_reason or "", "stop")
    if message.refusal:
        finish = "refusal"
    elif calls and finish == "stop":
        finish = "tool_calls"
    if finish in ("stop", "tool_calls") and not (text or reasoning or calls):
        raise ModelError("empty_reply", "no text and no tool call", retryable=True)
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    ids = choice.token_ids or [token.id for token in tokens if token.id is not None]
    return Reply(
        text=text,
        reasoning=reasoning,
        tool_calls=calls,
        finish=finish,
        usage=usage,
        raw_id=raw_id,
        token_ids=tuple(ids),
        logprobs=tuple(token.logprob for token in tokens),
    )


def _usage(usage: _Usage | None) -> Usage:
    if usage is None:
        return Usage()
    given = usage.prompt_tokens_details or _InputDetails()
    made = usage.completion_tokens_details or _OutputDetails()
    total = usage.prompt_tokens or 0
    return Usage(
        input=total,
        cached=min(total, given.cached_tokens or 0),
        output=usage.completion_tokens or 0,
        reasoning=made.reasoning_tokens or 0,
        image=given.image_tokens or 0,
        audio=given.audio_tokens or 0,
    )


def _inner_error(error: _Error) -> ModelError:
    """An error told inside a body that came with success (OpenRouter's way)."""
    status = error.code if isinstance(error.code, int) and 400 <= error.code < 600 else 500
    return from_status(status, error.message or "error without a message")
