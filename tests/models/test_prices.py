"""Prices: each kind of token at its own, longer prompts at theirs, the table's figures."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.models.prices import known_price
from polyathlon.core.models import Price, Tier, Usage

MILLION = 1_000_000
COUNTS = st.integers(0, MILLION)


@pytest.mark.parametrize(("usage", "dollars"), [
    (Usage(input=MILLION), 2.5),
    (Usage(output=MILLION), 10.0),
    (Usage(input=MILLION, cached=MILLION), 1.0),
    (Usage(input=MILLION, cache_write=MILLION), 3.0),
    (Usage(input=MILLION, audio=MILLION), 32.0),
    (Usage(input=MILLION, image=MILLION), 4.0),
    (Usage(input=MILLION, video=MILLION), 2.5),
    (Usage(output=MILLION, reasoning=MILLION), 10.0),
    (Usage(output=MILLION, audio_output=MILLION), 64.0),
    (Usage(input=4 * MILLION, cached=2 * MILLION, audio=MILLION), 2 + 32 + 2.5),
    (Usage(input=MILLION, cached=MILLION, audio=MILLION), 1.0),
])  # fmt: skip
def test_each_kind_has_its_price(usage: Usage, dollars: float) -> None:
    price = Price(2.5, 10.0, 1.0, 3.0, audio=32.0, audio_output=64.0, image=4.0)
    assert price.cost(usage) == pytest.approx(dollars)


@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS))
def test_no_token_is_free_and_none_counts_twice(counts: tuple[int, int, int, int, int]) -> None:
    fresh, cached, cache_write, audio, image = counts
    total = fresh + cached + cache_write
    usage = Usage(total, cached, 0, 0, min(image, total), min(audio, total), 0, cache_write)
    flat = Price(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert flat.cost(usage) == pytest.approx(total / MILLION)
    assert Price(1.0, 1.0).cost(usage) == pytest.approx(total / MILLION)


@pytest.mark.parametrize(("tokens", "dollars"), [(200, 1.0), (201, 3.0), (501, 5.0)])
def test_longer_prompts_pay_their_tier_for_all_tokens(tokens: int, dollars: float) -> None:
    price = Price(1.0, 2.0, tiers=(Tier(200, Price(3.0, 4.0)), Tier(500, Price(5.0, 6.0))))
    assert price.cost(Usage(input=tokens)) == pytest.approx(dollars * tokens / MILLION)


def test_prices_that_were_written_before_are_read() -> None:
    old = b'{"input":1.0,"output":2.0,"cached":null}'
    assert msgspec.json.decode(old, type=Price) == Price(1.0, 2.0)
    tiered = Price(1.0, 2.0, tiers=(Tier(200, Price(3.0, 4.0)),))
    assert msgspec.json.decode(msgspec.json.encode(tiered), type=Price) == tiered


def test_the_table_knows_every_kind_of_token() -> None:
    pytest.importorskip("genai_prices")
    claude = known_price("anthropic", "claude-opus-4-5")
    assert claude is not None
    assert (claude.cached, claude.cache_write) == (claude.input / 10, claude.input * 1.25)
    sound = known_price("openai", "gpt-audio")
    assert sound is not None
    assert sound.cost(Usage(input=MILLION, audio=MILLION)) > 10 * sound.input
    assert (sound.audio_output or 0) > sound.output


def test_the_table_knows_longer_prompts() -> None:
    pytest.importorskip("genai_prices")
    price = known_price("anthropic", "claude-sonnet-4-5")
    assert price is not None
    assert [tier.above for tier in price.tiers] == [200_000]
    long = price.tiers[0].price
    assert (long.input, long.cache_write) == (2 * price.input, long.input * 1.25)
    assert known_price("anthropic", "claude-opus-4-5").tiers == ()


@pytest.mark.parametrize(("provider", "model"), [
    ("anthropic", "no-such-model"), ("nobody", "claude-opus-4-5"), ("openai", ""),
    ("openai", "gpt-4o-audio-preview"), ("openrouter", "openai/gpt-audio"),
])  # fmt: skip
def test_unknown_is_none(provider: str, model: str) -> None:
    pytest.importorskip("genai_prices")
    assert known_price(provider, model) is None


@pytest.mark.parametrize(("provider", "model"), [
    ("google", "gemini-3.8-flash"), ("openai", "gpt-5.2"), ("anthropic", "claude-haiku-5-5"),
    ("openrouter", "qwen/qwen3-vl-8b-instruct"),
])  # fmt: skip
def test_models_that_are_named_as_examples_have_a_price(provider: str, model: str) -> None:
    pytest.importorskip("genai_prices")
    assert known_price(provider, model) is not None
