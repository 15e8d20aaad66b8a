"""Bodies fit the official SDK's own types, but for what a server's documentation adds to them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from tests.models.sdk_types import misfits
from tests.models.wire import GOLDEN, REQUESTS

from polyathlon.agents.models.body import BodyWriter, Dialect
from polyathlon.agents.models.chat import written
from polyathlon.agents.models.families import Terms, family
from polyathlon.agents.models.responses import ResponsesWriter, read_response
from polyathlon.core.models import Message, ModelError, Request, Sampling
from polyathlon.core.parts import Text

pytestmark = pytest.mark.anyio

ADDED = {
    "openai": set(),
    "openrouter": {"reasoning", "reasoning_details", "provider", "video_url"},
    "vllm": {"structured_outputs", "return_token_ids", "reasoning", "video_url"},
    "llamacpp": {"chat_template_kwargs", "grammar", "reasoning_content"},
    "transformers": set(),
}
NAMES = (
    "gpt-4o", "gpt-4.1", "gpt-audio-mini", "o3", "o3-pro", "gpt-5", "gpt-5-pro", "gpt-5.1",
    "gpt-5.2", "gpt-5.3-codex", "gpt-5.4", "gpt-5.5-pro", "gpt-5.6-sol", "gpt-6-astra",
)  # fmt: skip


def plain(value: Any, added: set[str]) -> Any:
    """`value` without the documented additions of a server."""
    if isinstance(value, dict):
        return {k: plain(v, added) for k, v in value.items() if k not in added}
    if isinstance(value, list):
        return [plain(v, added) for v in value if not _is_added(v, added)]
    return value


def _is_added(value: Any, added: set[str]) -> bool:
    return isinstance(value, dict) and value.get("type") in added


def wrong(body: dict[str, Any]) -> list[str]:
    kind: Any = CompletionCreateParamsNonStreaming
    return misfits(body, ResponseCreateParamsNonStreaming if "input" in body else kind)


def test_a_misfit_is_found() -> None:
    good = {"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 0.5}
    assert wrong(good) == []
    assert "unknown" in wrong({**good, "temprature": 0})[0]
    assert "missing" in wrong({"model": "m"})[0]
    assert wrong({**good, "temperature": "warm"})
    assert wrong({**good, "messages": [{"role": "user", "content": [{"type": "picture"}]}]})


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden_bodies_fit(path: Any) -> None:
    added = ADDED.get(path.stem.split("-")[0])
    if added is None:
        pytest.skip("not a body of OpenAI's form")
    for name, seen in json.loads(path.read_text()).items():
        if "body" in seen:
            assert wrong(plain(seen["body"], added)) == [], name


async def sent(writer: BodyWriter | ResponsesWriter, request: Request, terms: Terms) -> Any:
    """The body of a request, None where it is refused."""
    try:
        return json.loads((await written(writer, request, terms)).json)
    except ModelError:
        return None


@pytest.mark.parametrize("name", NAMES)
async def test_bodies_of_every_family_fit_whatever_is_asked(name: str) -> None:
    terms = Terms(family(f"openai/{name}"))
    accepts = terms.family.accepts or frozenset({"text", "image"})
    chat = BodyWriter(name, Dialect(accepts, max_tokens="max_completion_tokens"))
    responder = ResponsesWriter(name, accepts)
    written = 0
    for asked in REQUESTS.values():
        for effort in (None, "none", "low", "max"):
            sampling = msgspec.structs.replace(asked.sampling, effort=effort, max_tokens=10**6)
            request = msgspec.structs.replace(asked, sampling=sampling, logprobs=True)
            for writer in (chat, responder):
                body = await sent(writer, request, terms)
                if body is not None:
                    assert wrong(body) == []
                    written += 1
    assert written


async def test_a_conversation_with_kept_thoughts_fits() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"}
    reply = read_response(json.dumps({"status": "completed", "output": [item, call]}).encode())
    said = Message("assistant", (), reply.tool_calls, opaque=reply.opaque)
    thread = REQUESTS["text"].thread.append(said)
    thread = thread.append(Message("tool", (Text("1"),), tool_call_id="c1"))
    writer = ResponsesWriter("m", frozenset({"text"}))
    body = json.loads((await written(writer, Request(thread))).json)
    assert body["input"][-3:-1] == [item, call]
    assert wrong(body) == []


async def test_token_ids_are_asked_for_where_a_server_gives_them() -> None:
    request = Request(REQUESTS["text"].thread, Sampling(), token_ids=True)
    plain_body = await written(BodyWriter("m", Dialect(frozenset({"text"}))), request)
    assert plain_body.conversions == ("token ids not asked for: the server gives none",)
    dialect = Dialect(frozenset({"text"}), token_ids={"return_token_ids": True})
    body = await written(BodyWriter("m", dialect), request)
    assert json.loads(body.json)["return_token_ids"] is True
    assert body.conversions == ()
