"""JSON schemas for providers that enforce a part of the vocabulary.

What they do not enforce is told to the model in the description beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from polyathlon.core.canonical import JSON

_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6",
            "uuid")  # fmt: skip
_ALIKE: Mapping[str, str] = {"oneOf": "anyOf"}

_ANTHROPIC = frozenset({
    "$defs", "$ref", "type", "title", "description", "enum", "const", "anyOf", "allOf", "items",
    "properties", "required", "additionalProperties", "default",
})  # fmt: skip
"""https://platform.claude.com/docs/en/build-with-claude/structured-outputs, and the client's
own `transform_schema`."""

_GOOGLE = frozenset({
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items",
    "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "properties",
    "additionalProperties", "required", "propertyOrdering",
})  # fmt: skip
"""https://ai.google.dev/api/generate-content (GenerationConfig.responseJsonSchema)"""


class Fitted(msgspec.Struct, frozen=True):
    """A schema that a provider takes, and the conversion that made it."""

    schema: JSON
    conversions: tuple[str, ...] = ()


def anthropic_schema(schema: Any) -> Fitted:
    """`schema` as Claude takes it: closed objects, literals without a type, few limits."""
    return _fit(schema, _to_anthropic)


def google_schema(schema: Any) -> Fitted:
    """`schema` as Gemini takes it: a constant is an enumeration of one."""
    return _fit(schema, _to_google)


def _fit(schema: Any, node: Any) -> Fitted:
    lost: dict[str, None] = {}
    fitted = _walk(schema, node, lost)
    if not lost:
        return Fitted(fitted)
    return Fitted(fitted, (f"not enforced but told in the schema: {', '.join(sorted(lost))}",))


def _walk(schema: Any, node: Any, lost: dict[str, None]) -> Any:
    """`schema` with every subschema passed through `node`, which gives what it keeps."""
    if not isinstance(schema, Mapping):
        return schema
    given: dict[str, Any] = {_ALIKE.get(str(n), str(n)): v for n, v in schema.items()}
    kept = node(given)
    for name in ("properties", "$defs"):
        if isinstance(kept.get(name), Mapping):
            kept[name] = {key: _walk(value, node, lost) for key, value in kept[name].items()}
    for name in ("anyOf", "allOf", "prefixItems"):
        if isinstance(kept.get(name), list | tuple):
            kept[name] = [_walk(value, node, lost) for value in kept[name]]
    for name in ("items", "additionalProperties"):
        if name in kept:
            kept[name] = _walk(kept[name], node, lost)
    told = {name: value for name, value in given.items() if name not in kept and name != "type"}
    told.pop("const", None)
    if told:
        lost |= dict.fromkeys(told)
        words = ", ".join(f"{name}: {msgspec.json.encode(told[name]).decode()}" for name in told)
        kept["description"] = f"{given.get('description', '')} ({words})".strip()
    return kept


def _to_anthropic(given: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in given.items() if name in _ANTHROPIC}
    if "enum" in kept or "const" in kept:
        kept.pop("type", None)
    if kept.get("type") == "object" or "properties" in kept:
        kept["additionalProperties"] = False
    if given.get("minItems") in (0, 1):
        kept["minItems"] = given["minItems"]
    if given.get("format") in _FORMATS:
        kept["format"] = given["format"]
    return kept


def _to_google(given: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in given.items() if name in _GOOGLE}
    if "const" in given:
        kept["enum"] = [given["const"]]
    return kept
