"""What Claude and Gemini models have in common: keys, thoughts of others, any answer at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.hosts import KEY, hosted
from tests.models.wire import REQUESTS

from polyathlon.agents.models import anthropic_reply, google_reply
from polyathlon.agents.models.anthropic import anthropic
from polyathlon.agents.models.google import google
from polyathlon.agents.models.hosted import HostedModel
from polyathlon.agents.models.http import Answer
from polyathlon.core.models import Message, ModelError, Reply, Request, say, thread
from polyathlon.core.parts import Text

pytestmark = pytest.mark.anyio


class Provider(NamedTuple):
    """A provider: a model of it, what reads its answers, and the words that answers are made of."""

    make: Callable[[], HostedModel]
    read: Callable[[Answer, str], Reply]
    names: str
    values: tuple[str, ...] = ()


PROVIDERS = {
    "anthropic": Provider(
        lambda: anthropic("claude-opus-4-5"),
        anthropic_reply.read,
        "content type text thinking input id usage input_tokens error message stop_reason"
        " stop_details input_transformations",
        ("thinking", "tool_use", "text", "refusal"),
    ),
    "google": Provider(
        lambda: google("gemini-3.8-flash"),
        google_reply.read,
        "candidates content parts text thought functionCall args error usageMetadata"
        " promptTokenCount promptFeedback blockReason details message code retryDelay"
        " finishReason thoughtSignature violations",
    ),
}
BASE_URLS = {"anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}


def answers(provider: Provider) -> st.SearchStrategy[bytes]:
    """Bytes of all kinds, and JSON of the provider's words."""
    scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    names = st.sampled_from(provider.names.split())
    likely = st.sampled_from(provider.values) if provider.values else scalars
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(names, inner | likely, max_size=5),
        max_leaves=12,
    )  # fmt: skip
    return values.map(json.dumps).map(str.encode) | st.binary(max_size=60)


ANSWERS = {kind: answers(provider) for kind, provider in PROVIDERS.items()}


@pytest.mark.parametrize("kind", PROVIDERS)
@given(data=st.data(), status=st.sampled_from([200, 400, 429, 500]))
def test_any_bytes_are_a_reply_or_a_model_error(
    kind: str, data: st.DataObject, status: int
) -> None:
    provider = PROVIDERS[kind]
    try:
        reply = provider.read(Answer(status, {}, data.draw(ANSWERS[kind])), f"{kind}/m")
    except ModelError:
        return
    assert reply.text or reply.tool_calls or reply.reasoning or reply.finish != "stop"
    assert not reply.opaque or json.loads(reply.opaque)


@pytest.mark.parametrize("kind", PROVIDERS)
@pytest.mark.parametrize("place", ["key", "address"])
async def test_secrets_that_a_server_says_are_masked(
    kind: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = KEY if place == "key" else "pass/word1"
    async with hosted(kind, PROVIDERS[kind].make, monkeypatch) as (client, host):
        if place == "address":
            url = host.url.replace("//", "//me:pass%2Fword1@")
            monkeypatch.setenv(BASE_URLS[kind], url)
            client = PROVIDERS[kind].make()
        host.status, host.answer = 401, {"error": {"message": f"bad key {secret}", "code": 401}}
        with pytest.raises(ModelError, match="bad key") as error:
            await client.complete(REQUESTS["text"])
        await client.close()
    assert secret not in str(error.value)
    assert error.value.cause == "auth"
    assert len(host.sent) == 1, "retries belong to the runtime"


@pytest.mark.parametrize("kind", PROVIDERS)
async def test_hidden_thoughts_of_others_are_left_out_and_told(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opaque = f'{{"{kind}/other":[{{"text":"secret thought"}}]}}'.encode()
    hidden = Message("assistant", (Text("left"),), opaque=opaque)
    async with hosted(kind, PROVIDERS[kind].make, monkeypatch) as (client, host):
        reply = await client.complete(Request(thread(say("user", "Go."), hidden)))
    assert b"left" in host.bodies[-1]
    assert b"secret" not in host.bodies[-1]
    assert reply.conversions == ("earlier reasoning not sent back",)


@pytest.mark.parametrize("kind", PROVIDERS)
@pytest.mark.parametrize("body", ['{"errors":[{"text":"no route"}]}', '{"detail":"no route"}'])
async def test_words_in_other_forms_are_not_lost(
    kind: str, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hosted(kind, PROVIDERS[kind].make, monkeypatch) as (client, host):
        host.status, host.answer = 502, body.encode()
        with pytest.raises(ModelError, match="no route") as error:
            await client.complete(REQUESTS["text"])
    assert (error.value.cause, error.value.retryable) == ("server_error", True)
