"""Replies are untrusted bytes: a Reply or a ModelError, never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.models.completion import read_completion
from polyathlon.agents.models.failures import failure, from_status, masked, retry_after_s, told
from polyathlon.agents.models.responses import read_response
from polyathlon.core.models import ModelError, Reply, Usage
from polyathlon.testing.faults import completion

KEYS = (
    "choices", "message", "content", "refusal", "tool_calls", "function", "name", "arguments",
    "usage", "prompt_tokens", "completion_tokens", "finish_reason", "logprobs", "error", "code",
    "prompt_tokens_details", "cached_tokens", "token_ids", "logprob", "id", "reasoning", "cost",
    "reasoning_details", "text", "thinking", "message", "metadata", "raw", "reasons", "headers",
    "detail", "loc", "msg", "param", "type", "__verbose", "tokens", "prompt_token_ids", "status",
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
JSONS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=20,
)
CHOICE = st.fixed_dictionaries(
    {"message": st.dictionaries(st.sampled_from(KEYS), JSONS, max_size=4)},
    optional={"finish_reason": JSONS, "logprobs": JSONS, "error": JSONS, "token_ids": JSONS},
)
LIKELY = st.fixed_dictionaries(
    {"choices": st.lists(CHOICE, min_size=1, max_size=2)},
    optional={"usage": JSONS, "id": JSONS, "error": JSONS},
)


ITEM = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "reasoning", "function_call", "other"])},
    optional={"content": JSONS, "summary": JSONS, "call_id": JSONS, "name": JSONS, "phase": JSONS},
)
RESPONSES = st.fixed_dictionaries(
    {"output": st.lists(ITEM, max_size=3)},
    optional={"status": JSONS, "usage": JSONS, "error": JSONS, "incomplete_details": JSONS},
)


def read(data: bytes, reader: Callable[[bytes], Reply] = read_completion) -> Reply | ModelError:
    try:
        return reader(data)
    except ModelError as error:
        return error


@given(st.binary(max_size=200) | (JSONS | LIKELY).map(lambda v: json.dumps(v).encode()))
def test_any_bytes_are_a_reply_or_a_model_error(data: bytes) -> None:
    assert isinstance(read(data), Reply | ModelError)
    for status in (400, 403, 500):
        assert isinstance(failure(status, told(data), {}), Reply | ModelError)


@given(st.binary(max_size=200) | (JSONS | RESPONSES).map(lambda v: json.dumps(v).encode()))
def test_any_bytes_are_a_response_or_a_model_error(data: bytes) -> None:
    assert isinstance(read(data, read_response), Reply | ModelError)


@pytest.mark.parametrize("data", [
    b"[" * 100_000,
    b'{"choices":' * 50_000,
    b'{"choices":[{"message":{"content":"\\ud800"}}]}',
    b'{"choices":[{"message":{"content":"\xff"}}]}',
    b'{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":-1}}',
    b'{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":1' + b"0" * 400 + b"}}",
])  # fmt: skip
def test_hostile_bytes_are_bad_json(data: bytes) -> None:
    outcome = read(data)
    assert isinstance(outcome, ModelError)
    assert (outcome.cause, outcome.retryable) == ("bad_json", True)


def test_a_full_reply_is_read_whole() -> None:
    data = {
        "id": "r-1",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "token_ids": [5, 6],
                "logprobs": {"content": [{"logprob": -0.5, "id": 1}, {"logprob": -1.5, "id": 2}]},
                "message": {
                    "content": "a",
                    "reasoning_content": "because",
                    "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
                },
            }
        ],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 4,
            "prompt_tokens_details": {
                "cached_tokens": 7,
                "cache_write_tokens": 1,
                "audio_tokens": 2,
                "image_tokens": 3,
                "video_tokens": 4,
            },
            "completion_tokens_details": {"reasoning_tokens": 1, "audio_tokens": 2},
            "cost": 0.5,
        },
    }
    reply = read_completion(json.dumps(data).encode())
    assert (reply.text, reply.reasoning, reply.finish) == ("a", "because", "tool_calls")
    assert reply.tool_calls[0].name == "f"
    assert reply.usage == Usage(
        input=10, cached=7, output=4, reasoning=1, image=3, audio=2, video=4, cache_write=1,
        audio_output=2,
    )  # fmt: skip
    assert reply.cost_usd == 0.5
    assert (reply.token_ids, reply.logprobs, reply.raw_id) == ((5, 6), (-0.5, -1.5), "r-1")


@pytest.mark.parametrize(("content", "text", "reasoning"), [
    ([{"type": "text", "text": "le"}, {"type": "text", "text": "ft"}], "left", ""),
    ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
      {"type": "text", "text": "left"}], "left", "hm"),
    (["left"], "left", ""),
    ([{"type": "refusal", "refusal": "no"}], "no", ""),
])  # fmt: skip
def test_content_lists_are_read(content: object, text: str, reasoning: str) -> None:
    reply = read_completion(json.dumps({"choices": [{"message": {"content": content}}]}).encode())
    assert (reply.text, reply.reasoning) == (text, reasoning)
    assert reply.finish == ("refusal" if text == "no" else "stop")


@pytest.mark.parametrize(("arguments", "text"), [
    ('"{\\"a\\": 1}"', '{"a": 1}'), ('{"a": "ü"}', '{"a": "ü"}'), ("null", ""), ("[1]", "[1]"),
])  # fmt: skip
def test_arguments_are_json_text(arguments: str, text: str) -> None:
    call = f'{{"id": 7, "function": {{"name": "f", "arguments": {arguments}}}}}'
    data = f'{{"choices": [{{"message": {{"tool_calls": [{call}]}}}}]}}'
    (read_call,) = read_completion(data.encode()).tool_calls
    assert (read_call.id, read_call.arguments) == ("7", text)


@pytest.mark.parametrize(("choice", "finish"), [
    ({"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}, "refusal"),
    ({"message": {"content": ""}, "finish_reason": "content_filter"}, "refusal"),
    ({"message": {"content": ""}, "finish_reason": "length"}, "length"),
    ({"message": {"content": "a"}, "finish_reason": "unheard_of"}, "stop"),
    ({"message": {"reasoning": "only thought"}}, "stop"),
])  # fmt: skip
def test_finish_reasons(choice: dict[str, object], finish: str) -> None:
    assert read_completion(json.dumps({"choices": [choice]}).encode()).finish == finish


def test_an_error_inside_success_keeps_its_status() -> None:
    outcome = read(b'{"error": {"code": 429, "message": "busy"}}')
    assert isinstance(outcome, ModelError)
    assert (outcome.cause, outcome.retryable) == ("rate_limited", True)


def test_a_provider_filter_is_a_refusal() -> None:
    body = b'{"error": {"code": "content_filter", "message": "filtered"}}'
    assert failure(400, told(body), {}) == Reply(text="filtered", finish="refusal")


@pytest.mark.parametrize(("status", "code", "cause", "retryable"), [
    (400, "", "bad_request", False),
    (400, "context_length_exceeded", "context_length", False),
    (401, "", "auth", False),
    (404, "", "not_found", False),
    (408, "", "timeout", True),
    (418, "", "bad_request", False),
    (429, "", "rate_limited", True),
    (429, "insufficient_quota", "quota", False),
    (500, "", "server_error", True),
    (529, "", "server_error", True),
])  # fmt: skip
def test_statuses(status: int, code: str, cause: str, retryable: bool) -> None:
    error = from_status(status, "why", code)
    assert (error.cause, error.retryable) == (cause, retryable)


@pytest.mark.parametrize(("headers", "seconds"), [
    ({"retry-after": "7"}, 7.0),
    ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:09 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 9),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT", "date": "Wed, 21 Oct 2015 07:28:09 GMT"}, 0),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:09 -0000", "date": "Wed, 21 Oct 2015 07:28:00 GMT"},
     9.0),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "-3"}, None),
    ({"retry-after": "soon"}, None),
    ({}, None),
    ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, 1.0),
    ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0.5s",
      "x-ratelimit-remaining-tokens": "0"}, 360.5),
    ({"x-ratelimit-reset-requests": "250ms"}, 0.25),
    ({"x-ratelimit-reset-requests": "1s", "retry-after": "7"}, 7.0),
    ({"x-ratelimit-reset": "12"}, 12.0),
    ({"x-ratelimit-reset": "1445412489000", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 9.0),
    ({"x-ratelimit-reset": "1445412489", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 9.0),
    ({"x-ratelimit-reset": "1445412489"}, None),
    ({"x-ratelimit-reset-requests": "1 week"}, None),
])  # fmt: skip
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


WAITS = ("retry-after", "retry-after-ms", "date", "x-ratelimit-reset", "x-ratelimit-reset-tokens")


WAITED = (
    st.text()
    | st.from_regex(r"(\d{1,9}(ms|h|m|s)?){1,3}", fullmatch=True)
    | st.sampled_from(
        ["Wed, 21 Oct 2015 07:28:09 GMT", "Wed, 21 Oct 2015 07:28:09 -0000", "1e999", "-1"]
    )
)


@given(st.dictionaries(st.sampled_from(WAITS), WAITED))
def test_any_retry_after_is_seconds_or_none(headers: dict[str, str]) -> None:
    seconds = retry_after_s(headers)
    assert seconds is None or seconds >= 0


def test_the_fault_server_speaks_the_format() -> None:
    reply = read_completion(json.dumps(completion("left", b"12345678")).encode())
    assert (reply.text, reply.usage.input, reply.usage.output) == ("left", 2, 2)


@pytest.mark.parametrize(("text", "masks"), [
    ("key abcdefgh1 is bad", "key *** is bad"),
    ("sk-proj-abcd*****wxyz", "***"),
    ("AIzaSyA0123456789012345678901234", "***"),
    ("a task-force of sk-8s, none", "a task-force of sk-8s, none"),
])  # fmt: skip
def test_keys_are_masked(text: str, masks: str) -> None:
    assert masked(text, ("abcdefgh1", "none")) == masks


def test_words_of_fastapi_are_read() -> None:
    body = b'{"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]}'
    assert told(body).message == "['body', 'messages']: Field required"
    assert told(b'{"detail": "Not Found"}').message == "Not Found"


@pytest.mark.parametrize(("body", "words"), [
    ('{"error":"Bad Request","message":"the seed is odd"}', "Bad Request: the seed is odd"),
    ('{"error":["one","two"]}', "one"),
    ('{"error":[{"message":"first"}]}', "first"),
    ('{"errors":[{"code":7003,"message":"no route"}]}',
     '{"errors":[{"code":7003,"message":"no route"}]}'),
    ('{"error":{"type":"overloaded"}}', '{"error":{"type":"overloaded"}}'),
    ('{"detail":{"why":"late"}}', '{"detail":{"why":"late"}}'),
    ('{"error":{"message":"it failed","metadata":{"raw":"{\\"fault\\":3}"}}}',
     'it failed: {"fault":3}'),
    ('[7]', '[7]'),
    ('{}', ''),
])  # fmt: skip
def test_no_words_of_a_failure_are_lost(body: str, words: str) -> None:
    assert told(body.encode()).message == words


def test_a_code_beside_a_worded_error_is_read() -> None:
    said = told(b'{"error":"too long","code":"context_length_exceeded"}')
    assert (said.message, said.codes) == ("too long", ("context_length_exceeded",))
