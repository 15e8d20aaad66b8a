"""Efforts: how much a model shall think, in words or in tokens."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from polyathlon.agents.models.families import Terms
from polyathlon.core.models import Sampling

BUDGETS: Mapping[str, int] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 32_768,
    "max": 32_768,
}
"""Tokens of thought that an effort stands for where a model takes budgets only."""


def settled(sampling: Sampling, terms: Terms, thinks: bool) -> tuple[Sampling, tuple[str, ...]]:
    """`Terms.fitted` for a model that `thinks` where it is not told whether to, or does not.

    A budget in digits becomes a word where the family takes none. Raises ModelError for an effort
    that is no word the model knows.
    """
    asked = sampling.effort
    if asked is None and not thinks:
        quiet, told = terms.fitted(msgspec.structs.replace(sampling, effort="none"))
        told = tuple(words for words in told if not words.startswith("reasoning"))
        return msgspec.structs.replace(quiet, effort=None), told
    changed: tuple[str, ...] = ()
    if asked is not None and asked.isdigit() and terms.family.efforts and not terms.family.budgets:
        word = worded(int(asked))
        sampling = msgspec.structs.replace(sampling, effort=word)
        changed = (f"reasoning effort {asked} sent as {word}",)
    fitted, told = terms.fitted(sampling)
    return fitted, (*changed, *told)


def worded(budget: int) -> str:
    """The least effort that stands for at least `budget` tokens."""
    return next((word for word, tokens in BUDGETS.items() if tokens >= budget), "max")
