"""Reading chat completions: untrusted bytes become a Reply or a ModelError, nothing else."""

from __future__ import annotations

from typing import Any

import msgspec

from polyathlon.agents.models.reading import (
    Count,
    Dollars,
    InputDetails,
    OutputDetails,
    counted,
    decoded,
    failed_inside,
    finished,
)
from polyathlon.core.models import Finish, ModelError, Reply, ToolCall

FINISHES: dict[str, Finish] = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
    "refusal": "refusal",
}


class _CostDetails(msgspec.Struct):
    upstream_inference_cost: Dollars = None


class _Usage(msgspec.Struct):
    total: Count = msgspec.field(default=None, name="prompt_tokens")
    output: Count = msgspec.field(default=None, name="completion_tokens")
    given: InputDetails | None = msgspec.field(default=None, name="prompt_tokens_details")
    made: OutputDetails | None = msgspec.field(default=None, name="completion_tokens_details")
    cost: Dollars = None
    is_byok: bool | None = None
    cost_details: _CostDetails | None = None


class _Function(msgspec.Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw()


class _Call(msgspec.Struct):
    function: _Function
    id: str | int | None = None


class _Piece(msgspec.Struct):
    """A part of a content list; Mistral's `thinking` holds pieces of its own."""

    text: str | None = None
    thinking: list[_Piece | str] | str | None = None
    refusal: str | None = None


class _Message(msgspec.Struct):
    content: list[_Piece | str] | str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: list[msgspec.Raw] | None = None
    tool_calls: list[_Call] | None = None


class _Token(msgspec.Struct):
    logprob: float
    id: int | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None
    error: Any = None


class _Verbose(msgspec.Struct):
    """What llama.cpp adds for `verbose`: the prompt as its template wrote it, the reply's ids."""

    prompt: str | None = None
    tokens: list[int] | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    id: str | None = None
    error: Any = None
    prompt_token_ids: list[int] | None = None
    verbose: _Verbose | None = msgspec.field(default=None, name="__verbose")


_decode = msgspec.json.Decoder(_Completion).decode
_decode_text = msgspec.json.Decoder(str).decode


def read_completion(data: bytes) -> Reply:
    """The reply in a body that came with success; without latency and conversions.

    Its cost is what the server states, None where it states none. Calls without an id have "".
    Raises ModelError with cause `bad_json`, `empty_reply` or that of an error inside the body.
    """
    completion = decoded(_decode, data)
    if completion.error:
        return failed_inside(completion.error)
    if not completion.choices:
        raise ModelError("empty_reply", "no choices", retryable=True)
    choice = completion.choices[0]
    if choice.error or choice.finish_reason == "error":
        return failed_inside(choice.error or "generation failed")
    usage = completion.usage or _Usage()
    ids = choice.token_ids or (completion.verbose.tokens if completion.verbose else None) or ()
    return msgspec.structs.replace(
        _reply(choice, tuple(ids)),
        usage=counted(usage),
        cost_usd=_cost_usd(usage),
        raw_id=completion.id or "",
        prompt_ids=tuple(completion.prompt_token_ids or ()),
    )


def read_prompt(data: bytes) -> str:
    """The prompt as llama.cpp's template wrote it, "" where the body does not hold it."""
    verbose = decoded(_decode, data).verbose
    return (verbose.prompt or "") if verbose else ""


def _reply(choice: _Choice, ids: tuple[int, ...]) -> Reply:
    message = choice.message
    calls = tuple(
        ToolCall("" if call.id is None else str(call.id), call.function.name, _arguments(call))
        for call in message.tool_calls or ()
    )
    text, thoughts, refusal = _pieces(message.content)
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    refusal = message.refusal or refusal
    return finished(
        Reply(
            text=text or refusal,
            reasoning=message.reasoning_content or message.reasoning or thoughts,
            tool_calls=calls,
            finish="refusal" if refusal else FINISHES.get(choice.finish_reason or "", "stop"),
            token_ids=ids or tuple(token.id for token in tokens if token.id is not None),
            logprobs=tuple(token.logprob for token in tokens),
            opaque=_opaque(message.reasoning_details),
        )
    )


def _pieces(content: list[_Piece | str] | str | None) -> tuple[str, str, str]:
    """Text, thoughts and refusal of a content, whichever form it has."""
    if content is None or isinstance(content, str):
        return content or "", "", ""
    text = thoughts = refusal = ""
    for piece in content:
        if isinstance(piece, str):
            text += piece
        else:
            text += piece.text or ""
            thoughts += _pieces(piece.thinking)[0]
            refusal += piece.refusal or ""
    return text, thoughts, refusal


def _arguments(call: _Call) -> str:
    """The arguments as JSON text; some servers send them as JSON."""
    raw = bytes(call.function.arguments)
    if raw in (b"", b"null"):
        return ""
    if not raw.startswith(b'"'):
        return decoded(bytes.decode, raw)
    return decoded(_decode_text, raw)


def _opaque(details: list[msgspec.Raw] | None) -> bytes:
    """The details as they came, for the message that hands the reply back."""
    return b'{"reasoning_details":[%b]}' % b",".join(details) if details else b""


def _cost_usd(usage: _Usage) -> float | None:
    """What the server says a call cost; with a key of the user's own, what its provider takes."""
    if usage.cost is None:
        return None
    upstream = usage.cost_details.upstream_inference_cost if usage.cost_details else None
    return usage.cost + (upstream or 0.0 if usage.is_byok else 0.0)
