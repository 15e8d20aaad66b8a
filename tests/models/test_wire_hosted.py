"""Golden wire bodies of Anthropic and Google, captured from real HTTP and typed as documented."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError
from tests.models.hosts import KEY, Host, hosted
from tests.models.official import check_anthropic, check_google
from tests.models.wire import compare, wire_bodies

from polyathlon.agents.models import google as google_module
from polyathlon.agents.models.anthropic import anthropic
from polyathlon.agents.models.google import google
from polyathlon.agents.models.hosted import HostedModel

pytestmark = pytest.mark.anyio

CLAUDES = {
    "anthropic": "claude-opus-4-5",
    "anthropic-adaptive": "claude-opus-4-8",
    "anthropic-bound": "claude-haiku-5-5",
}
GEMINIS = {"google": "gemini-2.5-flash-lite", "google-levels": "gemini-3.8-flash"}


async def golden(kind: str, file: str, make: Callable[[], HostedModel], patch: Any) -> Host:
    async with hosted(kind, make, patch) as (model, host):
        seen = await wire_bodies(model.complete, host.bodies)
    compare(file, seen)
    return host


@pytest.mark.parametrize("file", CLAUDES)
async def test_anthropic(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    host = await golden("anthropic", file, lambda: anthropic(CLAUDES[file]), monkeypatch)
    assert len(host.sent) > 5
    for head, _ in host.sent:
        assert head.startswith("POST /v1/messages HTTP/1.1")
        assert f"x-api-key: {KEY}" in head


@pytest.mark.parametrize("file", GEMINIS)
async def test_google_with_a_video_codec(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("av")
    host = await golden("google", file, lambda: google(GEMINIS[file]), monkeypatch)
    assert len(host.sent) > 5
    for head, _ in host.sent:
        path = f"/v1beta/models/{GEMINIS[file]}:generateContent"
        assert head.startswith(f"POST {path} HTTP/1.1")
        assert f"x-goog-api-key: {KEY}" in head


async def test_google_without_a_video_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(google_module, "has_codec", lambda: False)
    monkeypatch.setitem(sys.modules, "av", None)
    name = GEMINIS["google"]
    await golden("google", "google-without-codec", lambda: google(name), monkeypatch)


HEAD = "anthropic-version: 2026-10-21\r\n"
ASKED = (
    b'{"model":"m","max_tokens":9,"messages":'
    b'[{"role":"user","content":[{"type":"text","text":"hi"%b}]}]%b}'
)


@pytest.mark.parametrize("extra", [
    (b"", b',"temperature":1.0'), (b',"surprise":1', b""), (b"", b',"stream":1'),
    (b"", b',"thinking":{"type":"enabled"}'), (b"", b',"system":[{"text":"a"}]'),
])  # fmt: skip
def test_the_official_types_refuse_what_they_do_not_know(extra: tuple[bytes, bytes]) -> None:
    check_anthropic(HEAD, ASKED % (b"", b""))
    with pytest.raises(AssertionError):
        check_anthropic(HEAD, ASKED % extra)


@pytest.mark.parametrize("body", [
    b'{"contents":[{"parts":[{"text":"a","surprise":1}]}],"generationConfig":{}}',
    b'{"contents":[],"generationConfig":{"surprise":1}}',
])  # fmt: skip
def test_googles_types_refuse_what_they_do_not_know(body: bytes) -> None:
    with pytest.raises(ValidationError):
        check_google(body)
