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
_ALL = ("low", "medium", "high", "xhigh", "max")


class Claude(msgspec.Struct, frozen=True):
    """A family of Claude models.

    It thinks within a `budget` of tokens, or `adaptive`: as much as it sees fit, steered by an
    effort. `budgets` says that an adaptive one takes a budget as well, and `effort` that a
    budgeted one takes an effort as well. `off` is the kind of thinking that means none, "" where
    leaving it out does. `unasked` families think where a request does not say. `bound` ones tie
    thoughts to the conversation before them.
    """

    family: Family
    thinking: Literal["budget", "adaptive"] = "adaptive"
    budgets: bool = False
    effort: bool = True
    off: Literal["", "disabled", "between_tools"] = ""
    unasked: bool = False
    bound: bool = False


def _line(names: str, source: str, efforts: tuple[str, ...], most: int, samples: bool) -> Family:
    return Family(
        f"anthropic/claude-({names})(-.*)?",
        source,
        efforts=efforts,
        unsupported=frozenset({"seed", "logprobs", "grammar"})
        | (frozenset() if samples else _SAMPLING),
        unthinking=_SAMPLING,
        output_tokens=most,
    )


NEWEST = Claude(
    _line(".*", "models/opus-5-5/whats-new-opus-5-5", _ALL, 128_000, False),
    unasked=True,
    bound=True,
)
"""A model that no line fits is taken for a new one."""

CLAUDE = (
    Claude(
        _line(
            "fable-5-[12]|mythos-5-2", "build-with-claude/preserved-thinking", _ALL, 128_000, False
        ),
        unasked=True,
        bound=True,
    ),
    Claude(_line("fable-5|mythos-5", _TROUBLE, _ALL, 128_000, False), unasked=True),
    Claude(
        _line("opus-5-5", "models/opus-5-5/whats-new-opus-5-5", _ALL, 128_000, False),
        unasked=True,
        bound=True,
    ),
    Claude(
        _line(
            "sonnet-5-5", "models/sonnet-5-5/whats-new-sonnet-5-5", ("none", *_ALL), 128_000, False
        ),
        off="between_tools",
        unasked=True,
        bound=True,
    ),
    Claude(
        _line("haiku-5-5", "models/haiku-5-5/migration-guide", ("none", *_ALL), 128_000, False),
        off="disabled",
        unasked=True,
        bound=True,
    ),
    Claude(
        _line("opus-5|sonnet-5", "models/opus-5/whats-new-opus-5", ("none", *_ALL), 128_000, False),
        off="disabled",
        unasked=True,
    ),
    Claude(_line("opus-4-[78]", _TROUBLE, ("none", *_ALL), 128_000, False)),
    Claude(
        _line(
            "(opus|sonnet)-4-6", _TROUBLE, ("none", "low", "medium", "high", "max"), 128_000, True
        ),
        budgets=True,
    ),
    Claude(
        _line(
            "opus-4-5",
            "about-claude/models/whats-new-claude-4-5",
            ("none", *_ALL[:3]),
            64_000,
            True,
        ),
        thinking="budget",
    ),
    Claude(
        _line("(haiku|sonnet)-4-5", _TROUBLE, ("none", *_ALL), 64_000, True),
        thinking="budget",
        effort=False,
    ),
)


def claude(model: str) -> Claude:
    """What is known of `anthropic/MODEL`."""
    lines = [line.family for line in CLAUDE]
    found = family(lines, f"anthropic/{model}")
    return next((line for line in CLAUDE if line.family is found), NEWEST)
