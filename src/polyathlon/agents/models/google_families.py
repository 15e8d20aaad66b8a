"""What Gemini models take and refuse: one line a family, each with its source.

Sources below https://ai.google.dev/gemini-api/docs/. A limit of thought is a level for Gemini 3 and
later, a budget of tokens before.
"""

from __future__ import annotations

import msgspec

from polyathlon.agents.models.families import Family, family

_LEVELS = "thinking"
_ASSUMED = "whats-new-gemini-3.6, for 3.5 Flash-Lite, 3.6 and all that follow"
_SAMPLING = frozenset({"temperature", "top_p"})
_EVERY = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


class Budget(msgspec.Struct, frozen=True):
    """Tokens of thought: a least and a most, and whether 0 turns thinking off."""

    least: int
    most: int
    off: bool


class Gemini(msgspec.Struct, frozen=True):
    """A family of Gemini models; one without a `budget` takes levels, the family's efforts."""

    family: Family
    budget: Budget | None = None


def _line(
    names: str,
    source: str,
    efforts: tuple[str, ...],
    ignored: frozenset[str],
    budgets: bool = False,
) -> Family:
    return Family(
        f"google/({names})(-.*)?",
        source,
        efforts=efforts,
        budgets=budgets,
        unsupported=frozenset({"logprobs"}) | ignored,
        output_tokens=65_536,
    )


NEWEST = Gemini(_line("gemini", _ASSUMED, ("low", "medium", "high"), _SAMPLING))
"""A model that no line fits is taken for a new one."""

GEMINI = (
    Gemini(
        _line("gemini-2\\.5-pro", _LEVELS, _EVERY[1:], frozenset(), budgets=True),
        Budget(128, 32_768, off=False),
    ),
    Gemini(
        _line("gemini-2\\.5-flash-lite", _LEVELS, _EVERY, frozenset(), budgets=True),
        Budget(512, 24_576, off=True),
    ),
    Gemini(
        _line("gemini-2\\.5-flash", _LEVELS, _EVERY, frozenset(), budgets=True),
        Budget(0, 24_576, off=True),
    ),
    Gemini(_line("gemini-3-pro", _LEVELS, ("low", "high"), frozenset())),
    Gemini(_line("gemini-3\\.1-pro", _LEVELS, ("low", "medium", "high"), frozenset())),
    Gemini(
        _line("gemini-3-flash|gemini-3\\.1-flash-lite", _LEVELS, _EVERY[1:5], frozenset()),
    ),
    Gemini(_line("gemini-3\\.5-flash-lite|gemini-3\\.6-flash", _ASSUMED, _EVERY[1:5], _SAMPLING)),
    Gemini(_line("gemini-3\\.5-flash", "whats-new-gemini-3.5", _EVERY[1:5], frozenset())),
    Gemini(
        _line("gemini-3\\.[78]-flash", "whats-new-gemini-3.8", ("low", "medium", "high"), _SAMPLING)
    ),
    Gemini(_line("gemini-4", _LEVELS, ("low", "medium", "high"), _SAMPLING)),
    Gemini(_line("gemini-2\\.0-.*|gemma", _LEVELS, (), frozenset())),
)


def gemini(model: str) -> Gemini:
    """What is known of `google/MODEL`."""
    found = family(f"google/{model}", [line.family for line in GEMINI])
    return next((line for line in GEMINI if line.family is found), NEWEST)
