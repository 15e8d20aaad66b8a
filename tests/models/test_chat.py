"""What clients make of servers that differ, refuse, and answer in forms of their own."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.models.canned import CHAT, Canned
from tests.models.wire import CALCULATOR, OBJECT

from polyathlon.agents.models import openai as kinds
from polyathlon.agents.models.chat import distinct
from polyathlon.agents.models.hosted import HostedModel
from polyathlon.core.models import (
    Message,
    ModelError,
    Price,
    Request,
    Sampling,
    Thread,
    ToolCall,
    say,
    thread,
)
from polyathlon.core.parts import Text
from polyathlon.runtime.caller import Attempt, Caller, RetryPolicy

pytestmark = pytest.mark.anyio

ASK = Request(thread(say("user", "Which way?")))
GRAMMAR = msgspec.structs.replace(ASK, grammar='root ::= "left"')
SECRET = "sk-or-v1-0123456789abcdef"


def refusal(message: str, **more: Any) -> tuple[int, dict[str, str], Any]:
    return 400, {}, {"error": {"message": message, "code": 400, **more}}


def listed(owner: str) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": "m", "owned_by": owner}]}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, SECRET)


def hosted(kind: str, name: str, server: Canned, monkeypatch: pytest.MonkeyPatch) -> HostedModel:
    monkeypatch.setenv(f"{kind.upper()}_BASE_URL", server.url)
    model: HostedModel = getattr(kinds, kind)(name)
    return model


async def failure(model: HostedModel, request: Request = ASK) -> ModelError:
    with pytest.raises(ModelError) as failed:
        await model.complete(request)
    return failed.value


async def test_a_refused_option_costs_one_recorded_attempt_and_is_not_sent_again() -> None:
    no = "Unsupported parameter: 'temperature' is not supported with this model."
    request = msgspec.structs.replace(ASK, sampling=Sampling(temperature=0.0, seed=1))
    seen: list[Attempt] = []
    async with Canned(completions=[refusal(no), CHAT]) as server:
        model = kinds.vllm(f"m@{server.url}")
        policy = RetryPolicy(first_backoff_s=0.01)
        reply = await Caller(policy).call(model, request, seen.append)
        again = await model.complete(request)
        await model.close()
    assert [(a.cause, a.final) for a in seen] == [("unsupported_option", False), ("", True)]
    assert no in seen[0].detail
    assert reply.conversions == ("temperature not sent (refused by the server)",)
    assert again.conversions == reply.conversions
    assert ["temperature" in body for body in server.bodies] == [True, False, False]
    assert all(body["seed"] == 1 for body in server.bodies)


async def test_token_ids_that_are_refused_are_not_asked_for_again() -> None:
    request = msgspec.structs.replace(ASK, logprobs=True, token_ids=True)
    no = refusal("Unrecognized request argument supplied: return_token_ids")
    async with Canned(completions=[no, CHAT]) as server:
        model = kinds.vllm(f"m@{server.url}")
        assert (await failure(model, request)).cause == "unsupported_option"
        reply = await model.complete(request)
        await model.close()
    assert "return_token_ids" not in server.bodies[-1]
    assert server.bodies[-1]["logprobs"] is True
    assert "token_ids not sent (refused by the server)" in reply.conversions


async def test_a_schema_is_never_left_out() -> None:
    request = msgspec.structs.replace(ASK, schema=OBJECT)
    async with Canned(completions=refusal("'response_format' is not supported")) as server:
        model = kinds.vllm(f"m@{server.url}")
        error = await failure(model, request)
        await model.close()
    assert (error.cause, error.retryable) == ("unsupported", False)
    assert "response_format is refused, and cannot be left out" in error.detail


@pytest.mark.parametrize(("owner", "field"), [
    ("vllm", {"structured_outputs": {"grammar": 'root ::= "left"'}}),
    ("llamacpp", {"grammar": 'root ::= "left"'}),
    ("sglang", {"ebnf": 'root ::= "left"'}),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["vllm", "llamacpp"])
async def test_a_grammar_goes_into_the_field_of_the_server_that_is_there(
    kind: str, owner: str, field: dict[str, Any]
) -> None:
    async with Canned(models=listed(owner), completions=CHAT) as server:
        model = getattr(kinds, kind)(f"m@{server.url}")
        for _ in range(2):
            await model.complete(GRAMMAR)
        await model.close()
    assert server.paths == ["/v1/models", "/v1/chat/completions", "/v1/chat/completions"]
    assert field.items() <= server.bodies[-1].items()


@pytest.mark.parametrize("answer", [listed("me"), {"data": []}, {}, (404, {}, {})])
async def test_a_server_that_may_ignore_a_grammar_is_not_asked_under_one(answer: Any) -> None:
    async with Canned(models=answer, completions=CHAT) as server:
        model = kinds.vllm(f"m@{server.url}")
        error = await failure(model, GRAMMAR)
        await model.complete(ASK)
        await model.close()
    assert (error.cause, error.retryable) == ("unsupported", False)
    assert "grammar=off" in error.detail
    assert len(server.bodies) == 1


async def test_thinking_is_switched_off_in_words_that_every_vllm_knows() -> None:
    async with Canned(completions=CHAT) as server:
        model = kinds.vllm(f"m@{server.url}")
        for effort in ("none", "high"):
            await model.complete(msgspec.structs.replace(ASK, sampling=Sampling(effort=effort)))
        await model.close()
    off, on = server.bodies
    assert off["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False}
    assert "reasoning_effort" not in off
    assert on["reasoning_effort"] == "high"


@pytest.mark.parametrize(("status", "body", "cause"), [
    (400, {"error": {"code": 400, "type": "exceed_context_size_error",
                     "message": "request (9031 tokens) exceeds the available context size (8192"
                                " tokens), try increasing it"}}, "context_length"),
    (400, {"object": "error", "type": "BadRequestError", "param": None, "code": 400,
           "message": "This model's maximum context length is 8192 tokens. However, you requested"
                      " 9000 tokens."}, "context_length"),
    (400, {"error": {"message": "The decoder prompt (length 9) is longer than the maximum model"
                                " length of 8", "code": 400}}, "context_length"),
    (400, {"message": "max_tokens must be at least 1, got -186."}, "context_length"),
    (500, {"error": {"code": 500, "type": "server_error",
                     "message": "image input is not supported - hint: if this is unexpected, you"
                                " may need to provide the mmproj"}}, "unsupported"),
    (400, {"error": {"message": "At most 0 audio(s) may be provided in one prompt."}},
     "unsupported"),
    (404, {"error": {"code": 404, "message": "No endpoints found that support image input"}},
     "unsupported"),
    (429, {"error": {"message": "Request too large for gpt-4o on tokens per min (TPM)",
                     "code": "rate_limit_exceeded"}}, "too_large"),
    (429, {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota",
                     "code": 429}}, "quota"),
])  # fmt: skip
async def test_causes_come_from_the_servers_words(status: int, body: Any, cause: str) -> None:
    async with Canned(completions=(status, {}, body)) as server:
        model = kinds.vllm(f"m@{server.url}")
        error = await failure(model)
        await model.close()
    assert (error.cause, error.retryable) == (cause, False)
    words = body.get("error", body)["message"].split(" - ")[0]
    assert words in error.detail
    if cause == "unsupported":
        assert "--intervene substitute:" in error.detail


async def test_openrouter_says_what_its_provider_said(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = '{"error":{"message":"upstream is on fire","type":"x"}}'
    body = {"error": {"code": 502, "message": "Provider returned error",
                      "metadata": {"raw": raw, "provider_name": "P"}}}  # fmt: skip
    inside = {"error": {**body["error"], "code": 429}}
    async with Canned(completions=[(502, {}, body), inside]) as server:
        model = hosted("openrouter", "x/y", server, monkeypatch)
        outer, inner = await failure(model), await failure(model)
        await model.close()
    assert outer.detail == "HTTP 502: Provider returned error: upstream is on fire"
    assert (inner.cause, inner.retryable) == ("rate_limited", True)


async def test_a_moderation_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    flagged = {"reasons": ["violence"], "flagged_input": "…", "provider_name": "P"}
    body = {"error": {"code": 403, "message": "Flagged by moderation", "metadata": flagged}}
    other = {"error": {"code": 403, "message": "Key limit exceeded"}}
    async with Canned(completions=[(403, {}, body), body, (403, {}, other)]) as server:
        model = hosted("openrouter", "x/y", server, monkeypatch)
        replies = [await model.complete(ASK) for _ in range(2)]
        error = await failure(model)
        await model.close()
    assert [reply.finish for reply in replies] == ["refusal", "refusal"]
    assert replies[0].text == "Flagged by moderation: violence"
    assert error.cause == "auth"


async def test_openrouters_price_is_the_one_that_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.25}
    own = {**usage, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.5}}
    answers = [{**CHAT, "usage": usage}, {**CHAT, "usage": own}, {**CHAT, "usage": {}}]
    async with Canned(completions=answers) as server:
        model = hosted("openrouter", "x/y", server, monkeypatch)
        model.price = Price(1e6, 1e6)
        costs = [(await model.complete(ASK)).cost_usd for _ in answers]
        await model.close()
    assert costs == [0.25, 0.75, 0.0]


async def test_openrouters_details_of_reasoning_go_back_as_they_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    detail = {"type": "reasoning.encrypted", "data": "ünd=", "id": "r", "index": 0}
    call = {"id": "c1", "function": {"name": "calculator", "arguments": "{}"}}
    message = {"content": None, "tool_calls": [call], "reasoning_details": [detail]}
    async with Canned(completions=[{"choices": [{"message": message}]}, CHAT]) as server:
        model = hosted("openrouter", "google/gemini-3-pro", server, monkeypatch)
        request = msgspec.structs.replace(ASK, tools=(CALCULATOR,))
        reply = await model.complete(request)
        said = Message("assistant", (), reply.tool_calls, "", "thought", reply.opaque)
        result = Message("tool", (Text("1"),), tool_call_id="c1")
        talk = request.thread.append(said).append(result)
        again = await model.complete(msgspec.structs.replace(request, thread=talk))
        await model.close()
        other = kinds.vllm(f"m@{server.url}")
        lost = await other.complete(msgspec.structs.replace(request, thread=talk))
        await other.close()
    sent = server.bodies[1]["messages"][1]
    assert sent["reasoning_details"] == [detail]
    assert "reasoning" not in sent
    assert again.conversions == ()
    assert server.bodies[2]["messages"][1]["reasoning"] == "thought"
    assert lost.conversions == ()


async def test_a_key_that_a_server_echoes_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {
        "error": {"message": f"Incorrect API key: {SECRET}, sk-proj-abcd*****wxyz", "code": 401}
    }
    async with Canned(completions=(401, {}, body)) as server:
        model = hosted("openrouter", "x/y", server, monkeypatch)
        error = await failure(model)
        await model.close()
    assert error.cause == "auth"
    assert error.detail == "HTTP 401: Incorrect API key: ***, ***"
    assert SECRET not in str(error)


async def test_a_password_in_an_address_is_masked_and_no_part_of_the_group() -> None:
    body = {"error": {"message": "who is hunter2hunter2?", "code": 401}}
    async with Canned(completions=(401, {}, body)) as server:
        model = kinds.vllm(f"m@{server.url.replace('//', '//me:hunter2hunter2@')}")
        error = await failure(model)
        await model.close()
    assert error.detail == "HTTP 401: who is ***?"
    assert model.group == f"vllm@{server.url}"
    assert "authorization: basic " in server.heads[0]


@pytest.mark.parametrize("login", ["me:pa%20ss%2Fword@", "me:short@", "me@work:pw@"])
async def test_a_login_in_an_address_is_in_no_cause(login: str) -> None:
    async with Canned(models=listed("gateway")) as server:
        model = kinds.vllm(f"m@{server.url.replace('//', f'//{login}')}")
        error = await failure(model, GRAMMAR)
        await model.close()
    assert error.detail.startswith(f"vllm/m@{server.url.replace('//', '//***@')}: its server")
    assert login not in str(error)


@pytest.mark.parametrize("proxy", ["http://me:hunter2hunter2@{}", "me:hunter2hunter2@{}"])
async def test_a_login_of_a_proxy_is_in_no_cause(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 407 Log in\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    heads: list[bytes] = []
    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    monkeypatch.setenv("https_proxy", proxy.format(host))
    model = kinds.vllm("m@https://api.example.com/v1")
    error = await failure(model)
    await model.close()
    server.close()
    assert b"Basic bWU6aHVudGVyMmh1bnRlcjI=" in heads[0]
    assert (error.cause, "407" in error.detail) == ("connection", True)
    assert "hunter2" not in str(error)


async def test_a_login_that_a_server_echoes_is_masked() -> None:
    body = {"error": {"message": "no user has Basic bWU6cGFzc3dvcmQx or password1", "code": 401}}
    async with Canned(completions=(401, {}, body)) as server:
        model = kinds.vllm(f"m@{server.url.replace('//', '//me:password1@')}")
        error = await failure(model)
        await model.close()
    assert error.detail == "HTTP 401: no user has Basic *** or ***"


async def test_token_ids_of_llamacpp() -> None:
    answer = {**CHAT, "usage": {"prompt_tokens": 3},
              "__verbose": {"prompt": "<s>Hi", "tokens": [5, 6]}}  # fmt: skip
    answers = [{"tokens": [1, 2, 3]}, {"tokens": [1]}, (500, {}, {"error": {"message": "no"}})]
    async with Canned(completions=answer, tokenize=answers) as server:
        model = kinds.llamacpp(f"m@{server.url}")
        request = msgspec.structs.replace(ASK, token_ids=True)
        replies = [await model.complete(request) for _ in answers]
        await model.close()
    assert [reply.prompt_ids for reply in replies] == [(1, 2, 3), (), ()]
    assert all(reply.token_ids == (5, 6) for reply in replies)
    missing = ("token ids of the prompt not given by the server",)
    assert [reply.conversions for reply in replies] == [(), missing, missing]
    assert server.paths[:2] == ["/v1/chat/completions", "/tokenize"]
    question = {"content": "<s>Hi", "add_special": True, "parse_special": True}
    assert server.bodies[1] == question


async def test_organisation_and_project_go_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    async with Canned(completions=CHAT) as server:
        model = hosted("openai", "gpt-4o", server, monkeypatch)
        await model.complete(ASK)
        await model.close()
    assert "openai-organization: org-1\r\n" in server.heads[0]
    assert "openai-project" not in server.heads[0]


async def test_calls_without_ids_of_their_own_are_named_by_their_place() -> None:
    call = {"function": {"name": "calculator", "arguments": {"expression": "6*7"}}}
    twice = {**call, "id": "call_0"}
    answer = {"choices": [{"message": {"tool_calls": [call, twice, twice]}}]}
    async with Canned(completions=answer) as server:
        model = kinds.vllm(f"m@{server.url}")
        request = msgspec.structs.replace(ASK, tools=(CALCULATOR,))
        first = await model.complete(request)
        same = await model.complete(request)
        talk: Thread = request.thread.append(Message("assistant", (), first.tool_calls))
        later = await model.complete(msgspec.structs.replace(request, thread=talk))
        await model.close()
    assert [c.id for c in first.tool_calls] == ["call_1_0", "call_0", "call_1_2"]
    assert same == msgspec.structs.replace(first, latency_s=same.latency_s)
    assert [c.id for c in later.tool_calls] == ["call_2_0", "call_2_1", "call_2_2"]
    assert first.tool_calls[0].arguments == '{"expression": "6*7"}'


def test_names_by_place_never_meet_a_servers_own() -> None:
    own = ToolCall("call_2_0", "f", "{}")
    talk = thread(say("user", "?"), Message("assistant", (), (own,)))
    assert distinct((ToolCall("", "f", "{}"), own), talk)[0].id == "call_2_0_"


async def test_token_ids_of_vllm() -> None:
    choice = {**CHAT["choices"][0], "token_ids": [5, 6]}
    answer = {"choices": [choice], "prompt_token_ids": [1, 2, 3]}
    async with Canned(completions=[answer, CHAT]) as server:
        model = kinds.vllm(f"m@{server.url}")
        request = msgspec.structs.replace(ASK, token_ids=True)
        given, missing = await model.complete(request), await model.complete(request)
        await model.close()
    assert server.bodies[0]["return_token_ids"] is True
    assert (given.token_ids, given.prompt_ids, given.conversions) == ((5, 6), (1, 2, 3), ())
    assert missing.conversions == (
        "token ids of the reply not given by the server",
        "token ids of the prompt not given by the server",
    )


async def test_waits_that_a_router_passes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    reset = {"X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0",
             "X-RateLimit-Reset": "1445412489000"}  # fmt: skip
    body = {"error": {"code": 429, "message": "slow", "metadata": {"headers": reset}}}
    answer = (429, {"date": "Wed, 21 Oct 2015 07:28:00 GMT"}, body)
    async with Canned(completions=answer) as server:
        model = hosted("openrouter", "x/y", server, monkeypatch)
        error = await failure(model)
        await model.close()
    assert (error.cause, error.retry_after_s) == ("rate_limited", 9.0)
