"""Prices of hosted models. Unknown is None, never zero."""

from __future__ import annotations

from typing import Any

from polyathlon.core.models import Price

MILLION = 1_000_000


def known_price(provider: str, model: str) -> Price | None:
    """US dollars per million tokens from the `genai-prices` table, None when it knows none.

    Where a price rises with the length of the prompt this is the price of short prompts.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None

    def dollars(**usage: int) -> float:
        return float(calc_price(Usage(**usage), model, provider_id=provider).total_price)

    try:
        return _price(dollars)
    except LookupError:
        return None


def _price(dollars: Any) -> Price:
    per = MILLION / 1_000
    fresh = dollars(input_tokens=1_000) * per
    return Price(
        input=round(fresh, 6),
        output=round(dollars(output_tokens=1_000) * per, 6),
        cached=round(dollars(input_tokens=1_000, cache_read_tokens=1_000) * per, 6),
    )
