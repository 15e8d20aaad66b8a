"""What models of one family take and refuse: one line a family, each with its source.

A line is for what documentation says ahead. What it leaves out, a client learns from the refusals
of the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec

from polyathlon.core.models import ModelError, Sampling
from polyathlon.core.parts import Modality

Responses: TypeAlias = Literal["never", "thinking_tools", "tools", "always"]


class Family(msgspec.Struct, frozen=True):
    """A family of models, and what its members differ in from a plain chat model.

    `names` is a regular expression for the whole of `provider/model`. `efforts` are the values
    that it knows, from least to most: () for a model that does not think, None where nobody says;
    `budgets` says that digits are one too, a number of tokens to think with.
    `unsupported` are settings it refuses or ignores, `unthinking` those it refuses unless thinking
    is switched off; both are named as in `Sampling`, or `logprobs`. `accepts` are the modalities,
    None where the provider's own apply, and `insists` those without which it refuses a request.
    `schema` says whether it keeps to a JSON schema. `responses` says which requests need OpenAI's
    Responses API: those with tools, those with tools and an effort, or all. `output_tokens` is the
    most that one reply may have. Pictures count `picture_factor` times as many tokens as elsewhere.
    """

    names: str
    source: str
    efforts: tuple[str, ...] | None = None
    budgets: bool = False
    unsupported: frozenset[str] = frozenset()
    unthinking: frozenset[str] = frozenset()
    accepts: frozenset[Modality] | None = None
    insists: frozenset[Modality] = frozenset()
    schema: bool = True
    responses: Responses = "never"
    output_tokens: int | None = None
    picture_factor: int = 1

    @property
    def must_think(self) -> bool:
        """Whether it thinks and cannot be told not to."""
        return bool(self.efforts) and "none" not in (self.efforts or ())


UNKNOWN_OUTPUT = 131_072
"""Tokens that one reply is taken to have at most where nobody says: those of the hosts of open
models, such as https://api-docs.deepseek.com/quick_start/pricing, name no more."""
UNKNOWN = Family(".*", "nothing is known: everything is sent as asked")

_STOP = frozenset({"stop"})
_SAMPLED = frozenset({"temperature", "top_p"})
_SPOKEN = frozenset({"temperature", "top_p", "logprobs"})
_HEARD: frozenset[Modality] = frozenset({"text", "audio"})
_LADDER = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_REASONING = "https://developers.openai.com/api/docs/guides/reasoning"
_LATEST = "https://developers.openai.com/api/docs/guides/latest-model"
_MODELS = "https://developers.openai.com/api/docs/models"
_VISION = "https://developers.openai.com/api/docs/guides/images-vision"
_ROUTED = "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens"


def _rungs(least: str, most: str) -> tuple[str, ...]:
    return _LADDER[_LADDER.index(least) : _LADDER.index(most) + 1]


def _thinker(names: str, source: str, efforts: tuple[str, ...], **more: Any) -> Family:
    """A family that reasons: stop words never, sampling and log-probabilities without thinking."""
    given = {"unsupported": _STOP, "unthinking": _SPOKEN, "output_tokens": 128_000, **more}
    return Family(names, source, efforts, **given)


