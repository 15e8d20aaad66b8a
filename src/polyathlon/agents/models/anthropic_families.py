"""What Claude models take and refuse: one line a family, each with its source.

Sources below https://platform.claude.com/docs/en/; TROUBLE is its page
`build-with-claude/thinking-troubleshooting`, whose first table has all models in it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from polyathlon.agents.models.families import Family, family

_SAMPLING = frozenset({"temperature", "top_p"})
_TROUBLE = "build-with-claude/thinking-troubleshooting"
_BOUND = "build-with-claude/preserved-thinking"
_OPUS_5_5 = "models/opus-5-5/whats-new-opus-5-5"
_ALWAYS = ("low", "medium", "high", "xhigh", "max")
_ALL = ("none", *_ALWAYS)


class Claude(msgspec.Struct, frozen=True):
    """A family of Claude models.

    It thinks within a `budget` of tokens, or `adaptive`: as much as it sees fit, steered by an
    effort. `effort` says that a budgeted one takes an effort as well. `off` is the kind of
    thinking that means none, "" where leaving it out does. `unasked` families think where a
    request does not say. `bound` ones tie thoughts to the conversation before them.
    """

    family: Family
    thinking: Literal["budget", "adaptive"] = "adaptive"
    effort: bool = True
    off: Literal["", "disabled", "between_tools"] = ""
    unasked: bool = False
    bound: bool = False


def _new(names: str, source: str, efforts: tuple[str, ...]) -> Family:
    """A family without sampling and budgets."""
    return Family(
        f"anthropic/claude-({names})(-.*)?",
        source,
        efforts=efforts,
        unsupported=frozenset({"seed", "logprobs"}) | _SAMPLING,
        output_tokens=128_000,
    )


def _old(names: str, source: str, efforts: tuple[str, ...], most: int) -> Family:
    """A family that takes sampling while it does not think, and budgets."""
    return Family(
        f"anthropic/claude-({names})(-.*)?",
        source,
        efforts=efforts,
        budgets=True,
        unsupported=frozenset({"seed", "logprobs"}),
        unthinking=_SAMPLING,
        output_tokens=most,
    )


NEWEST = Claude(_new(".*", _OPUS_5_5, _ALWAYS), unasked=True, bound=True)
"""A model that no line fits is taken for a new one."""

CLAUDE = (
    Claude(_new("fable-5-[12]|mythos-5-2", _BOUND, _ALWAYS), unasked=True, bound=True),
    Claude(_new("fable-5|mythos-5", _TROUBLE, _ALWAYS), unasked=True),
    Claude(_new("opus-5-5", _OPUS_5_5, _ALWAYS), unasked=True, bound=True),
    Claude(
        _new("sonnet-5-5", "models/sonnet-5-5/whats-new-sonnet-5-5", _ALL),
        off="between_tools",
        unasked=True,
        bound=True,
    ),
    Claude(
        _new("haiku-5-5", "models/haiku-5-5/migration-guide", _ALL),
        off="disabled",
        unasked=True,
        bound=True,
    ),
    Claude(
        _new("opus-5|sonnet-5", "models/opus-5/whats-new-opus-5", _ALL),
        off="disabled",
        unasked=True,
    ),
    Claude(_new("opus-4-[78]", _TROUBLE, _ALL)),
    Claude(_old("(opus|sonnet)-4-6", _TROUBLE, ("none", "low", "medium", "high", "max"), 128_000)),
    Claude(
        _old("opus-4-5", "about-claude/models/whats-new-claude-4-5", _ALL[:4], 64_000),
        thinking="budget",
    ),
    Claude(
        _old("(haiku|sonnet)-4-5", _TROUBLE, _ALL, 64_000),
        thinking="budget",
        effort=False,
    ),
)


def claude(model: str) -> Claude:
    """What is known of `anthropic/MODEL`."""
    found = family(f"anthropic/{model}", [line.family for line in CLAUDE])
    return next((line for line in CLAUDE if line.family is found), NEWEST)
