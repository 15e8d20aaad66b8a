"""Scripted models: pure functions of the request, for tests and for costing a harness.

`scripted/first` gives the first text its grammar or schema allows, `scripted/random` any of them
by the hash of the request, `scripted/random:left,right` one of the words, `scripted/constant:TEXT`
always TEXT, `scripted/echo` the last user message. `@0.5` after the name models half a second
of latency. A token counts as four characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from polyathlon.agents.models.gbnf import Choose, parse
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request, Usage

Script: TypeAlias = Callable[[Request, str], str]

CHARACTERS_PER_TOKEN = 4
UNBOUNDED = 1_000_000
_LATENCY = re.compile(r"(.*)@(\d+(?:\.\d+)?)$", re.DOTALL)


class ScriptedModel:
    """A function that speaks as a model."""

    def __init__(self, name: str, script: Script, argument: str, latency_s: float) -> None:
        self.name = f"scripted/{name}"
        self.group = "scripted"
        self.in_flight = UNBOUNDED
        self.abilities = Abilities(
            frozenset({"text", "image", "audio", "video"}), tools=True, grammar=True, schema=True
        )
        self.price: Price | None = Price(0.0, 0.0)
        self.latency: Literal["measured", "modelled"] = "modelled"
        self._script = script
        self._argument = argument
        self._latency_s = latency_s

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError with cause `script` when the script does."""
        try:
            text = self._script(request, self._argument)
        except (ValueError, LookupError) as error:
            raise ModelError("script", str(error), retryable=False) from error
        given = request.thread.characters // CHARACTERS_PER_TOKEN
        usage = Usage(input=given, output=1 + len(text) // CHARACTERS_PER_TOKEN)
        return Reply(text=text, usage=usage, latency_s=self._latency_s, cost_usd=0.0)

    async def close(self) -> None:
        pass


def scripted(name: str, price: Price | None = None) -> ScriptedModel:
    """A scripted model by `NAME`, `NAME:ARGUMENT`, either with `@LATENCY_S`; it costs nothing."""
    timed = _LATENCY.fullmatch(name)
    rest, latency_s = (timed[1], float(timed[2])) if timed else (name, 0.0)
    script, _, argument = rest.partition(":")
    if script not in _scripts:
        raise unknown("scripted model", script, _scripts)
    model = ScriptedModel(name, _scripts[script], argument, latency_s)
    if price is not None:
        model.price = price
    return model


def register_script(name: str, function: Callable[[Request], str]) -> None:
    """Make `scripted/NAME` answer with `function` in this process.

    Raises UserError for a name that a model's name could not carry.
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise UserError(f"a script's name holds letters, digits, _ and - only, not {name!r}")
    _scripts[name] = lambda request, _: function(request)


def _echo(request: Request, argument: str) -> str:
    for node in request.thread.nodes():
        if node.message.speaker == "user":
            return node.message.text
    raise ValueError("nothing to echo: the thread has no user message")


def _constant(request: Request, argument: str) -> str:
    return argument


def _first(request: Request, argument: str) -> str:
    return _constrained(request, lambda count: 0)


def _random(request: Request, argument: str) -> str:
    rng = stream(0, "scripted", request.hash(f"random:{argument}"))
    if argument:
        return rng.choice(argument.split(","))
    return _constrained(request, rng.below)


def _constrained(request: Request, choose: Choose) -> str:
    if request.grammar:
        return parse(request.grammar).write(choose)
    if request.schema is not None:
        return json.dumps(_instance(request.schema, choose))
    raise ValueError("this script needs a request with a grammar or a schema")


def _instance(schema: Any, choose: Choose) -> Any:
    """A value that fits a JSON schema of the keywords that action spaces use."""
    if not isinstance(schema, Mapping):
        raise ValueError("cannot make a value of this schema")
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][choose(len(schema["enum"]))]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return _instance(schema[several][choose(len(schema[several]))], choose)
    match schema.get("type"):
        case "object":
            return {
                key: _instance(inner, choose) for key, inner in schema.get("properties", {}).items()
            }
        case "array":
            return [_instance(schema["items"], choose) for _ in range(schema.get("minItems", 0))]
        case "string":
            return "x" * max(1, schema.get("minLength", 1))
        case "integer" | "number":
            least = schema.get("minimum", 0)
            return least + choose(int(schema.get("maximum", least)) - int(least) + 1)
        case "boolean":
            return bool(choose(2))
        case "null":
            return None
    raise ValueError(f"cannot make a value of schema type {schema.get('type')!r}")


_scripts: dict[str, Script] = {
    "echo": _echo,
    "constant": _constant,
    "first": _first,
    "random": _random,
}

__all__ = ["Script", "ScriptedModel", "register_script", "scripted"]
