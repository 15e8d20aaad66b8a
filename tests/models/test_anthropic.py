"""Claude models over real HTTP: thought, what is sent back, replies, money and failures."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.models.hosts import CLAUDE, hosted, restored, said
from tests.models.wire import CALCULATOR, CLIP, PICTURE, REQUESTS

from polyathlon.agents.models.anthropic import ClaudeMessages, anthropic
from polyathlon.agents.models.anthropic_families import CLAUDE as FAMILIES
from polyathlon.agents.models.anthropic_families import claude
from polyathlon.agents.models.anthropic_reply import read
from polyathlon.agents.models.families import Terms
from polyathlon.agents.models.http import Answer
from polyathlon.core.errors import UserError
from polyathlon.core.models import (
    Message,
    ModelError,
    Reply,
    Request,
    Sampling,
    ToolCall,
    Usage,
    say,
    thread,
)
from polyathlon.core.parts import Text

pytestmark = pytest.mark.anyio

ASK = thread(say("system", "You play."), say("user", "Go."))
ADAPTIVE = {"type": "adaptive", "display": "summarized"}
BOUND = {**ADAPTIVE, "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
THOUGHT = [
    {"type": "thinking", "thinking": "six by seven", "signature": "s1=="},
    {"type": "redacted_thinking", "data": "hidden"},
    {"type": "tool_use", "id": "c1", "name": "calculator", "input": {"expression": "6*7"}},
]


async def body(model: str, request: Request) -> tuple[dict[str, Any], tuple[str, ...]]:
    written = await ClaudeMessages(model).written(request, Terms(claude(model).family))
    return json.loads(written.json), written.conversions


def enabled(tokens: int) -> dict[str, Any]:
    return {"type": "enabled", "budget_tokens": tokens}


EFFORTS = [
    # model, effort, max_tokens -> thinking, effort sent, max_tokens sent, conversions
    ("claude-opus-4-5", None, None, None, None, 4_096, ()),
    ("claude-opus-4-5", "none", 99, None, None, 99, ()),
    ("claude-opus-4-5", "high", None, enabled(16_384), "high", 20_480, ()),
    ("claude-opus-4-5", "max", 50_000, enabled(16_384), "high", 50_000,
     ("reasoning effort max sent as high",)),
    ("claude-opus-4-5", "2000", 5_000, enabled(2_000), None, 5_000, ()),
    ("claude-opus-4-5", "low", 2_000, enabled(1_024), "low", 2_000,
     ("thinking budget 2048 sent as 1024, to fit into max_tokens",)),
    ("claude-haiku-4-5", "xhigh", 90_000, enabled(32_768), None, 64_000,
     ("max_tokens 90000 sent as 64000",)),
    ("claude-sonnet-4-6", "xhigh", None, ADAPTIVE, "max", 20_000,
     ("reasoning effort xhigh sent as max",)),
    ("claude-sonnet-4-6", "8000", None, enabled(8_000), None, 20_000, ()),
    ("claude-opus-4-5", "63000", None, enabled(63_000), None, 64_000, ()),
    ("claude-opus-4-8", None, None, None, None, 4_096, ()),
    ("claude-opus-4-8", "minimal", None, ADAPTIVE, "low", 20_000,
     ("reasoning effort minimal sent as low",)),
    ("claude-opus-4-8", "9000", 500, ADAPTIVE, "high", 500,
     ("reasoning effort 9000 sent as high",)),
    ("claude-opus-5", None, None, ADAPTIVE, None, 20_000, ()),
    ("claude-opus-5", "none", None, {"type": "disabled"}, None, 4_096, ()),
    ("claude-sonnet-5-5", "none", None, {"type": "between_tools"}, None, 4_096, ()),
    ("claude-opus-5-5", "none", None, BOUND, "low", 20_000, ("reasoning effort none sent as low",)),
    ("claude-fable-6", "max", None, BOUND, "max", 20_000, ()),
]  # fmt: skip


@pytest.mark.parametrize(("model", "effort", "limit", "thinking", "sent", "most", "told"), EFFORTS)
async def test_efforts_by_family(
    model: str,
    effort: str | None,
    limit: int | None,
    thinking: object,
    sent: str | None,
    most: int,
    told: tuple[str, ...],
) -> None:
    asked = Request(ASK, Sampling(effort=effort, max_tokens=limit))
    fields, conversions = await body(model, asked)
    assert fields.get("thinking") == thinking
    assert fields.get("output_config", {}).get("effort") == sent
    assert (fields["max_tokens"], conversions) == (most, told)


@pytest.mark.parametrize(
    ("effort", "limit"), [("low", 1_024), ("4000", 4_000), ("100", None), ("64000", None)]
)
async def test_thought_that_cannot_fit_is_refused(effort: str, limit: int | None) -> None:
    with pytest.raises(ModelError, match=r"unsupported: .* think") as refused:
        await body("claude-opus-4-5", Request(ASK, Sampling(effort=effort, max_tokens=limit)))
    assert not refused.value.retryable


@pytest.mark.parametrize(("model", "effort", "sent", "told"), [
    ("claude-sonnet-4-5", None, {"temperature": 0.2}, ("top_p not sent beside temperature",)),
    ("claude-sonnet-4-5", "low", {}, ("temperature not sent", "top_p not sent")),
    ("claude-haiku-5-5", None, {}, ("temperature not sent", "top_p not sent")),
    ("claude-opus-4-7", None, {}, ("temperature not sent", "top_p not sent")),
])  # fmt: skip
async def test_sampling_goes_where_it_is_taken(
    model: str, effort: str | None, sent: object, told: tuple[str, ...], monkeypatch: Any
) -> None:
    sampling = Sampling(temperature=0.2, top_p=0.9, effort=effort, stop=("END", "\n"))
    async with hosted("anthropic", lambda: anthropic(model), monkeypatch) as (client, host):
        reply = await client.complete(Request(ASK, sampling))
        fields = host.last()
        version = host.header("anthropic-version")
    assert {n: fields[n] for n in ("temperature", "top_p") if n in fields} == sent
    assert fields["stop_sequences"] == ["END"]
    assert reply.conversions == (*told, "blank stop not sent")
    assert version == ("2023-06-01" if sent else "2026-10-21")


def test_every_family_has_a_source_and_a_limit() -> None:
    for line in FAMILIES:
        assert line.family.source
        assert line.family.output_tokens
        assert line.bound <= line.unasked


async def tool_talk(client: Any, host: Any) -> tuple[Reply, Request]:
    """A signed reply with a call, and the request that hands it back with the call's result."""
    first = Request(ASK, Sampling(max_tokens=9_000, effort="low"), (CALCULATOR,))
    host.answer = {**CLAUDE, "content": THOUGHT, "stop_reason": "tool_use"}
    reply = await client.complete(first)
    answered = ASK.append(said(reply)).append(Message("tool", (Text("42"),), tool_call_id="c1"))
    return reply, Request(answered, first.sampling, first.tools)


