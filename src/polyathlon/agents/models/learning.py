"""Refused options: what a server's own words say that it does not take."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from polyathlon.agents.models.failures import Told
from polyathlon.agents.models.families import Terms

OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "stop": "stop",
    "topP": "top_p",
    "stop_sequences": "stop",
    "stopSequences": "stop",
    "logprobs": "logprobs",
    "top_logprobs": "logprobs",
    "return_token_ids": "token_ids",
    "return_tokens": "token_ids",
    "verbose": "token_ids",
    "reasoning_effort": "effort",
    "reasoning": "effort",
    "effort": "effort",
    "thinkingConfig": "effort",
    "thinkingLevel": "effort",
    "thinkingBudget": "effort",
    "chat_template_kwargs": "effort",
}
"""Fields of a body whose loss leaves the question as it was, and the option each stands for."""

_ESSENTIAL = frozenset(
    {
        "tools",
        "response_format",
        "structured_outputs",
        "grammar",
        "ebnf",
        "text",
        "provider",
        "format",
        "responseJsonSchema",
        "responseMimeType",
    }
)
_REFUSING = ("unsupported_parameter", "unsupported_value", "unknown_parameter")
_STATUSES = (400, 404, 422)
_NAMED = (
    r"unsupported (?:parameter|value|argument)s?:? *['\"`]([\w.]+)",
    r"['\"`]([\w.]+)['\"`]?(?: parameter| argument)? (?:is|are) (?:not supported|unsupported"
    r"|deprecated|not permitted|not allowed|not available)",
    r"['\"`]([\w.]+)['\"`] does not support",
    r"(?:unknown|unrecognized|unexpected)(?: request)? (?:parameter|argument|field|name)s?"
    r"(?: supplied)?:? *['\"`]?([\w.]+)",
    r"'type': '(?:extra_forbidden|literal_error)', 'loc': \('body', '(\w+)'",
    r"\['body', '(\w+)'\]: (?:extra inputs are not permitted|input should be)",
)
_NAMES = [re.compile(pattern, re.IGNORECASE) for pattern in _NAMED]
_VALUES = re.compile(r"(?:supported values are|input should be):?(.*)", re.IGNORECASE | re.DOTALL)
_QUOTED = re.compile(r"['\"`](\w+)['\"`]")
_MUST_THINK = re.compile(r"reasoning is mandatory", re.IGNORECASE)
_NEEDS_RESPONSES = re.compile(r"use /v1/responses|only supported in v1/responses", re.IGNORECASE)
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


class Lesson(msgspec.Struct, frozen=True):
    """New terms, and what was learned, in words; or what must not be left out, and was refused."""

    terms: Terms
    words: str = ""
    essential: str = ""


def lesson(status: int, said: Told, fields: Collection[str], terms: Terms) -> Lesson | None:
    """What a refusal of a body with these `fields` teaches; None where it names none of them."""
    if status not in _STATUSES:
        return None
    family = terms.family
    if _NEEDS_RESPONSES.search(said.message):
        how = "tools" if "tools" in fields else "always"
        if how != family.responses:
            return Lesson(_replaced(terms, responses=how), "the Responses API is needed")
    if _MUST_THINK.search(said.message) and not family.must_think:
        return Lesson(_replaced(terms, efforts=("low", "medium", "high")), "it must think")
    for name in _candidates(said):
        if name not in fields:
            continue
        if name in _ESSENTIAL:
            return Lesson(terms, essential=name)
        option = OPTIONS.get(name)
        values = _efforts(said.message) if option == "effort" else ()
        if values and values != family.efforts:
            return Lesson(_replaced(terms, efforts=values), f"efforts are {', '.join(values)}")
        if option is not None:
            refused = msgspec.structs.replace(terms, refused=terms.refused | {option})
            return Lesson(refused, f"{name} is not sent again")
    return None


def _candidates(said: Told) -> list[str]:
    """Names of fields in the server's words, the likeliest first, dotted ones by their parts."""
    named = [found for name in _NAMES for found in name.findall(said.message)]
    if any(code in _REFUSING for code in said.codes):
        named.insert(0, said.param)
    return [part for name in named if name for part in (name, *name.split("."))]


def _efforts(message: str) -> tuple[str, ...]:
    listed = _VALUES.search(message)
    words = _QUOTED.findall(listed[1]) if listed else []
    return tuple(effort for effort in _EFFORTS if effort in words)


def _replaced(terms: Terms, **changes: object) -> Terms:
    family = msgspec.structs.replace(terms.family, **changes)
    return msgspec.structs.replace(terms, family=family)
