"""What all readers of answers share: untrusted bytes become a Reply or a ModelError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar

import msgspec

from polyathlon.agents.models.failures import Told, failure, inside_status, told, told_by
from polyathlon.agents.models.http import Answer
from polyathlon.core.models import ModelError, Reply, Usage

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)] | None
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)] | None
Read = TypeVar("Read")


class InputDetails(msgspec.Struct):
    """What OpenAI's interfaces tell of the tokens of a prompt."""

    cached_tokens: Count = None
    cache_write_tokens: Count = None
    audio_tokens: Count = None
    image_tokens: Count = None
    video_tokens: Count = None


class OutputDetails(msgspec.Struct):
    """What OpenAI's interfaces tell of the tokens of a reply."""

    reasoning_tokens: Count = None
    audio_tokens: Count = None


class Counts(Protocol):
    """The tokens of a call as OpenAI's interfaces tell of them."""

    total: Count
    output: Count
    given: InputDetails | None
    made: OutputDetails | None


class _Told(Protocol):
    error: Any


Opened = TypeVar("Opened", bound=_Told)


def opened(
    answer: Answer, decode: Callable[[bytes], Opened], failed: Callable[[Answer, Told], ModelError]
) -> Opened:
    """What `decode` makes of an answer with success; `failed` the error of any other."""
    if answer.status >= 300:
        raise failed(answer, told(answer.data))
    message = decoded(decode, answer.data)
    if message.error:
        raise failed(answer, told_by({"error": message.error}))
    return message


def decoded(decode: Callable[[bytes], Read], data: bytes) -> Read:
    """What `decode` makes of untrusted bytes. Raises ModelError with cause `bad_json`."""
    try:
        return decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError("bad_json", str(error)[:200], retryable=True) from error


def items(decode: Callable[[bytes], list[Read] | None], written: msgspec.Raw) -> list[Read]:
    """The items of an array that is kept as it came. Raises ModelError with cause `bad_json`."""
    decoded(bytes.decode, bytes(written))
    return decoded(decode, bytes(written)) or []


def failed_inside(error: Any) -> Reply:
    """The refusal that an error inside a success tells of (OpenRouter's way).

    Raises ModelError where it tells of anything else.
    """
    said = told_by({"error": error})
    outcome = failure(inside_status(said), said, {})
    if isinstance(outcome, ModelError):
        raise outcome
    return outcome


def finished(reply: Reply) -> Reply:
    """`reply` with a finish that fits what it holds.

    Raises ModelError for one that holds nothing and does not say why.
    """
    finish = reply.finish
    if reply.tool_calls and finish == "stop":
        finish = "tool_calls"
    if finish in ("stop", "tool_calls") and not (reply.text or reply.reasoning or reply.tool_calls):
        raise ModelError("empty_reply", "no text and no tool call", retryable=True)
    return reply if finish == reply.finish else msgspec.structs.replace(reply, finish=finish)


def counted(counts: Counts) -> Usage:
    """The tokens of a call, of which no kind is more than there were."""
    given, made = counts.given or InputDetails(), counts.made or OutputDetails()
    total, output = counts.total or 0, counts.output or 0
    cached = min(total, given.cached_tokens or 0)
    return Usage(
        input=total,
        cached=cached,
        output=output,
        reasoning=min(output, made.reasoning_tokens or 0),
        image=given.image_tokens or 0,
        audio=given.audio_tokens or 0,
        video=given.video_tokens or 0,
        cache_write=min(total - cached, given.cache_write_tokens or 0),
        audio_output=min(output, made.audio_tokens or 0),
    )
