"""What is set aside for a call is never below what it can cost."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.hosts import hosted
from tests.models.wire import PICTURE, REQUESTS, SOUND

from polyathlon.agents.models import openai as kinds
from polyathlon.agents.models.anthropic import anthropic
from polyathlon.agents.models.families import UNKNOWN_OUTPUT
from polyathlon.agents.models.google import google
from polyathlon.core.models import Price, Request, Sampling, Tier, Usage, say, thread
from polyathlon.runtime.limits import most_usd
from polyathlon.testing.faults import FaultServer

pytestmark = pytest.mark.anyio

ASK = thread(say("user", "Which way?"))
SENT = [name for name in REQUESTS if "_from_" not in name and name != "grammar"]
DOLLAR = Price(1.0, 1.0)
SAMPLINGS = [
    Sampling(max_tokens=limit, effort=effort)
    for limit in (None, 3_000, 50_000, 10**6)
    for effort in (None, "none", "low", "max", "9000")
]


@pytest.mark.parametrize("name", [
    "claude-opus-4-5", "claude-haiku-4-5", "claude-sonnet-4-6", "claude-opus-4-8", "claude-opus-5",
    "claude-haiku-5-5", "claude-fable-6",
])  # fmt: skip
async def test_claude_answers_in_what_it_is_asked_for(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hosted("anthropic", lambda: anthropic(name), monkeypatch) as (model, host):
        for sampling in SAMPLINGS:
            request = Request(ASK, sampling)
            bound = model.most(request).output
            if bound:
                await model.complete(request)
                assert bound == host.last()["max_tokens"]
    assert len(host.sent) > len(SAMPLINGS) // 2


@pytest.mark.parametrize(("make", "sampling", "output"), [
    (lambda: google("gemini-3.8-flash"), Sampling(), 65_536),
    (lambda: google("gemini-3.8-flash"), Sampling(max_tokens=10**6), 65_536),
    (lambda: google("gemini-3.8-flash"), Sampling(max_tokens=99), 99),
    (lambda: kinds.openai("gpt-5.2"), Sampling(), 128_000),
    (lambda: kinds.openai("gpt-5-pro"), Sampling(), 272_000),
    (lambda: kinds.openai("gpt-4o"), Sampling(max_tokens=10**6), 16_384),
    (lambda: kinds.openai("gpt-4o"), Sampling(max_tokens=99), 99),
    (lambda: kinds.openrouter("qwen/qwen3-vl-8b"), Sampling(), UNKNOWN_OUTPUT),
    (lambda: kinds.openrouter("openai/gpt-5-pro"), Sampling(), 272_000),
    (lambda: kinds.vllm("m@http://h/v1"), Sampling(max_tokens=10**6), 10**6),
])  # fmt: skip
def test_others_answer_in_what_they_are_asked_for_or_can(
    make: Any, sampling: Sampling, output: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE", "OPENAI", "OPENROUTER"):
        monkeypatch.setenv(f"{name}_API_KEY", "k")
    assert make().most(Request(ASK, sampling)).output == output


def test_what_would_not_be_sent_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    model = anthropic("claude-opus-4-5", DOLLAR)
    assert most_usd(model, Request(ASK, Sampling(max_tokens=1_000, effort="low"))) == 0.0
    assert most_usd(model, Request(ASK)) != 0.0


def test_pictures_of_a_small_model_count_as_they_are_documented(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    asked = Request(thread(say("user", PICTURE)))
    assert kinds.openai("gpt-4o-mini").most(asked).image >= 2_833 + 5_667 * 8
    assert kinds.openai("gpt-4o").most(asked).image < 2_833


@pytest.mark.parametrize("name", SENT)
async def test_no_usage_of_the_test_server_is_above_its_bound(name: str) -> None:
    request = msgspec.structs.replace(REQUESTS[name], logprobs=False)
    async with FaultServer() as server:
        model = kinds.vllm(f"m@{server.url}", DOLLAR)
        reply = await model.complete(request)
        await model.close()
    bound, cost = model.most(request), most_usd(model, request)
    assert 0 < reply.usage.input <= bound.input
    assert reply.usage.output <= bound.output
    assert reply.cost_usd is not None
    assert cost is not None
    assert reply.cost_usd <= cost


RATES = st.none() | st.floats(0, 100)
PRICES = st.builds(
    Price, st.floats(0.1, 100), st.floats(0.1, 100), RATES, RATES, RATES, st.none(), RATES, RATES
)
COUNTS = st.integers(0, 500_000)


@given(PRICES, PRICES, st.lists(COUNTS, min_size=5, max_size=5), st.data())
def test_no_usage_within_a_bound_costs_more(
    price: Price, dearer: Price, counts: list[int], data: st.DataObject
) -> None:
    """Whatever was cached, and whichever media were counted as text."""
    text, image, audio, video, output = counts
    bound = Usage(text + image + audio + video, 0, output, 0, image, audio, video)
    tiered = msgspec.structs.replace(price, tiers=(Tier(200_000, dearer),))
    kinds_of = [data.draw(st.integers(0, count)) for count in (image, audio, video)]
    total = data.draw(st.integers(sum(kinds_of), bound.input))
    cached = data.draw(st.integers(0, total))
    written = data.draw(st.integers(0, total - cached))
    said = data.draw(st.integers(0, output))
    used = Usage(total, cached, said, 0, *kinds_of, written)
    assert tiered.cost(used) <= tiered.most(bound) * (1 + 1e-9)


def test_sound_is_set_aside_at_its_own_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    request = Request(thread(say("user", SOUND)), Sampling(max_tokens=1))
    cheap = kinds.openai("gpt-audio", Price(1.0, 1.0))
    dear = kinds.openai("gpt-audio", Price(1.0, 1.0, audio=32.0))
    more = (most_usd(dear, request) or 0.0) - (most_usd(cheap, request) or 0.0)
    assert more == pytest.approx(31 * dear.most(request).audio / 1e6)
