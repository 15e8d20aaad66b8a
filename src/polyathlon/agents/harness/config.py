"""The harness as typed settings, read from the mapping of an AgentSpec."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.models import Sampling

Perception: TypeAlias = Literal["native", "symbolic", "both", "caption"]
Reasoning: TypeAlias = Literal["default", "off", "low", "medium", "high"]
ContextPolicy: TypeAlias = Literal["", "canonical", "chat"]

PRESETS: Mapping[str, Mapping[str, JSON]] = {
    "off": {},
    "memory": {"history": 10, "reflection": "every:1"},
    "perception": {"perception": "symbolic"},
    "both": {"perception": "symbolic", "history": 10, "reflection": "every:1"},
}
"""The settings of LMGame-Bench: no module, +memory, +perception, both."""

LEAST_GRAMMAR_TOKENS = 96

ALIASES: Mapping[str, str] = {"none": "off", "zs": "off", "on": "both"}
_LABELS: Mapping[str, str] = {"off": "zs"}
_PERCEPTIONS: tuple[Perception, ...] = ("native", "symbolic", "both", "caption")
_MODULES = ("perception", "history", "reflection")
_EFFORTS: Mapping[Reasoning, str | None] = {"default": None, "off": "none"}


class Reflect(msgspec.Struct, frozen=True):
    """When to reflect: every `every` turns (0 = never) and after turns that were not `ok`."""

    every: int = 0
    invalid: bool = False

    def __str__(self) -> str:
        rules = [f"every:{self.every}"] * bool(self.every) + ["invalid"] * self.invalid
        return "+".join(rules) or "off"

    @property
    def any(self) -> bool:
        """Whether reflection is on at all."""
        return bool(self.every) or self.invalid

    def due(self, turn: int, valid: bool) -> bool:
        """Whether to reflect before decision `turn` (from 0), after a turn that was `valid`."""
        regular = bool(self.every) and turn % self.every == 0
        return turn > 0 and (regular or (self.invalid and not valid))


class See(msgspec.Struct, frozen=True):
    """How percepts reach the model; `model` writes the captions ("" = the agent's own)."""

    kind: Perception = "native"
    model: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.model}" if self.model else self.kind


class Harness(msgspec.Struct, frozen=True):
    """The toggles around a model. The defaults are zero-shot: no module at all.

    `history` is the number N of past turns shown, `thoughts` adds the model's own thoughts to
    them, `summary` condenses them whenever N turns are full; `replay_images` keeps pictures of
    past turns; `window` bounds a chat to its latest turns (0 = all); `context` "" means the
    env's own policy. `reflection_model` ("" = the agent's own) also writes summaries. `logprobs`
    and `token_ids` keep those of decisions, where the server gives them, for training.
    """

    perception: See = See()
    history: int = 0
    reflection: Reflect = Reflect()
    reasoning: Reasoning = "default"
    prompts: str = "default"
    context: ContextPolicy = ""
    grammar: bool = False
    thoughts: bool = False
    summary: bool = False
    replay_images: bool = False
    cache_captions: bool = True
    window: int = 0
    reflection_model: str = ""
    reflection_words: int = 100
    tool_rounds: int = 8
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    logprobs: bool = False
    token_ids: bool = False

    @property
    def sampling(self) -> Sampling:
        """Sampling of decisions and captions."""
        effort = _EFFORTS.get(self.reasoning, self.reasoning)
        return Sampling(self.temperature, self.top_p, self.max_tokens, self.seed, effort)

    @property
    def side_sampling(self) -> Sampling:
        """Sampling of reflections and summaries, which never reason at length."""
        effort = None if self.reasoning == "default" else "none"
        return msgspec.structs.replace(self.sampling, effort=effort)


def harness(settings: Mapping[str, JSON]) -> Harness:
    """The harness that `settings` describe; a `preset` in it is a base the rest overrides.

    Values may be typed or strings. Raises UserError for an unknown name or a wrong value.
    """
    given = {k: v for k, v in settings.items() if k != "preset" and v is not None}
    merged = {**_preset(settings.get("preset", "off")), **given}
    read = Harness(**{name: _reader(name)(name, _plain(value)) for name, value in merged.items()})
    if read.summary and not read.history:
        raise UserError("summary=on condenses the history: add history=10")
    if read.grammar and (read.max_tokens or LEAST_GRAMMAR_TOKENS) < LEAST_GRAMMAR_TOKENS:
        raise UserError(
            f"grammar=on needs room for a whole reply: max_tokens={LEAST_GRAMMAR_TOKENS} or more"
        )
    return read


