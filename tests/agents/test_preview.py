"""The preview shows the very requests that would be sent."""

from __future__ import annotations

import pytest
from tests.agents.fakes import game, harnessed

from polyathlon.agents.preview import first_requests, readable
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError


@pytest.mark.parametrize("preset", ["off", "memory", "perception", "both"])
def test_a_preview_is_the_request_of_the_first_turn(preset: str) -> None:
    (preview,) = first_requests(
        AgentSpec("llm", "scripted/x", {"preset": preset}), game(), "player"
    )
    (sent,) = harnessed(preset)[0].sent
    assert (preview.purpose, preview.model) == ("decide", "scripted/x")
    assert preview.request.hash("m") == sent.request.hash("m")


def test_captions_come_before_the_decision() -> None:
    settings: dict[str, JSON] = {"perception": "caption:scripted/eye", "temperature": 0.5}
    previews = first_requests(AgentSpec("llm", "scripted/x", settings), game(), "player")
    assert [(p.purpose, p.model) for p in previews] == [
        ("caption", "scripted/eye"),
        ("decide", "scripted/x"),
    ]
    text = readable(previews)
    assert "=== caption -> scripted/eye" in text
    assert "sampling: {'temperature': 0.5}" in text
    assert text.count("[image 400x400 blake3 ") == 2
    assert "--- system" in text


@pytest.mark.parametrize("kind", ["random", "oracle", "human"])
def test_agents_without_a_model_have_no_preview(kind: str) -> None:
    with pytest.raises(UserError, match="llm agent"):
        first_requests(AgentSpec(kind), game(), "player")
