"""Anthropic and Google: golden wire bodies, replies and failures over real HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("anthropic")
pytest.importorskip("google.genai")

from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from tests.models.wire import CALCULATOR, REQUESTS, compare, wire_bodies

from polyathlon.agents.models import providers
from polyathlon.agents.models.providers import (
    DirectModel,
    anthropic,
    anthropic_client,
    google,
    google_client,
)
from polyathlon.core.errors import UserError
from polyathlon.core.models import (
    Message,
    ModelError,
    Request,
    Sampling,
    Usage,
    say,
    thread,
)
from polyathlon.core.parts import Text

pytestmark = pytest.mark.anyio

CLAUDE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-4-5",
    "content": [
        {"type": "thinking", "thinking": "west", "signature": "signed"},
        {"type": "text", "text": "left"},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 5},
}
GEMINI = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "left"}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {
        "promptTokenCount": 15,
        "candidatesTokenCount": 3,
        "cachedContentTokenCount": 5,
        "totalTokenCount": 18,
    },
    "responseId": "msg_1",
    "modelVersion": "gemini-2.5-flash",
}


class Host:
    """Answers every POST alike and keeps the bodies."""

    def __init__(self, answer: Any) -> None:
        self.bodies: list[bytes] = []
        self.answer = answer
        self.status = 200
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                assert size is not None
                self.bodies.append(await reader.readexactly(int(size[1])))
                data = json.dumps(self.answer).encode()
                lines = f"HTTP/1.1 {self.status} -\r\ncontent-type: application/json\r\n"
                lines += f"retry-after: 3\r\ncontent-length: {len(data)}\r\n\r\n"
                writer.write(lines.encode() + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()


@asynccontextmanager
async def hosted(kind: str) -> AsyncIterator[tuple[DirectModel, Host]]:
    host = Host(CLAUDE if kind == "anthropic" else GEMINI)
    server = await asyncio.start_server(host.serve, "127.0.0.1", 0)
    host.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    if kind == "anthropic":
        claude = AnthropicProvider(api_key="k", base_url=host.url)
        client: Any = AnthropicModel("claude-opus-4-5", provider=claude)
        model = anthropic_client("claude-opus-4-5", client, None)
    else:
        gemini = GoogleProvider(api_key="k", base_url=host.url)
        client = GoogleModel("gemini-2.5-flash", provider=gemini)
        model = google_client("gemini-2.5-flash", client, None)
    yield model, host
    await model.close()
    server.close()


async def test_wire_bodies_are_golden() -> None:
    async with hosted("anthropic") as (model, host):
        seen = await wire_bodies(model.complete, host.bodies)
    compare("anthropic", seen)


async def test_wire_bodies_with_a_video_codec() -> None:
    pytest.importorskip("av")
    async with hosted("google") as (model, host):
        seen = await wire_bodies(model.complete, host.bodies)
    compare("google", seen)


async def test_wire_bodies_without_a_video_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "has_codec", lambda: False)
    monkeypatch.setitem(sys.modules, "av", None)
    async with hosted("google") as (model, host):
        seen = await wire_bodies(model.complete, host.bodies)
    compare("google-without-codec", seen)


@pytest.mark.parametrize("kind", ["anthropic", "google"])
async def test_replies_carry_usage_and_cost(kind: str) -> None:
    async with hosted(kind) as (model, _):
        reply = await model.complete(REQUESTS["text"])
    assert (reply.text, reply.finish, reply.raw_id) == ("left", "stop", "msg_1")
    assert reply.usage == Usage(input=15, cached=5, output=3)
    assert reply.reasoning == ("west" if kind == "anthropic" else "")
    assert model.price is not None
    assert reply.cost_usd == model.price.cost(reply.usage)
    assert reply.latency_s > 0


FAILURES = [
    (400, "bad_request", False, None),
    (401, "auth", False, None),
    (404, "not_found", False, None),
    (429, "rate_limited", True, 3.0),
    (500, "server_error", True, 3.0),
    (503, "server_error", True, 3.0),
]


@pytest.mark.parametrize("kind", ["anthropic", "google"])
async def test_failures(kind: str) -> None:
    async with hosted(kind) as (model, host):
        for status, cause, retryable, wait_s in FAILURES:
            host.bodies.clear()
            host.status = status
            host.answer = {"error": {"type": "x", "message": "why", "code": status, "status": "X"}}
            with pytest.raises(ModelError) as failed:
                await model.complete(REQUESTS["text"])
            assert len(host.bodies) == 1, "retries belong to the runtime"
            error = failed.value
            got = (error.cause, error.retryable, error.retry_after_s)
            assert got == (cause, retryable, wait_s), status


@pytest.mark.parametrize("kind", ["anthropic", "google"])
async def test_unexpected_answers_are_model_errors(kind: str) -> None:
    async with hosted(kind) as (model, host):
        for answer in ([], {}, "x", {"content": 3}, {"candidates": [{"content": 1}]}):
            host.answer = answer
            with pytest.raises(ModelError):
                await model.complete(REQUESTS["text"])


async def test_an_effort_of_digits_is_a_thinking_budget() -> None:
    request = Request(thread(say("user", "Go.")), Sampling(max_tokens=5_000, effort="2000"))
    async with hosted("anthropic") as (model, host):
        await model.complete(request)
        body = json.loads(host.bodies[-1])
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    async with hosted("google") as (model, host):
        await model.complete(request)
        config = json.loads(host.bodies[-1])["generationConfig"]
        assert config["thinkingConfig"]["thinking_budget"] == 2000


async def test_signed_reasoning_goes_back_with_its_tool_call() -> None:
    request = Request(thread(say("user", "Go.")), Sampling(max_tokens=99), (CALCULATOR,))
    async with hosted("anthropic") as (model, host):
        call = {"type": "tool_use", "id": "c9", "name": "calculator", "input": {"expression": "1"}}
        host.answer = {**CLAUDE, "content": [CLAUDE["content"][0], call], "stop_reason": "tool_use"}
        reply = await model.complete(request)
        assert reply.finish == "tool_calls"
        answered = request.thread.append(
            Message("assistant", (), reply.tool_calls, reasoning=reply.reasoning)
        ).append(Message("tool", (Text("1"),), tool_call_id="c9"))
        host.answer = CLAUDE
        again = await model.complete(Request(answered, Sampling(max_tokens=99), (CALCULATOR,)))
        sent = json.loads(host.bodies[-1])["messages"][1]["content"]
    assert sent[0] == {"type": "thinking", "thinking": "west", "signature": "signed"}
    assert again.conversions == ()


def direct(client: Any) -> DirectModel:
    return anthropic_client("claude-test", client, None)


async def test_a_function_behind_the_adapter() -> None:
    def answer(messages: Any, info: Any) -> ModelResponse:
        parts = [ThinkingPart("hm"), ToolCallPart("calculator", {"expression": "1"}, "c1")]
        return ModelResponse(parts)

    reply = await direct(FunctionModel(answer)).complete(REQUESTS["tools"])
    assert (reply.finish, reply.reasoning) == ("tool_calls", "hm")
    assert reply.tool_calls[0].arguments == '{"expression":"1"}'
    assert reply.cost_usd is None, "the price of an unknown model is unknown"


@pytest.mark.parametrize(("response", "finish"), [
    (ModelResponse([TextPart("a")], finish_reason="length"), "length"),
    (ModelResponse([], finish_reason="content_filter"), "refusal"),
    (ModelResponse([TextPart("a")], finish_reason="stop"), "stop"),
])  # fmt: skip
async def test_finish_reasons(response: ModelResponse, finish: str) -> None:
    model = direct(FunctionModel(lambda messages, info: response))
    assert (await model.complete(REQUESTS["text"])).finish == finish


async def test_nothing_and_nonsense_are_model_errors() -> None:
    with pytest.raises(ModelError, match="empty_reply"):
        await direct(FunctionModel(lambda m, i: ModelResponse([]))).complete(REQUESTS["text"])

    def broken(messages: Any, info: Any) -> ModelResponse:
        raise UnexpectedModelBehavior("nonsense")

    with pytest.raises(ModelError, match="bad_json"):
        await direct(FunctionModel(broken)).complete(REQUESTS["text"])


async def test_a_remembered_prefix_changes_nothing() -> None:
    seen: list[Any] = []

    def answer(messages: Any, info: Any) -> ModelResponse:
        seen.append(list(messages))
        return ModelResponse([TextPart("left")])

    warm = direct(FunctionModel(answer))
    history = thread(say("system", "s"), say("user", "0"))
    for n in range(5):
        await warm.complete(Request(history))
        await direct(FunctionModel(answer)).complete(Request(history))
        told, fresh = seen[-2:]
        assert [m.parts[0].content for m in told] == [m.parts[0].content for m in fresh] or (
            [str(m.parts[0].content) for m in told] == [str(m.parts[0].content) for m in fresh]
        )
        assert len(told) == history.length
        history = history.append(say("assistant", "left")).append(say("user", str(n)))


async def test_the_test_model_answers_through_the_same_door() -> None:
    model = direct(TestModel(custom_output_text="left", call_tools=[]))
    assert (await model.complete(REQUESTS["text"])).text == "left"


@pytest.mark.parametrize(("factory", "variable"), [
    (anthropic, "ANTHROPIC_API_KEY"), (google, "GOOGLE_API_KEY"),
])  # fmt: skip
def test_keys_come_from_the_environment(factory, variable, monkeypatch) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(UserError, match=variable):
        factory("x")
    monkeypatch.setenv(variable, "k")
    assert factory("x-1").group == factory.__name__
