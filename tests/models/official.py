"""Request bodies checked against the types of the official clients; unknown keys fail."""

from __future__ import annotations

import json

from tests.models.sdk_types import misfits

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
    assert misfits(asked, chosen.MessageCreateParamsNonStreaming) == []


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
