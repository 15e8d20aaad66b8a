"""Golden wire bodies of the OpenAI-compatible kinds, captured from real HTTP."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.wire import CLIP, PICTURE, compare, wire_bodies

from polyathlon.agents.models import encoding
from polyathlon.agents.models import openai as kinds
from polyathlon.agents.models.body import BodyWriter, Dialect
from polyathlon.agents.models.chat import written
from polyathlon.core.errors import UserError
from polyathlon.core.models import Request, Thread, say, thread
from polyathlon.testing.faults import FaultServer

pytestmark = pytest.mark.anyio

KINDS = {
    "openai": lambda url: kinds.openai("gpt-4o"),
    "openai-reasoning": lambda url: kinds.openai("gpt-5.2"),
    "openai-responses": lambda url: kinds.openai("gpt-5.6-sol"),
    "openai-responses-only": lambda url: kinds.openai("gpt-5.5-pro"),
    "openai-audio": lambda url: kinds.openai("gpt-4o-audio-preview"),
    "openrouter": lambda url: kinds.openrouter("qwen/qwen3-vl-8b"),
    "llamacpp": lambda url: kinds.llamacpp(f"any@{url}"),
    "transformers": lambda url: kinds.transformers(f"Qwen/Omni@{url}"),
}
WITH_CODEC = {
    "openrouter-gemini": lambda url: kinds.openrouter("google/gemini-2.5-flash"),
    "vllm": lambda url: kinds.vllm(f"Qwen/Omni@{url}"),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_wire_bodies_are_golden(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(kind, await _bodies(kind, KINDS[kind], monkeypatch))


@pytest.mark.parametrize("kind", WITH_CODEC)
async def test_wire_bodies_with_a_video_codec(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("av")
    compare(kind, await _bodies(kind, WITH_CODEC[kind], monkeypatch))


@pytest.mark.parametrize("kind", WITH_CODEC)
async def test_wire_bodies_without_a_video_codec(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (kinds, encoding):
        monkeypatch.setattr(module, "has_codec", lambda: False)
    monkeypatch.setitem(sys.modules, "av", None)
    compare(f"{kind}-without-codec", await _bodies(kind, WITH_CODEC[kind], monkeypatch))


async def _bodies(kind: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    async with FaultServer(keep_bodies=True, owner=kind) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENROUTER_API_KEY", "k")
        model = make(server.url)
        seen = await wire_bodies(model.complete, server.bodies)
        await model.close()
    return seen


@pytest.mark.parametrize(("factory", "variable"), [
    (kinds.openai, "OPENAI_API_KEY"),
    (kinds.openrouter, "OPENROUTER_API_KEY"),
])  # fmt: skip
def test_a_missing_key_names_its_variable(factory, variable, monkeypatch) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(UserError, match=variable):
        factory("x")


@pytest.mark.parametrize("name", ["model", "@http://h/v1", "m@host:80", "m@"])
def test_an_address_is_needed(name: str) -> None:
    with pytest.raises(UserError, match="NAME@http"):
        kinds.vllm(name)


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from(["a", "ü\n", '"', "longer text"])),
        max_size=16,
    )
)
async def test_a_remembered_prefix_changes_no_byte(steps: list[tuple[int, str]]) -> None:
    """However conversations grow and branch, a warm writer writes what a fresh one writes."""
    dialect = Dialect(frozenset({"text", "image", "video"}))
    warm = BodyWriter("m", dialect)
    threads: list[Thread] = [thread(say("system", "s"))]
    for where, text in steps:
        speaker = "assistant" if len(threads) % 2 else "user"
        parent = threads[where % len(threads)]
        parts = (text, PICTURE, CLIP) if speaker == "user" and text == "a" else (text,)
        threads.append(parent.append(say(speaker, *parts)))
        request = Request(threads[-1])
        grown = await written(warm, request)
        assert grown == await written(BodyWriter("m", dialect), request)
        assert len(json.loads(grown.json)["messages"]) == threads[-1].length


async def test_a_late_turn_encodes_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = BodyWriter("m", Dialect(frozenset({"text"})))
    encoded: list[object] = []
    original = BodyWriter._message
    monkeypatch.setattr(
        BodyWriter, "_message", lambda self, m: encoded.append(m) or original(self, m)
    )
    history = thread(*(say("user", str(n)) for n in range(400)))
    await written(writer, Request(history))
    assert len(encoded) == 400
    for n in range(5):
        history = history.append(say("assistant", "left")).append(say("user", f"next {n}"))
        encoded.clear()
        await written(writer, Request(history))
        assert len(encoded) == 2
