"""OpenAI and the servers that speak its chat completions: OpenRouter, vLLM, llama.cpp.

The body is bytes of our own making, sent through the official client's `post`, because that
client walks the whole history in Python when it is given messages.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

import msgspec

from polyathlon.agents.models.body import BodyWriter, Dialect
from polyathlon.agents.models.completion import MAX_BYTES, read_completion, read_failure
from polyathlon.agents.models.encoding import mp4_conversion, mp4_url, vllm_url
from polyathlon.agents.models.keys import api_key
from polyathlon.agents.models.prices import known_price
from polyathlon.core.errors import UserError
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request
from polyathlon.core.parts import Modality, Video
from polyathlon.media.video import has_codec

try:
    import httpx2
    import openai as sdk
except ImportError as error:
    raise UserError("this model needs its client: pip install 'polyathlon[models]'") from error

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_S = 300.0
CONNECT_S = 10.0
CONNECTIONS = 512

_REASONS = re.compile(r"o\d|gpt-(?!5-chat)([5-9]|\d\d)")
_SEES_VIDEO = re.compile(r"google/gemini|omni")
_NO_SAMPLING = frozenset({"temperature", "top_p", "stop"})
_UNSERVED = frozenset({"reasoning_effort", "response_format", "logprobs"})
_EVERYTHING: frozenset[Modality] = frozenset({"text", "image", "audio", "video"})


class ChatModel:
    """A model behind `/chat/completions`; one call of `complete` is one HTTP request."""

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str | None,
        api_key: str,
        dialect: Dialect,
        abilities: Abilities,
        group: str,
        price: Price | None,
        proxied: bool = True,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.name = name
        self.group = group
        self.in_flight = CONNECTIONS
        self.abilities = abilities
        self.price = price
        self.latency: Literal["measured", "modelled"] = "measured"
        self._writer = BodyWriter(model, dialect)
        self._client = sdk.AsyncOpenAI(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            default_headers={"Accept-Encoding": "identity"},
            http_client=httpx2.AsyncClient(
                timeout=httpx2.Timeout(timeout_s, connect=CONNECT_S),
                limits=httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=64),
                event_hooks={"response": [_bound]},
                trust_env=proxied,
            ),
        )

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError for whatever went wrong; a refusal is a Reply."""
        body = await self._writer.written(request)
        start = time.perf_counter()
        reply = await self._send(body.json)
        return msgspec.structs.replace(
            reply,
            latency_s=time.perf_counter() - start,
            cost_usd=None if self.price is None else self.price.cost(reply.usage),
            conversions=body.conversions,
        )

    async def close(self) -> None:
        await self._client.close()

    async def _send(self, body: bytes) -> Reply:
        try:
            response = await self._client.post(
                "/chat/completions", content=body, cast_to=httpx2.Response, options=_JSON
            )
        except sdk.APITimeoutError as error:
            raise ModelError("timeout", str(error), retryable=True) from error
        except sdk.APIConnectionError as error:
            if isinstance(error.__cause__, ModelError):
                raise error.__cause__ from None
            raise ModelError("connection", _innermost(error), retryable=True) from error
        except sdk.APIStatusError as error:
            failed = error.response
            read = read_failure(failed.status_code, failed.content, dict(failed.headers))
            if isinstance(read, ModelError):
                raise read from error
            return read
        kind = response.headers.get("content-type", "")
        if "json" not in kind:
            raise ModelError("wrong_content_type", f"{kind or 'none'}, not JSON", retryable=True)
        return read_completion(response.content)


_JSON: sdk.RequestOptions = {"headers": {"Content-Type": "application/json"}}


class _Bounded(httpx2.AsyncByteStream):
    """A response stream that fails once it has brought more than `MAX_BYTES`."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        brought = 0
        async for chunk in self._stream:
            brought += len(chunk)
            if brought > MAX_BYTES:
                raise ModelError("too_large", f"a reply above {MAX_BYTES} bytes", retryable=False)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    """Limit what a server may send. Compressed replies were not asked for and are refused."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise ModelError("wrong_content_type", f"encoded as {encoding}", retryable=True)
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


def _innermost(error: BaseException) -> str:
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return f"{type(cause).__name__}: {cause}"


def openai(name: str, price: Price | None = None) -> ChatModel:
    """A model of OpenAI, by its name there; the key is in OPENAI_API_KEY.

    OPENAI_BASE_URL redirects it. Models with `audio` in their name take sound.
    """
    key = api_key("OPENAI_API_KEY", f"openai/{name}")
    accepts: frozenset[Modality] = frozenset({"text", "image"})
    if "audio" in name:
        accepts = frozenset({"text", "audio"})
    reasons = _REASONS.match(name) is not None
    return ChatModel(
        f"openai/{name}",
        model=name,
        base_url=None,
        api_key=key,
        dialect=Dialect(
            accepts,
            max_tokens="max_completion_tokens",
            unsupported=_NO_SAMPLING if reasons else frozenset(),
        ),
        abilities=Abilities(accepts, tools=True, schema=True),
        group="openai",
        price=price or known_price("openai", name),
    )


