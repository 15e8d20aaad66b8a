"""Gemini models over real HTTP: thought, what is sent back, replies, money and failures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.models.hosts import GEMINI, hosted, restored, said
from tests.models.wire import CALCULATOR, PICTURE, REQUESTS

from polyathlon.agents.models.families import Terms
from polyathlon.agents.models.google import GeminiContents, google
from polyathlon.agents.models.google_families import GEMINI as FAMILIES
from polyathlon.agents.models.google_families import gemini
from polyathlon.agents.models.google_reply import read
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
FLASH = "gemini-3.8-flash"


def new() -> Any:
    return google(FLASH)


async def body(model: str, request: Request) -> tuple[dict[str, Any], tuple[str, ...]]:
    writer = GeminiContents(model, frozenset({"text", "image", "audio"}))
    written = await writer.written(request, Terms(gemini(model).family))
    return json.loads(written.json), written.conversions


EFFORTS = [
    ("gemini-2.5-flash-lite", None, None, ()),
    ("gemini-2.5-flash-lite", "none", 0, ()),
    ("gemini-2.5-flash-lite", "100", 512, ("thinking budget 100 sent as 512",)),
    ("gemini-2.5-flash", "low", 2_048, ()),
    ("gemini-2.5-flash", "99999", 24_576, ("thinking budget 99999 sent as 24576",)),
    ("gemini-2.5-pro", "none", 1_024, ("reasoning effort none sent as minimal",)),
    ("gemini-3-pro-preview", "medium", "HIGH", ("reasoning effort medium sent as high",)),
    ("gemini-3.1-pro-preview", "max", "HIGH", ("reasoning effort max sent as high",)),
    ("gemini-3-flash-preview", "none", "MINIMAL", ("reasoning effort none sent as minimal",)),
    ("gemini-3.5-flash", "minimal", "MINIMAL", ()),
    ("gemini-3.8-flash", "minimal", "LOW", ("reasoning effort minimal sent as low",)),
    ("gemini-4-argon", "5000", "MEDIUM", ("reasoning effort 5000 sent as medium",)),
    ("gemini-5-neon", "high", "HIGH", ()),
    ("gemma-4-31b-it", "high", None, ("reasoning_effort not sent",)),
]


@pytest.mark.parametrize(("model", "effort", "sent", "told"), EFFORTS)
async def test_efforts_by_family(
    model: str, effort: str | None, sent: int | str | None, told: tuple[str, ...]
) -> None:
    fields, conversions = await body(model, Request(ASK, Sampling(effort=effort)))
    thinking = fields["generationConfig"].get("thinkingConfig", {})
    assert thinking.get("thinkingLevel", thinking.get("thinkingBudget")) == sent
    assert thinking.get("includeThoughts", False) == (sent not in (None, 0))
    assert conversions == told


@pytest.mark.parametrize(("model", "taken"), [
    ("gemini-2.5-flash-lite", True), ("gemini-3-flash-preview", True),
    ("gemini-3.1-pro-preview", True), ("gemini-3.5-flash", True), ("gemma-4-31b-it", True),
    ("gemini-3.5-flash-lite", False), ("gemini-3.6-flash", False), ("gemini-3.7-flash", False),
    ("gemini-3.8-flash", False), ("gemini-4-carbon", False), ("gemini-5-neon", False),
])  # fmt: skip
async def test_sampling_that_a_model_ignores_is_not_sent(model: str, taken: bool) -> None:
    asked = Request(ASK, Sampling(temperature=0.5, top_p=0.9))
    fields, conversions = await body(model, asked)
    config = fields["generationConfig"]
    assert ("temperature" in config, "topP" in config) == (taken, taken)
    assert conversions == (() if taken else ("temperature not sent", "top_p not sent"))


async def test_a_seed_fits_into_its_bits() -> None:
    fields, conversions = await body(FLASH, Request(ASK, Sampling(seed=(1 << 40) + 5)))
    assert (fields["generationConfig"]["seed"], conversions) == (5, ("seed taken modulo 2^31",))


def test_every_family_has_a_source() -> None:
    assert all(line.family.source for line in FAMILIES)


SIGNED = [
    {"text": "six by seven", "thought": True},
    {"functionCall": {"name": "calculator", "args": {"expression": "6*7"}, "id": "f1"},
     "thoughtSignature": "c2lnbmVkIQ+/"},
    {"functionCall": {"name": "calculator", "args": {"expression": "1"}, "id": "f2"}},
]  # fmt: skip


def candidate(parts: list[Any], reason: str = "STOP", **more: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": parts}
    return {**GEMINI, "candidates": [{"content": content, "finishReason": reason, **more}]}


async def test_signed_parts_go_back_byte_for_byte_after_a_restart(monkeypatch: Any) -> None:
    async with hosted("google", new, monkeypatch) as (client, host):
        host.answer = candidate(SIGNED)
        reply = await client.complete(Request(ASK, tools=(CALCULATOR,)))
        talk = ASK.append(said(reply))
        for call in reply.tool_calls:
            talk = talk.append(Message("tool", (Text("42"),), tool_call_id=call.id))
        request = Request(talk.append(say("user", "See:", PICTURE)), tools=(CALCULATOR,))
        host.answer = GEMINI
        again = await client.complete(request)
        sent = host.last()["contents"]
    assert (reply.finish, reply.reasoning) == ("tool_calls", "six by seven")
    assert json.dumps(SIGNED).encode()[1:-1] in host.bodies[-1]
    assert [part["functionResponse"]["id"] for part in sent[2]["parts"]] == ["f1", "f2"]
    assert sent[3]["parts"][0] == {"text": "See:"}
    assert again.conversions == ()
    async with hosted("google", new, monkeypatch) as (restarted, other):
        await restarted.complete(restored(request))
    assert other.bodies[-1] == host.bodies[-1]


async def test_calls_of_others_are_marked_as_unsigned() -> None:
    calls = (ToolCall("a", "calculator", '{"expression":"1"}'), ToolCall("b", "calculator", "no"))
    spoken = Message("assistant", (), calls, reasoning="hm", opaque=b'{"google/other":[{}]}')
    talk = ASK.append(spoken).append(Message("tool", (Text("1"),), tool_call_id="b"))
    fields, conversions = await body(FLASH, Request(talk, tools=(CALCULATOR,)))
    one, two = fields["contents"][1]["parts"]
    assert one["functionCall"] == {"id": "a", "name": "calculator", "args": {"expression": "1"}}
    assert "thoughtSignature" in one
    assert "thoughtSignature" not in two
    assert fields["contents"][2]["parts"][0]["functionResponse"]["name"] == "calculator"
    assert conversions == (
        "earlier reasoning not sent back",
        "unreadable tool arguments sent as none",
    )


async def test_ids_are_made_apart_where_a_model_gives_none_and_stay_here() -> None:
    call = {"functionCall": {"name": "calculator", "args": {}}}
    first = answered(candidate([call, call]))
    second = answered({**candidate([call]), "responseId": "msg_2"})
    ids = [call.id for call in (*first.tool_calls, *second.tool_calls)]
    assert len(set(ids)) == 3
    talk = ASK.append(said(first)).append(Message("tool", (Text("1"),), tool_call_id=ids[0]))
    fields, _ = await body(FLASH, Request(talk))
    assert "id" not in fields["contents"][1]["parts"][0]["functionCall"]
    assert "id" not in fields["contents"][2]["parts"][0]["functionResponse"]


async def test_a_result_without_its_call_is_refused() -> None:
    with pytest.raises(ModelError, match="answers no call"):
        await body(FLASH, Request(ASK.append(Message("tool", (Text("1"),), tool_call_id="x"))))


async def test_a_schema_keeps_what_gemini_reads_and_tells_the_rest() -> None:
    schema = {
        "type": "object",
        "properties": {
            "kind": {"const": "press"},
            "code": {"type": "string", "pattern": "^a$", "description": "a code"},
            "any": {"oneOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
        },
    }
    fields, conversions = await body(FLASH, Request(ASK, schema=schema))
    assert fields["generationConfig"]["responseJsonSchema"]["properties"] == {
        "kind": {"enum": ["press"]},
        "code": {"type": "string", "description": 'a code (pattern: "^a$")'},
        "any": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
    }
    assert conversions == ("not enforced but told in the schema: pattern",)


async def test_replies_carry_usage_and_its_cost(monkeypatch: Any) -> None:
    used = {
        "promptTokenCount": 4_000_000,
        "cachedContentTokenCount": 1_000_000,
        "candidatesTokenCount": 200_000,
        "thoughtsTokenCount": 300_000,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 1_500_000},
            {"modality": "AUDIO", "tokenCount": 2_000_000},
            {"modality": "IMAGE", "tokenCount": 300_000},
            {"modality": "VIDEO", "tokenCount": 200_000},
        ],
    }
    make = lambda: google("gemini-2.5-flash")  # noqa: E731
    async with hosted("google", make, monkeypatch) as (client, host):
        host.answer = {**GEMINI, "usageMetadata": used}
        reply = await client.complete(REQUESTS["text"])
    assert (reply.text, reply.finish, reply.raw_id) == ("left", "stop", "msg_1")
    assert reply.usage == Usage(
        input=4_000_000,
        cached=1_000_000,
        output=500_000,
        reasoning=300_000,
        image=300_000,
        audio=2_000_000,
        video=200_000,
    )
    assert reply.cost_usd == pytest.approx(1 * 0.03 + 2 * 1.0 + 1 * 0.3 + 0.5 * 2.5)


def test_no_more_is_cached_than_there_was() -> None:
    used = {"promptTokenCount": 4, "cachedContentTokenCount": 9}
    assert answered({**GEMINI, "usageMetadata": used}).usage == Usage(input=4, cached=4)


@pytest.mark.parametrize(("reason", "finish"), [
    ("STOP", "stop"), ("OTHER", "stop"), ("MAX_TOKENS", "length"), ("CONTINUATION", "length"),
    ("SAFETY", "refusal"), ("RECITATION", "refusal"), ("BLOCKLIST", "refusal"),
    ("PROHIBITED_CONTENT", "refusal"), ("SPII", "refusal"), ("NEW_REASON", "stop"),
])  # fmt: skip
def test_finishes(reason: str, finish: str) -> None:
    assert answered(candidate([{"text": "a"}], reason)).finish == finish


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "LANGUAGE"])
def test_broken_generations_are_errors(reason: str) -> None:
    with pytest.raises(ModelError, match=f"server_error: {reason}: so it is"):
        answered(candidate([], reason, finishMessage="so it is"))


def test_a_blocked_prompt_is_a_refusal() -> None:
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
               "usageMetadata": {"promptTokenCount": 9}}  # fmt: skip
    reply = answered(blocked)
    assert (reply.finish, reply.text, reply.usage.input) == ("refusal", "PROHIBITED_CONTENT", 9)


def answered(content: Any, status: int = 200, **headers: str) -> Reply:
    return read(Answer(status, headers, json.dumps(content).encode()), f"google/{FLASH}")


def failed(status: int, words: str, details: list[Any], **headers: str) -> ModelError:
    error = {"code": status, "message": words, "status": "X", "details": details}
    with pytest.raises(ModelError) as raised:
        answered({"error": error}, status, **headers)
    assert words in raised.value.detail
    return raised.value


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "47.5s"}


def quota(of: str) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [{"quotaId": f"GenerateRequestsPer{of}PerProject"}]}


@pytest.mark.parametrize(("status", "words", "details", "cause", "wait_s"), [
    (400, "bad", [], "bad_request", None),
    (400, "API key not valid", [{"reason": "API_KEY_INVALID"}], "auth", None),
    (400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", [],
     "context_length", None),
    (403, "denied", [], "auth", None),
    (404, "no such model", [], "not_found", None),
    (429, "slow down", [quota("Minute"), RETRY], "rate_limited", 47.5),
    (429, "slow down", [{"retryDelay": "soon"}, {"violations": 3}], "rate_limited", None),
    (429, "enough for today", [quota("Day"), RETRY], "quota", None),
    (500, "oops", [], "server_error", None),
    (503, "overloaded", [RETRY], "server_error", 47.5),
    (504, "late", [], "timeout", None),
])  # fmt: skip
def test_failures(
    status: int, words: str, details: list[Any], cause: str, wait_s: float | None
) -> None:
    error = failed(status, words, details)
    assert (error.cause, error.retry_after_s) == (cause, wait_s)
    assert error.retryable == (status in (429, 500, 503, 504) and cause != "quota")


def test_a_header_says_how_long_to_wait_where_the_body_does_not() -> None:
    assert failed(503, "busy", [], **{"retry-after": "3"}).retry_after_s == 3.0


@pytest.mark.parametrize(("words", "gone"), [
    ("Unknown name \"topP\" at 'generation_config': Cannot find field.", "topP"),
    ("Unknown name \"stopSequences\" at 'generation_config': Cannot find field.", "stopSequences"),
    ("Unknown name \"thinkingLevel\" at 'generation_config.thinking_config'", "thinkingConfig"),
])  # fmt: skip
async def test_a_refused_option_is_not_sent_again(words: str, gone: str, monkeypatch: Any) -> None:
    request = Request(ASK, Sampling(top_p=0.5, stop=("x",), effort="low"))
    make = lambda: google("gemini-3-pro-preview")  # noqa: E731
    async with hosted("google", make, monkeypatch) as (client, host):
        host.status, host.answer = 400, {"error": {"code": 400, "message": words}}
        with pytest.raises(ModelError, match="unsupported_option") as error:
            await client.complete(request)
        assert error.value.retryable
        host.status, host.answer = 200, GEMINI
        reply = await client.complete(request)
    first, second = (json.loads(body)["generationConfig"] for body in host.bodies)
    assert set(first) - set(second) == {gone}
    assert "refused by the server" in reply.conversions[0]


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(UserError, match="GOOGLE_API_KEY"):
        google("x")
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    assert google("x").group == "google"