def words(items: Iterable[str]) -> dict[str, JSON]:
    """Settings from command-line words: presets and `name=value`, also joined by commas.

    Raises UserError for a word that is neither.
    """
    settings: dict[str, JSON] = {}
    for item in (part for text in items for part in text.split(",") if part):
        name, equals, value = item.partition("=")
        if not equals:
            settings.update(_preset(name))
        else:
            _reader(name)
            settings[name] = value
    return settings


def normalised(settings: Mapping[str, JSON]) -> dict[str, JSON]:
    """The settings that differ from the defaults, each in its one spelling, in fixed order.

    Equal harnesses give equal mappings, however they were written. Raises UserError.
    """
    read, default = harness(settings), Harness()
    return {
        name: _spelled(getattr(read, name))
        for name in Harness.__struct_fields__
        if getattr(read, name) != getattr(default, name)
    }


def label(settings: Mapping[str, JSON]) -> str:
    """A name for tables: `zs`, `memory`, `perception` or `both`, then whatever else is set."""
    short = normalised(settings)
    modules = {name: short[name] for name in _MODULES if name in short}
    rest = [f"{name}={_said(value)}" for name, value in short.items() if name not in _MODULES]
    for preset, meant in PRESETS.items():
        if modules == meant:
            return ",".join([_LABELS.get(preset, preset), *rest])
    return ",".join([f"{name}={_said(value)}" for name, value in modules.items()] + rest)


def _preset(value: JSON) -> Mapping[str, JSON]:
    name = _plain(value)
    name = ALIASES.get(name, name)
    if name not in PRESETS:
        raise unknown("harness", name, [*PRESETS, *ALIASES], "or write name=value, as history=5")
    return PRESETS[name]


def _plain(value: JSON) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value).strip()


def _spelled(value: object) -> JSON:
    return value if isinstance(value, bool | int | float) else str(value)


def _said(value: JSON) -> str:
    return _plain(value) if isinstance(value, bool) else str(value)


def _reader(name: str) -> Callable[[str, str], Any]:
    if name not in _READERS:
        raise unknown("harness setting", name, _READERS)
    return _READERS[name]


def _one_of(*choices: str) -> Callable[[str, str], str]:
    def read(name: str, text: str) -> str:
        if text not in choices:
            raise unknown(f"value for {name}", text, choices)
        return text

    return read


def _switch(name: str, text: str) -> bool:
    if text.lower() in ("on", "true", "1", "yes"):
        return True
    if text.lower() in ("off", "false", "0", "no"):
        return False
    raise UserError(f"harness setting {name} is on or off, not {text!r}")


def _number(kind: type[int] | type[float], low: float, high: float) -> Callable[[str, str], float]:
    def read(name: str, text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            what = "a whole number" if kind is int else "a number"
            raise UserError(
                f"harness setting {name} is {what} from {low:g} to {high:g}, not {text!r}"
            )
        return value

    return read


def _count(low: int, high: int) -> Callable[[str, str], int]:
    read = _number(int, low, high)
    return lambda name, text: 0 if text == "off" and low == 0 else int(read(name, text))


def _text(name: str, text: str) -> str:
    return text


def _see(name: str, text: str) -> See:
    kind, _, model = text.partition(":")
    for known in _PERCEPTIONS:
        if kind == known and (known == "caption" or not model):
            return See(known, model)
    raise unknown("value for perception", text, (*_PERCEPTIONS, "caption:MODEL"))


def _reflect(name: str, text: str) -> Reflect:
    every, invalid = 0, False
    for rule in [] if text == "off" else ("every:1" if text == "on" else text).split("+"):
        word, _, count = rule.partition(":")
        if word == "every":
            every = _count(1, 1_000)("reflection every", count or "1")
        elif rule == "invalid":
            invalid = True
        else:
            raise unknown("value for reflection", rule, ("off", "every:1", "invalid"))
    return Reflect(every, invalid)


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "perception": _see,
    "history": _count(0, 10_000),
    "reflection": _reflect,
    "reasoning": _one_of("default", "off", "low", "medium", "high"),
    "prompts": _text,
    "context": _one_of("canonical", "chat"),
    "grammar": _switch,
    "thoughts": _switch,
    "summary": _switch,
    "replay_images": _switch,
    "cache_captions": _switch,
    "window": _count(0, 10_000),
    "reflection_model": _text,
    "reflection_words": _count(1, 10_000),
    "tool_rounds": _count(0, 1_000),
    "temperature": _number(float, 0.0, 2.0),
    "top_p": _number(float, 0.0, 1.0),
    "max_tokens": _count(1, 10_000_000),
    "seed": _count(0, 2**63 - 1),
    "logprobs": _switch,
    "token_ids": _switch,
}