async def test_signed_thoughts_go_back_byte_for_byte_after_a_restart(monkeypatch: Any) -> None:
    make = lambda: anthropic("claude-opus-4-5")  # noqa: E731
    async with hosted("anthropic", make, monkeypatch) as (client, host):
        reply, request = await tool_talk(client, host)
        await client.complete(request)
    assert (reply.finish, reply.reasoning) == ("tool_calls", "six by seven")
    assert json.dumps(THOUGHT).encode() in host.bodies[-1]
    async with hosted("anthropic", make, monkeypatch) as (restarted, again):
        other = await restarted.complete(restored(request))
    assert again.bodies[-1] == host.bodies[-1]
    assert other.conversions == ()


async def test_other_models_do_not_get_these_thoughts(monkeypatch: Any) -> None:
    make = lambda: anthropic("claude-opus-4-5")  # noqa: E731
    async with hosted("anthropic", make, monkeypatch) as (client, host):
        _, request = await tool_talk(client, host)
    fields, conversions = await body("claude-opus-5", request)
    assert [b["type"] for b in fields["messages"][1]["content"]] == ["tool_use"]
    assert conversions == ("earlier reasoning not sent back",)


async def test_a_request_without_thinking_carries_no_thoughts(monkeypatch: Any) -> None:
    make = lambda: anthropic("claude-opus-5")  # noqa: E731
    async with hosted("anthropic", make, monkeypatch) as (client, host):
        _, request = await tool_talk(client, host)
        quiet = msgspec.structs.replace(request, sampling=Sampling(effort="none"))
        reply = await client.complete(quiet)
        assert "six by seven" not in host.bodies[-1].decode()
        assert reply.conversions == ("earlier reasoning not sent back",)
        await client.complete(request)
        assert "six by seven" in host.bodies[-1].decode()


