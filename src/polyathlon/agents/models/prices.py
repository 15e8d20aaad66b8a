"""Prices of hosted models. Unknown is None, never zero."""

from __future__ import annotations

from typing import Any

from polyathlon.core.models import Price, Tier

_RATES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "audio": "input_audio_mtok",
    "audio_output": "output_audio_mtok",
    "image": "input_image_mtok",
    "video": "input_video_mtok",
}


def known_price(provider: str, model: str) -> Price | None:
    """Today's US dollars per million tokens from the `genai-prices` table.

    None where the table knows no model of that name, no price of its words, or none of sound for a
    model of sound, which costs many times as much.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    try:
        table = calc_price(Usage(), model, provider_id=provider).model_price
    except LookupError:
        return None
    if table.input_mtok is None or table.output_mtok is None:
        return None
    if "audio" in model and table.input_audio_mtok is None:
        return None
    starts = {tier.start for name in _RATES.values() for tier in _tiers(getattr(table, name))}
    return Price(
        **_rates(table, 0),
        tiers=tuple(Tier(start, Price(**_rates(table, start))) for start in sorted(starts)),
    )


def _rates(table: Any, start: int) -> dict[str, Any]:
    """The prices of a prompt that is longer than `start` tokens, and no longer than the next."""
    return {field: _dollars(getattr(table, name), start) for field, name in _RATES.items()}


def _dollars(rate: Any, start: int) -> float | None:
    if rate is None:
        return None
    reached = [tier.price for tier in _tiers(rate) if tier.start <= start]
    return float(reached[-1] if reached else getattr(rate, "base", rate))


def _tiers(rate: Any) -> list[Any]:
    return getattr(rate, "tiers", [])
