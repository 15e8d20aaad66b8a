"""Conversations are written once a message, and the same in steps as at once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.wire import CALCULATOR

from polyathlon.agents.models.anthropic import ClaudeMessages
from polyathlon.agents.models.families import PLAIN
from polyathlon.agents.models.google import GeminiContents
from polyathlon.agents.models.hosted import Interface
from polyathlon.agents.models.prefixes import Piece, Prefixes
from polyathlon.core.models import Message, Request, Thread, ToolCall, say
from polyathlon.core.parts import Text

pytestmark = pytest.mark.anyio

CALL = Message("assistant", (Text("hm"),), (ToolCall("c", "calculator", "{}"),), reasoning="r")
MESSAGES = st.lists(
    st.sampled_from([
        say("system", "s"), say("user", "u"), say("user", ""), say("assistant", "a"), CALL,
        Message("tool", (Text("1"),), tool_call_id="c"),
    ]),
    max_size=12,
).map(lambda drawn: [say("user", "first"), CALL, *drawn])  # fmt: skip


def writers() -> tuple[Interface, ...]:
    gemini = GeminiContents("gemini-3.8-flash", frozenset({"text"}))
    return ClaudeMessages("claude-opus-4-5"), gemini


@given(MESSAGES)
async def test_in_steps_as_at_once(messages: list[Message]) -> None:
    stepped = writers()
    current = Thread(messages[0])
    for message in messages[1:]:
        current = current.append(message)
        for writer in stepped:
            await writer.written(Request(current, tools=(CALCULATOR,)), PLAIN)
    for writer, fresh in zip(stepped, writers(), strict=True):
        asked = Request(current, tools=(CALCULATOR,))
        written = await writer.written(asked, PLAIN)
        assert written == await fresh.written(asked, PLAIN)
        assert json.loads(written.json)


def test_a_message_is_written_once() -> None:
    seen: list[str] = []

    def piece(node: Thread) -> Piece:
        seen.append(node.message.text)
        return Piece(b'{"content":[', json.dumps(node.message.text).encode())

    prefixes = Prefixes(piece)
    current = Thread(say("user", "0"))
    for n in range(1, 50):
        prefixes.write(current)
        current = current.append(say("user", str(n)))
    prefixes.write(current)
    assert seen == [str(n) for n in range(50)]