async def test_results_of_parallel_calls_share_a_message_and_media_follow() -> None:
    calls = (ToolCall("a", "calculator", '{"expression":"1"}'), ToolCall("b", "calculator", "[1"))
    talk = ASK.append(Message("assistant", (), calls))
    talk = talk.append(Message("tool", (Text("1"),), tool_call_id="a"))
    talk = talk.append(Message("tool", (Text(" "),), tool_call_id="b"))
    talk = talk.append(say("user", "From calculator:", PICTURE)).append(say("user", ""))
    fields, conversions = await body("claude-opus-4-5", Request(talk, tools=(CALCULATOR,)))
    _, called, results, media = fields["messages"]
    assert [block["input"] for block in called["content"]] == [{"expression": "1"}, {}]
    assert [block["tool_use_id"] for block in results["content"]] == ["a", "b"]
    assert [block["type"] for block in media["content"]] == ["text", "image"]
    assert conversions == ("unreadable tool arguments sent as none", "an empty message not sent")


async def test_a_later_system_message_is_put_first() -> None:
    talk = ASK.append(say("system", "Now hurry."))
    fields, conversions = await body("claude-opus-4-5", Request(talk))
    assert [block["text"] for block in fields["system"]] == ["You play.", "Now hurry."]
    assert ["cache_control" in block for block in fields["system"]] == [False, True]
    assert conversions == ("a later system message put first",)


async def test_replies_carry_usage_and_its_cost(monkeypatch: Any) -> None:
    make = lambda: anthropic("claude-opus-4-5")  # noqa: E731
    used = {
        "input_tokens": 1_000_000,
        "output_tokens": 100_000,
        "cache_read_input_tokens": 2_000_000,
        "cache_creation_input_tokens": 3_000_000,
        "output_tokens_details": {"thinking_tokens": 40_000},
    }
    async with hosted("anthropic", make, monkeypatch) as (client, host):
        host.answer = {**CLAUDE, "usage": used}
        reply = await client.complete(REQUESTS["text"])
    assert (reply.text, reply.reasoning, reply.raw_id) == ("left", "west", "msg_1")
    assert reply.usage == Usage(
        input=6_000_000, cached=2_000_000, cache_write=3_000_000, output=100_000, reasoning=40_000
    )
    assert reply.cost_usd == pytest.approx(1 * 5 + 2 * 0.5 + 3 * 6.25 + 0.1 * 25)
    assert reply.latency_s > 0


@pytest.mark.parametrize(("reason", "finish"), [
    ("end_turn", "stop"), ("stop_sequence", "stop"), ("max_tokens", "length"),
    ("model_context_window_exceeded", "length"), ("refusal", "refusal"), ("new", "stop"),
])  # fmt: skip
def test_finishes(reason: str, finish: str) -> None:
    assert answered({**CLAUDE, "stop_reason": reason}).finish == finish


def test_a_refusal_without_words_has_its_explanation() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "This may harm."}
    refusal = answered({**CLAUDE, "content": [], "stop_reason": "refusal", "stop_details": details})
    assert (refusal.finish, refusal.text) == ("refusal", "This may harm.")


def test_thoughts_that_the_server_left_out_are_named() -> None:
    change = {"type": "thinking_dropped", "path": "x", "reason": "prefix_binding_mismatch"}
    reply = answered({**CLAUDE, "input_transformations": [change, change, {"type": "new"}]})
    expected = "2 earlier thoughts left out by the server: prefix_binding_mismatch"
    assert reply.conversions == (expected,)