def openrouter(name: str, price: Price | None = None) -> ChatModel:
    """A model behind OpenRouter, such as `qwen/qwen3-vl-8b`; the key is in OPENROUTER_API_KEY.

    What the chosen model accepts is known to OpenRouter alone, which refuses the rest. Videos go
    as MP4 files to Gemini and models named `omni`, as images to any other.
    """
    accepts = _EVERYTHING
    if not (_SEES_VIDEO.search(name) and has_codec()):
        accepts -= {"video"}
    return ChatModel(
        f"openrouter/{name}",
        model=name,
        base_url=os.environ.get("OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1"),
        api_key=api_key("OPENROUTER_API_KEY", f"openrouter/{name}"),
        dialect=Dialect(
            accepts,
            reasoning="reasoning",
            effort=lambda effort: {"reasoning": {"effort": effort}},
            video=_mp4_url,
        ),
        abilities=Abilities(accepts, tools=True, schema=True),
        group="openrouter",
        price=price or known_price("openrouter", name),
    )


def vllm(name: str, price: Price | None = None) -> ChatModel:
    """A model served by vLLM (0.12 or later): `NAME@http://host:port/v1`.

    VLLM_API_KEY holds the key where the server wants one. The server refuses media its model
    does not take. Videos go as MP4 files, from which the server learns their frame rate and
    samples as its `--media-io-kwargs` say, or as JPEGs where PyAV is not installed.
    """
    model, url = _address("vllm", name)
    return ChatModel(
        f"vllm/{name}",
        model=model,
        base_url=url,
        api_key=os.environ.get("VLLM_API_KEY", "none"),
        dialect=Dialect(
            _EVERYTHING,
            reasoning="reasoning",
            grammar=lambda grammar: {"structured_outputs": {"grammar": grammar}},
            video=vllm_url,
            extra_logprobs={"return_token_ids": True},
        ),
        abilities=Abilities(_EVERYTHING, tools=True, grammar=True, schema=True),
        group=f"vllm@{url}",
        price=price,
    )


def llamacpp(name: str, price: Price | None = None) -> ChatModel:
    """A model served by llama.cpp: `NAME@http://host:port/v1`.

    LLAMA_API_KEY holds the key where the server wants one. The server refuses media its model
    does not take; videos go as images.
    """
    model, url = _address("llamacpp", name)
    accepts = _EVERYTHING - {"video"}
    return ChatModel(
        f"llamacpp/{name}",
        model=model,
        base_url=url,
        api_key=os.environ.get("LLAMA_API_KEY", "none"),
        dialect=llamacpp_dialect(accepts),
        abilities=Abilities(accepts, tools=True, grammar=True, schema=True),
        group=f"llamacpp@{url}",
        price=price,
    )


def transformers(name: str, price: Price | None = None) -> ChatModel:
    """A model served by `transformers serve`: `NAME@http://host:port/v1`.

    It takes no grammar, schema or log-probabilities. Videos go as images, since the server reads
    videos by address only.
    """
    model, url = _address("transformers", name)
    accepts = _EVERYTHING - {"video"}
    return ChatModel(
        f"transformers/{name}",
        model=model,
        base_url=url,
        api_key="none",
        dialect=Dialect(accepts, unsupported=_UNSERVED),
        abilities=Abilities(accepts, tools=True),
        group=f"transformers@{url}",
        price=price,
    )


def llamacpp_dialect(accepts: frozenset[Modality]) -> Dialect:
    """How llama.cpp's server is asked."""
    return Dialect(
        accepts,
        reasoning="reasoning_content",
        effort=_llamacpp_effort,
        grammar=lambda grammar: {"grammar": grammar},
    )


def _llamacpp_effort(effort: str) -> Mapping[str, object]:
    template = {"enable_thinking": effort != "none", "reasoning_effort": effort}
    return {"chat_template_kwargs": template}


def _mp4_url(video: Video) -> tuple[str, str]:
    return mp4_url(video), mp4_conversion(video)


def _address(kind: str, name: str) -> tuple[str, str]:
    model, _, url = name.partition("@")
    if not model or not re.match(r"https?://[^/]+", url):
        raise UserError(f"write {kind}/NAME@http://host:port/v1, not {kind}/{name}")
    return model, url.rstrip("/")
