"""Efforts: how much a model shall think, in words or in tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
BUDGETS: Mapping[str, int] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 32_768,
    "max": 32_768,
}
"""Tokens of thought that an effort stands for where a model takes budgets only."""


def nearest(effort: str, known: Sequence[str]) -> str:
    """The effort among `known` that is closest to `effort`, the lesser of two.

    Only `none` becomes `none`. A word that is no effort stays, for the server to judge.
    """
    if effort in known or effort not in EFFORTS:
        return effort
    wanted = EFFORTS.index(effort)
    thinking = [word for word in known if word != "none"]
    return min(thinking, key=lambda word: abs(EFFORTS.index(word) - wanted), default=effort)


def worded(budget: int) -> str:
    """The least effort that stands for at least `budget` tokens."""
    return next((word for word, tokens in BUDGETS.items() if tokens >= budget), "max")
