"""Request bodies checked against the types of the official clients; unknown keys fail."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import typing_extensions

_CONTENTS = {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig"}
_SAMPLING = ("temperature", "top_p")


def check_anthropic(head: str, body: bytes) -> None:
    """Fail for a body that `anthropic` would not type.

    Temperature and top_p left the API with its version 2026-10-21, and these types with it: they
    are allowed under the version before, one of them at a time.
    """
    from anthropic.types import message_create_params
    from anthropic.types.beta import message_create_params as beta_params

    asked = json.loads(body)
    if "anthropic-version: 2023-06-01" in head:
        assert sum(name in asked for name in _SAMPLING) == 1
        asked = {name: value for name, value in asked.items() if name not in _SAMPLING}
    else:
        assert "anthropic-version: 2026-10-21" in head
    chosen = beta_params if "anthropic-beta: " in head else message_create_params
    fault = _fault(asked, chosen.MessageCreateParamsNonStreaming)
    assert not fault, fault


def check_google(body: bytes) -> None:
    """Fail for a body that `google-genai` would not type."""
    from google.genai import types

    asked = json.loads(body)
    assert set(asked) <= _CONTENTS, set(asked) - _CONTENTS
    for content in asked["contents"]:
        types.Content.model_validate_json(json.dumps(content))
    if "systemInstruction" in asked:
        types.Content.model_validate_json(json.dumps(asked["systemInstruction"]))
    types.GenerationConfig.model_validate_json(json.dumps(asked["generationConfig"]))
    for tool in asked.get("tools", ()):
        types.Tool.model_validate_json(json.dumps(tool))
    types.ToolConfig.model_validate_json(json.dumps(asked.get("toolConfig", {})))


def _fault(value: Any, kind: Any) -> str:
    """Why `value` is not of a type of parameters, "" where it is. Models of replies never fit."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_typeddict(kind) or typing_extensions.is_typeddict(kind):
        return _dictionary_fault(value, kind)
    if origin in (Union, UnionType):
        faults = [_fault(value, one) for one in inner]
        return "" if "" in faults else min(faults, key=len) if len(faults) == 1 else str(faults)
    if origin is Literal:
        return "" if value in inner else f"{value!r} is none of {inner}"
    if origin is not None and issubclass(origin, Mapping):
        return "" if isinstance(value, Mapping) else f"{value!r} is no object"
    if origin is not None and issubclass(origin, Iterable):
        if isinstance(value, list):
            return next(filter(None, (_fault(item, inner[0]) for item in value)), "")
        return f"{value!r} is no array"
    if kind in (str, int, float, bool, NoneType, object):
        return "" if isinstance(value, kind) else f"{value!r} is no {kind.__name__}"
    return f"{value!r} cannot be a {kind}"


def _dictionary_fault(value: Any, kind: Any) -> str:
    if not isinstance(value, Mapping):
        return f"{value!r} is no {kind.__name__}"
    marked = get_type_hints(kind, include_extras=True)
    plain = get_type_hints(kind)
    for name in value:
        if name not in plain:
            return f"{kind.__name__} has no {name}"
    for name, mark in marked.items():
        if get_origin(mark) is typing_extensions.Required and name not in value:
            return f"{kind.__name__} needs {name}"
    faults = (f"{name}: {fault}" for name in value if (fault := _fault(value[name], plain[name])))
    return next(faults, "")