def answered(content: Any, status: int = 200, **headers: str) -> Reply:
    return read(Answer(status, headers, json.dumps(content).encode()), "anthropic/claude-opus-4-5")


def failed(status: int, kind: str, words: str, **headers: str) -> ModelError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with pytest.raises(ModelError) as error:
        answered({"type": "error", "error": {"type": kind, "message": words}}, status, **named)
    assert words in error.value.detail
    return error.value


@pytest.mark.parametrize(("status", "kind", "words", "cause", "retryable"), [
    (400, "invalid_request_error", "max_tokens: too large", "bad_request", False),
    (400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", "context_length",
     False),
    (400, "invalid_request_error", "Your credit balance is too low", "quota", False),
    (401, "authentication_error", "invalid x-api-key", "auth", False),
    (402, "billing_error", "pay first", "quota", False),
    (403, "permission_error", "not yours", "auth", False),
    (404, "not_found_error", "model: x", "not_found", False),
    (413, "request_too_large", "Request exceeds the maximum size", "too_large", False),
    (429, "rate_limit_error", "slow down", "rate_limited", True),
    (500, "api_error", "oops", "server_error", True),
    (504, "timeout_error", "late", "timeout", True),
    (529, "overloaded_error", "Overloaded", "server_error", True),
    (200, "overloaded_error", "Overloaded", "server_error", True),
])  # fmt: skip
def test_failures(status: int, kind: str, words: str, cause: str, retryable: bool) -> None:
    error = failed(status, kind, words, retry_after="3")
    waits = 3.0 if retryable else None
    assert (error.cause, error.retryable, error.retry_after_s) == (cause, retryable, waits)


def test_waits_for_the_limit_that_is_used_up() -> None:
    headers = {
        "date": "Sun, 22 Nov 2026 11:00:00 GMT",
        "anthropic_ratelimit_requests_remaining": "7",
        "anthropic_ratelimit_requests_reset": "2026-11-22T12:00:00Z",
        "anthropic_ratelimit_input_tokens_remaining": "0",
        "anthropic_ratelimit_input_tokens_reset": "2026-11-22T11:00:42Z",
    }
    assert failed(429, "rate_limit_error", "slow", **headers).retry_after_s == 42.0
    headers["anthropic_ratelimit_input_tokens_reset"] = "soon"
    assert failed(429, "rate_limit_error", "slow", **headers).retry_after_s is None


async def test_a_refused_option_is_not_sent_again(monkeypatch: Any) -> None:
    request = Request(ASK, Sampling(temperature=0.5))
    async with hosted("anthropic", lambda: anthropic("claude-opus-4-5"), monkeypatch) as found:
        client, host = found
        words = "`temperature` is deprecated for this model."
        refusal = {"error": {"type": "invalid_request_error", "message": words}}
        host.status, host.answer = 400, refusal
        with pytest.raises(ModelError, match="unsupported_option: temperature is not sent") as e:
            await client.complete(request)
        assert e.value.retryable
        host.status, host.answer = 200, CLAUDE
        reply = await client.complete(request)
        assert "temperature" not in host.last()
    assert reply.conversions == ("temperature not sent (refused by the server)",)


async def test_a_refused_schema_is_never_left_out(monkeypatch: Any) -> None:
    make = lambda: anthropic("claude-opus-4-5")  # noqa: E731
    async with hosted("anthropic", make, monkeypatch) as (client, host):
        words = "`output_config.format` is not supported"
        host.status, host.answer = 400, {"error": {"message": words}}
        with pytest.raises(ModelError, match="format is refused, and cannot be left out") as e:
            await client.complete(REQUESTS["schema"])
    assert (e.value.cause, e.value.retryable) == ("unsupported", False)


async def test_media_it_does_not_take_is_refused_and_video_becomes_pictures() -> None:
    with pytest.raises(ModelError, match="does not accept audio"):
        await body("claude-opus-5-5", REQUESTS["audio"])
    fields, conversions = await body("claude-opus-5-5", Request(thread(say("user", CLIP))))
    assert len(fields["messages"][0]["content"]) == 11
    assert conversions == ("video of 10 frames to 10 images",)


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UserError, match="ANTHROPIC_API_KEY"):
        anthropic("x")
