"""Replies are untrusted bytes: a Reply or a ModelError, never anything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.models.completion import read_completion, read_failure
from polyathlon.agents.models.failures import from_status, retry_after_s
from polyathlon.core.models import ModelError, Reply, Usage
from polyathlon.testing.faults import completion

KEYS = (
    "choices", "message", "content", "refusal", "tool_calls", "function", "name", "arguments",
    "usage", "prompt_tokens", "completion_tokens", "finish_reason", "logprobs", "error", "code",
    "prompt_tokens_details", "cached_tokens", "token_ids", "logprob", "id", "reasoning",
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


def read(data: bytes) -> Reply | ModelError:
    try:
        return read_completion(data)
    except ModelError as error:
        return error


@given(st.binary(max_size=200) | (JSONS | LIKELY).map(lambda v: json.dumps(v).encode()))
def test_any_bytes_are_a_reply_or_a_model_error(data: bytes) -> None:
    assert isinstance(read(data), Reply | ModelError)
    assert isinstance(read_failure(500, data, {}), Reply | ModelError)


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
            "prompt_tokens_details": {"cached_tokens": 8, "audio_tokens": 2, "image_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }
    reply = read_completion(json.dumps(data).encode())
    assert (reply.text, reply.reasoning, reply.finish) == ("a", "because", "tool_calls")
    assert reply.tool_calls[0].name == "f"
    assert reply.usage == Usage(input=10, cached=8, output=4, reasoning=1, image=3, audio=2)
    assert (reply.token_ids, reply.logprobs, reply.raw_id) == ((5, 6), (-0.5, -1.5), "r-1")


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
    assert read_failure(400, body, {}) == Reply(text="filtered", finish="refusal")


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
    ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "-3"}, None),
    ({"retry-after": "soon"}, None),
    ({}, None),
])  # fmt: skip
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "date"]), st.text()))
def test_any_retry_after_is_seconds_or_none(headers: dict[str, str]) -> None:
    seconds = retry_after_s(headers)
    assert seconds is None or seconds >= 0


def test_the_fault_server_speaks_the_format() -> None:
    reply = read_completion(json.dumps(completion("left", b"12345678")).encode())
    assert (reply.text, reply.usage.input, reply.usage.output) == ("left", 2, 2)