_GPT = "openai/gpt-"
FAMILIES: tuple[Family, ...] = (
    Family("openai/.*audio.*", "https://developers.openai.com/api/docs/guides/audio", (),
           accepts=_HEARD, insists=frozenset({"audio"}), schema=False, output_tokens=16_384),
    _thinker(_GPT + r"6(\.\d+)?-astra.*", f"{_MODELS}/gpt-6-astra", _rungs("low", "max"),
             responses="tools"),
    _thinker(_GPT + r"6\.1-sol.*", f"{_MODELS}/gpt-6.1-sol", _rungs("low", "max"),
             responses="tools"),
    _thinker(_GPT + r"(5\.[6-9]|[6-9]).*", _LATEST, ("none", *_rungs("low", "max")),
             responses="tools"),
    _thinker(_GPT + r"5\.\d-pro.*", f"{_MODELS}/gpt-5.5-pro", _rungs("medium", "xhigh"),
             responses="always"),
    _thinker(_GPT + r"5-pro.*", f"{_MODELS}/gpt-5-pro", ("high",), responses="always",
             output_tokens=272_000),
    _thinker(_GPT + r"5\.\d-chat.*", f"{_MODELS}/gpt-5.3-chat-latest", ("medium",),
             output_tokens=16_384),
    Family(_GPT + r"5-chat.*", f"{_MODELS}/gpt-5-chat-latest", (), output_tokens=16_384),
    _thinker(_GPT + r"5\.1-codex-max.*", f"{_MODELS}/gpt-5.1-codex-max", _rungs("low", "xhigh"),
             responses="always"),
    _thinker(_GPT + r"5(\.1)?-codex.*", f"{_MODELS}/gpt-5.1-codex", _rungs("low", "high"),
             responses="always"),
    _thinker(_GPT + r"5\.2-codex.*", f"{_MODELS}/gpt-5.2-codex", _rungs("low", "xhigh"),
             responses="always"),
    _thinker(_GPT + r"5\.\d-codex.*", f"{_MODELS}/gpt-5.3-codex",
             ("none", *_rungs("low", "xhigh")), responses="always"),
    _thinker(_GPT + r"5\.[45].*", _LATEST, ("none", *_rungs("low", "xhigh")), responses="tools"),
    _thinker(_GPT + r"5\.[23].*", _LATEST, ("none", *_rungs("low", "xhigh")),
             unthinking=_SAMPLED, responses="thinking_tools"),
    _thinker(_GPT + r"5\.1.*", _LATEST, ("none", *_rungs("low", "high")), unthinking=_SAMPLED),
    _thinker(_GPT + r"5.*", _REASONING, _rungs("minimal", "high")),
    _thinker(r"openai/o\d-pro.*", f"{_MODELS}/o3-pro", _rungs("low", "high"), responses="always",
             output_tokens=100_000),
    _thinker(r"openai/o\d.*", _REASONING, _rungs("low", "high"), output_tokens=100_000),
    Family(_GPT + r"4\.1.*", f"{_MODELS}/gpt-4.1", (), output_tokens=32_768),
    Family(_GPT + r"4o-mini.*", f"{_VISION} (2,833 and 5,667 a tile)", (), output_tokens=16_384,
           picture_factor=34),
    Family(r"openai/(chatgpt-|gpt-)4o.*", f"{_MODELS}/gpt-4o", (), output_tokens=16_384),
    Family(_GPT + r"4(-0\d13|-32k.*)?", f"{_MODELS}/gpt-4", (), output_tokens=8_192),
    Family(_GPT + r"(4|3\.5)-.*", f"{_MODELS}/gpt-4-turbo", (), output_tokens=4_096),
    Family(r"openrouter/openai/gpt-4o-mini.*", _VISION, picture_factor=34),
    _thinker(r"openrouter/openai/gpt-5-pro.*", _ROUTED, _rungs("minimal", "high"), budgets=True,
             output_tokens=272_000),
    _thinker(r"openrouter/openai/(gpt-5(-mini|-nano|-pro)?|o\d).*", _ROUTED,
             _rungs("minimal", "high"), budgets=True, output_tokens=None),
    _thinker(r"openrouter/openai/gpt-(5\.|6).*", _ROUTED, _LADDER, budgets=True,
             output_tokens=None),
    Family(r"openrouter/google/gemini-(2\.5|3[\d.]*)-pro.*", _ROUTED, _rungs("minimal", "high"),
           budgets=True),
    Family(r"openrouter/(deepseek/deepseek-r1|minimax/minimax-m\d|openai/gpt-oss).*", _ROUTED,
           _rungs("low", "high"), budgets=True),
)  # fmt: skip


def family(name: str, table: Iterable[Family] = FAMILIES) -> Family:
    """The first line of `table` that fits `provider/model`, `UNKNOWN` without one."""
    return next((line for line in table if re.fullmatch(line.names, name)), UNKNOWN)


class Terms(msgspec.Struct, frozen=True):
    """What a model takes as far as is known: its family, and what its server refused so far."""

    family: Family = UNKNOWN
    refused: frozenset[str] = frozenset()

    def fitted(self, sampling: Sampling) -> tuple[Sampling, tuple[str, ...]]:
        """The settings that may be sent, and what was changed for it.

        Raises ModelError for an effort that is no word the model knows.
        """
        effort, told = self._effort(sampling.effort)
        changes: dict[str, Any] = {"effort": effort}
        for name in ("temperature", "top_p", "seed", "stop"):
            if getattr(sampling, name) not in (None, ()) and (why := self.withheld(name, effort)):
                changes[name] = () if name == "stop" else None
                told.append(why)
        most, asked = self.family.output_tokens, sampling.max_tokens
        if most is not None and asked is not None and asked > most:
            changes["max_tokens"] = most
            told.append(f"max_tokens {asked} sent as {most}")
        return msgspec.structs.replace(sampling, **changes), tuple(told)

    def most_output(self, sampling: Sampling) -> int:
        """The most tokens of one reply, thoughts included, to a request with these settings."""
        asked, most = sampling.max_tokens, self.family.output_tokens
        if asked is None:
            return most or UNKNOWN_OUTPUT
        return asked if most is None else min(asked, most)

    def withheld(self, name: str, effort: str | None) -> str:
        """Why a setting is not sent along with an effort, "" where it is."""
        if name in self.refused:
            return f"{name} not sent (refused by the server)"
        barred = name in self.family.unsupported
        if name in self.family.unthinking and effort != "none" and self.family.efforts != ():
            barred = True
        return f"{name} not sent" if barred else ""

    def _effort(self, asked: str | None) -> tuple[str | None, list[str]]:
        known = self.family.efforts
        if asked is None:
            return None, []
        if "effort" in self.refused:
            return None, ["reasoning_effort not sent (refused by the server)"]
        if known is None or asked in known or (self.family.budgets and asked.isdigit()):
            return asked, []
        if not known:
            return None, ["reasoning_effort not sent"]
        if asked not in _LADDER:
            detail = f"reasoning={asked} is no effort of this model: write {', '.join(known)}"
            raise ModelError("unsupported", detail, retryable=False)
        above = [rung for rung in known if _LADDER.index(rung) >= _LADDER.index(asked)]
        sent = above[0] if above else known[-1]
        return sent, [f"reasoning effort {asked} sent as {sent}"]


PLAIN = Terms()
