"""OpenAI's Responses API: what is asked, what is read, and thoughts that go back untouched."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.models.canned import CHAT, Canned
from tests.models.wire import CALCULATOR, OBJECT, PICTURE

from polyathlon.agents.models import openai as kinds
from polyathlon.agents.models.chat import written
from polyathlon.agents.models.responses import ResponsesWriter, read_response
from polyathlon.core.models import (
    Message,
    ModelError,
    Price,
    Request,
    Sampling,
    Usage,
    say,
    thread,
)
from polyathlon.core.parts import Text

pytestmark = pytest.mark.anyio

TOOLS = Request(thread(say("user", "How many?", PICTURE)), tools=(CALCULATOR,))
THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA=="}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_9",
    "name": "calculator",
    "arguments": '{"expression":"6*7"}',
}
SAID = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "42", "annotations": []}],
}
USAGE = {
    "input_tokens": 20,
    "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 3},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 4},
}


def response(*output: Any, **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "status": "completed", "output": list(output), "usage": USAGE, **more}


def read(*output: Any, **more: Any) -> Any:
    return read_response(json.dumps(response(*output, **more)).encode())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


async def test_a_round_of_tools_keeps_its_thoughts_byte_for_byte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Canned(responses=[response(THOUGHT, CALL), response(THOUGHT, SAID)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = kinds.openai("gpt-5.6-sol", Price(1.0, 1.0))
        first = await model.complete(TOOLS)
        said = Message("assistant", (), first.tool_calls, "", first.reasoning, first.opaque)
        stored = msgspec.json.decode(msgspec.json.encode(said), type=Message, strict=False)
        assert stored.opaque == said.opaque
        talk = TOOLS.thread.append(said)
        talk = talk.append(Message("tool", (Text("42"),), tool_call_id="call_9"))
        last = await model.complete(msgspec.structs.replace(TOOLS, thread=talk))
        await model.close()
    assert server.paths == ["/v1/responses", "/v1/responses"]
    assert server.bodies[0]["store"] is False
    assert server.bodies[0]["include"] == ["reasoning.encrypted_content"]
    assert server.bodies[0]["tools"][0]["strict"] is False
    assert json.dumps(THOUGHT).encode() in server.raw[1]
    assert server.bodies[1]["input"][1:] == [
        THOUGHT,
        CALL,
        {"type": "function_call_output", "call_id": "call_9", "output": "42"},
    ]
    assert (first.finish, first.tool_calls[0].arguments) == ("tool_calls", CALL["arguments"])
    assert first.conversions == last.conversions == ("asked through the Responses API",)
    assert (last.text, last.finish, last.raw_id) == ("42", "stop", "resp_1")
    assert last.usage == Usage(input=20, cached=5, output=9, reasoning=4, cache_write=3)
    assert last.cost_usd is not None


async def test_a_text_that_was_changed_goes_without_the_old_thoughts() -> None:
    reply = read(THOUGHT, SAID)
    same = Message("assistant", (Text("42"),), opaque=reply.opaque)
    other = Message("assistant", (Text("43"),), opaque=reply.opaque)
    writer = ResponsesWriter("m", frozenset({"text"}))
    kept = await written(writer, Request(thread(say("user", "?"), same)))
    lost = await written(writer, Request(thread(say("user", "?"), other)))
    assert json.loads(kept.json)["input"][1:] == [THOUGHT, SAID]
    assert json.loads(lost.json)["input"][1:] == [{"role": "assistant", "content": "43"}]
    assert "earlier reasoning not sent back" in lost.conversions
    assert "earlier reasoning not sent back" not in kept.conversions


@pytest.mark.parametrize("opaque", [
    b"\xff", b"[]", b'{"responses":[1]}', b'{"reasoning_details":[{}]}', b'{"responses":"x"}',
])  # fmt: skip
async def test_thoughts_of_others_are_left_out_and_told(opaque: bytes) -> None:
    said = Message("assistant", (Text("42"),), opaque=opaque)
    writer = ResponsesWriter("m", frozenset({"text"}))
    body = await written(writer, Request(thread(said)))
    assert json.loads(body.json)["input"] == [{"role": "assistant", "content": "42"}]
    assert "earlier reasoning not sent back" in body.conversions


@pytest.mark.parametrize(("name", "request_", "path"), [
    ("gpt-5.6-sol", Request(TOOLS.thread), "chat/completions"),
    ("gpt-5.6-sol", TOOLS, "responses"),
    ("gpt-5.6-sol", Request(TOOLS.thread, Sampling(effort="max")), "responses"),
    ("gpt-5.2", TOOLS, "chat/completions"),
    ("gpt-5.2", Request(TOOLS.thread, Sampling(effort="low"), (CALCULATOR,)), "responses"),
    ("gpt-5.2", Request(TOOLS.thread, Sampling(effort="none"), (CALCULATOR,)), "chat/completions"),
    ("gpt-5-pro", Request(TOOLS.thread), "responses"),
    ("gpt-5.2", Request(TOOLS.thread, Sampling(effort="max")), "chat/completions"),
    ("gpt-4o", TOOLS, "chat/completions"),
])  # fmt: skip
async def test_requests_go_where_the_model_takes_them(
    name: str, request_: Request, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Canned(responses=response(SAID), completions=CHAT) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = kinds.openai(name)
        await model.complete(request_)
        await model.close()
    assert server.paths == [f"/v1/{path}"]


async def test_a_model_that_nobody_knew_is_asked_where_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = "Function tools with reasoning_effort are not supported. Please use /v1/responses."
    refused = (400, {}, {"error": {"message": words, "param": "reasoning_effort", "code": None}})
    async with Canned(completions=refused, responses=response(SAID)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = kinds.openai("o7")
        with pytest.raises(ModelError) as failed:
            await model.complete(TOOLS)
        assert (failed.value.cause, failed.value.retryable) == ("unsupported_option", True)
        assert (await model.complete(TOOLS)).text == "42"
        await model.close()


async def test_settings_that_it_does_not_have_are_told() -> None:
    sampling = Sampling(0.5, 0.9, 100, 7, "low", ("x",))
    asked = Request(thread(say("user", "Go.")), sampling, schema=OBJECT, logprobs=True)
    body = await written(ResponsesWriter("m", frozenset({"text"})), asked)
    fields = json.loads(body.json)
    assert fields["reasoning"] == {"effort": "low"}
    assert fields["max_output_tokens"] == 100
    assert fields["text"]["format"]["schema"] == OBJECT
    assert "message.output_text.logprobs" in fields["include"]
    assert body.conversions[-2:] == ("seed not sent", "stop not sent")


def test_log_probabilities_and_summaries_are_read() -> None:
    token = {"token": "42", "logprob": -0.5, "bytes": [], "top_logprobs": []}
    content = [{"type": "output_text", "text": "42", "annotations": [], "logprobs": [token]}]
    thought = {**THOUGHT, "summary": [{"type": "summary_text", "text": "six by seven"}]}
    reply = read(thought, {**SAID, "content": content})
    assert (reply.logprobs, reply.reasoning) == ((-0.5,), "six by seven")


def test_refusals_and_what_is_cut_short() -> None:
    refusal = {**SAID, "content": [{"type": "refusal", "refusal": "no"}]}
    assert (read(refusal).finish, read(refusal).text) == ("refusal", "no")
    cut = read(THOUGHT, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert cut.finish == "length"
    filtered = {"reason": "content_filter"}
    assert read(status="incomplete", incomplete_details=filtered).finish == "refusal"


@pytest.mark.parametrize(("more", "cause", "retryable"), [
    ({"status": "failed", "error": {"code": "server_error", "message": "x"}}, "server_error", True),
    ({"status": "failed", "error": {"code": "context_length_exceeded"}}, "context_length", False),
    ({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "x"}},
     "rate_limited", True),
    ({"status": "failed", "error": {"code": "invalid_image", "message": "x"}}, "bad_request",
     False),
    ({"status": "failed", "error": {"code": "image_too_large", "message": "x"}}, "bad_request",
     False),
    ({"status": "failed", "error": {"code": "vector_store_timeout", "message": "x"}},
     "server_error", True),
    ({"status": "cancelled"}, "server_error", True),
    ({"status": "completed"}, "empty_reply", True),
])  # fmt: skip
def test_responses_that_failed(more: Any, cause: str, retryable: bool) -> None:
    with pytest.raises(ModelError) as failed:
        read(**more)
    assert (failed.value.cause, failed.value.retryable) == (cause, retryable)
