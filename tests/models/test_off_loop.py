"""Encoding a video never holds up the event loop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from tests.models.wire import CLIP

from polyathlon.agents.models import encoding
from polyathlon.agents.models.body import BodyWriter, Dialect
from polyathlon.agents.models.chat import written
from polyathlon.agents.models.encoding import mp4_url
from polyathlon.agents.models.families import PLAIN
from polyathlon.agents.models.google import GeminiContents
from polyathlon.core.models import Request, say, thread
from polyathlon.core.parts import Video
from polyathlon.media.lru import SizedLru

pytestmark = pytest.mark.anyio

REQUEST = Request(thread(say("user", CLIP, "What happened?")))


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Encoding a video waits for this event, which only a free event loop can set."""
    opened = threading.Event()

    def encode(video: Video) -> bytes:
        assert opened.wait(10), "the event loop was held up"
        return b"encoded"

    monkeypatch.setattr(encoding, "mp4", encode)
    monkeypatch.setattr(encoding, "_files", SizedLru(0))
    monkeypatch.setattr(encoding, "_encoded", SizedLru(0))
    return opened


async def _opening(gate: threading.Event, work: Callable[[], Awaitable[Any]]) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(work)
        await anyio.sleep(0.02)
        gate.set()


async def test_a_body_with_a_video_is_written_off_the_loop(gate: threading.Event) -> None:
    dialect = Dialect(frozenset({"text", "video"}), video=lambda clip: (mp4_url(clip), "to MP4"))
    writer = BodyWriter("m", dialect)
    await _opening(gate, lambda: written(writer, REQUEST))
    assert b"data:video/mp4;base64,ZW5jb2RlZA==" in (await written(writer, REQUEST)).json


async def test_a_message_with_a_video_is_written_off_the_loop(gate: threading.Event) -> None:
    writer = GeminiContents("m", frozenset({"text", "video"}))
    await _opening(gate, lambda: writer.written(REQUEST, PLAIN))
    assert b'"data":"ZW5jb2RlZA=="' in (await writer.written(REQUEST, PLAIN)).json
