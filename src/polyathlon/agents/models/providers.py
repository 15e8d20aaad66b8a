"""Anthropic and Google, through pydantic-ai's direct requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, cast

import msgspec

from polyathlon.agents.models.body import refused
from polyathlon.agents.models.failures import DETAIL_CHARACTERS, retry_after_s
from polyathlon.agents.models.keys import api_key
from polyathlon.agents.models.prices import known_price
from polyathlon.core.errors import UserError
from polyathlon.core.models import (
    Abilities,
    Finish,
    ModelError,
    Price,
    Reply,
    Request,
    Sampling,
    ToolCall,
    Usage,
)
from polyathlon.core.parts import Modality
from polyathlon.media.video import has_codec

try:
    from pydantic_ai import exceptions, models
    from pydantic_ai import messages as pai
    from pydantic_ai.direct import model_request
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

    from polyathlon.agents.models.mapping import ThreadMapper
except ImportError as error:
    raise UserError("this model needs its client: pip install 'polyathlon[providers]'") from error

Thinking: TypeAlias = Callable[[str], Mapping[str, Any]]

TIMEOUT_S = 300.0
CONNECTIONS = 512

_CAUSES: tuple[tuple[type[Exception], str, bool], ...] = (
    (exceptions.ModelQuotaExceededError, "quota", False),
    (exceptions.ModelRateLimitError, "rate_limited", True),
    (exceptions.ModelAuthenticationError, "auth", False),
    (exceptions.ModelNotFoundError, "not_found", False),
    (exceptions.ModelContextWindowExceededError, "context_length", False),
    (exceptions.ModelRequestRejectedError, "bad_request", False),
    (exceptions.ModelTimeoutError, "timeout", True),
    (exceptions.ModelRequestTimeout, "timeout", True),
    (exceptions.ModelConnectionError, "connection", True),
    (exceptions.ModelAPIError, "server_error", True),
    (exceptions.UserError, "unsupported", False),
    (Exception, "bad_json", True),
)
_FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "tool_call": "tool_calls",
    "content_filter": "refusal",
}


class DirectModel:
    """A model that pydantic-ai has an adapter for; one call of `complete` is one request.

    `thinking` makes the settings of an effort, `unsupported` are settings the model does not
    take, `unthinking` those it does not take while it thinks. `output_tokens` are the limits,
    without and with thinking, where the provider insists on one and the request names none.
    `always` are settings of every request, such as caching the system prompt.
    """

    def __init__(
        self,
        name: str,
        *,
        client: models.Model[Any],
        abilities: Abilities,
        group: str,
        price: Price | None,
        thinking: Thinking,
        unsupported: frozenset[str] = frozenset(),
        unthinking: frozenset[str] = frozenset(),
        output_tokens: tuple[int | None, int | None] = (None, None),
        always: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.group = group
        self.in_flight = CONNECTIONS
        self.abilities = abilities
        self.price = price
        self.latency: Literal["measured", "modelled"] = "measured"
        self._client = client
        self._thinking = thinking
        self._unsupported = unsupported
        self._unthinking = unthinking
        self._output_tokens = output_tokens
        self._always = {"max_retries": 0, "timeout": TIMEOUT_S, **(always or {})}
        self._mapper = ThreadMapper(name, abilities.modalities)

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError for whatever went wrong; a refusal is a Reply."""
        mapped = await self._mapper.mapped(request.thread)
        settings, dropped = self._settings(request.sampling)
        parameters = self._parameters(request)
        start = time.perf_counter()
        try:
            response = await model_request(
                self._client,
                mapped.messages,
                model_settings=settings,
                model_request_parameters=parameters,
            )
        except exceptions.ContentFilterError as error:
            reply = Reply(text=str(error), finish="refusal")
        except Exception as error:  # adapters fail in many ways on an answer of another shape
            raise _failure(error) from error
        else:
            self._mapper.remember(response)
            reply = _reply(response)
        return msgspec.structs.replace(
            reply,
            latency_s=time.perf_counter() - start,
            cost_usd=None if self.price is None else self.price.cost(reply.usage),
            conversions=(*mapped.conversions, *dropped),
        )

    async def close(self) -> None:
        await self._client.__aexit__(None, None, None)

    def _settings(self, sampling: Sampling) -> tuple[ModelSettings, tuple[str, ...]]:
        thinks = sampling.effort not in (None, "none")
        values = {
            "max_tokens": sampling.max_tokens or self._output_tokens[thinks],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "stop_sequences": list(sampling.stop) or None,
        }
        refused_names = self._unsupported | (self._unthinking if thinks else frozenset())
        given = {name: value for name, value in values.items() if value is not None}
        dropped = [name for name in given if name in refused_names]
        settings: dict[str, Any] = {n: v for n, v in given.items() if n not in dropped}
        settings |= self._always
        if sampling.effort is not None:
            settings |= self._thinking(sampling.effort)
        return cast(ModelSettings, settings), tuple(f"{name} not sent" for name in dropped)

    def _parameters(self, request: Request) -> models.ModelRequestParameters:
        if request.logprobs:
            raise refused(f"{self.name} gives no log-probabilities")
        if request.grammar and request.schema is None:
            raise refused(f"{self.name} does not accept a grammar: give it a schema")
        tools = [
            ToolDefinition(
                name=tool.name,
                description=tool.doc,
                parameters_json_schema=dict(_mapping(tool.parameters)),
            )
            for tool in request.tools
        ]
        if request.schema is None:
            return models.ModelRequestParameters(function_tools=tools)
        schema = OutputObjectDefinition(dict(_mapping(request.schema)))
        return models.ModelRequestParameters(
            function_tools=tools, output_mode="native", output_object=schema
        )


def anthropic(name: str, price: Price | None = None) -> DirectModel:
    """A Claude model by its name; the key is in ANTHROPIC_API_KEY.

    An effort of digits is a thinking budget in tokens.
    """
    key = api_key("ANTHROPIC_API_KEY", f"anthropic/{name}")
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return anthropic_client(
        name, AnthropicModel(name, provider=AnthropicProvider(api_key=key)), price
    )


def anthropic_client(name: str, client: models.Model[Any], price: Price | None) -> DirectModel:
    """A Claude model behind a given pydantic-ai model."""
    accepts: frozenset[Modality] = frozenset({"text", "image"})
    return DirectModel(
        f"anthropic/{name}",
        client=client,
        abilities=Abilities(accepts, tools=True, schema=True),
        group="anthropic",
        price=price or known_price("anthropic", name),
        thinking=_anthropic_thinking,
        unsupported=frozenset({"seed"}),
        unthinking=frozenset({"temperature", "top_p"}),
        output_tokens=(4_096, 20_000),
        always={"anthropic_cache_instructions": True},
    )


def google(name: str, price: Price | None = None) -> DirectModel:
    """A Gemini model by its name; the key is in GOOGLE_API_KEY.

    An effort of digits is a thinking budget in tokens. Videos go as MP4 files, or as images where
    PyAV is not installed.
    """
    key = api_key("GOOGLE_API_KEY", f"google/{name}")
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return google_client(name, GoogleModel(name, provider=GoogleProvider(api_key=key)), price)


def google_client(name: str, client: models.Model[Any], price: Price | None) -> DirectModel:
    """A Gemini model behind a given pydantic-ai model."""
    accepts: frozenset[Modality] = frozenset({"text", "image", "audio"})
    if has_codec():
        accepts |= {"video"}
    return DirectModel(
        f"google/{name}",
        client=client,
        abilities=Abilities(accepts, tools=True, schema=True),
        group="google",
        price=price or known_price("google", name),
        thinking=_google_thinking,
    )


def _anthropic_thinking(effort: str) -> Mapping[str, Any]:
    if effort.isdigit():
        return {"anthropic_thinking": {"type": "enabled", "budget_tokens": int(effort)}}
    return {"thinking": False if effort == "none" else effort}


def _google_thinking(effort: str) -> Mapping[str, Any]:
    if effort.isdigit():
        budget = {"thinking_budget": int(effort), "include_thoughts": True}
        return {"google_thinking_config": budget}
    return {"thinking": False if effort == "none" else effort}


def _reply(response: pai.ModelResponse) -> Reply:
    parts = response.parts
    text = "".join(part.content for part in parts if isinstance(part, pai.TextPart))
    thoughts = [part.content for part in parts if isinstance(part, pai.ThinkingPart)]
    calls = tuple(
        ToolCall(part.tool_call_id, part.tool_name, part.args_as_json_str())
        for part in parts
        if isinstance(part, pai.ToolCallPart)
    )
    if response.finish_reason == "error":
        raise ModelError("server_error", "generation failed", retryable=True)
    finish = _FINISHES.get(response.finish_reason or "", "stop")
    if calls and finish == "stop":
        finish = "tool_calls"
    if finish in ("stop", "tool_calls") and not (text or calls or any(thoughts)):
        raise ModelError("empty_reply", "no text and no tool call", retryable=True)
    used = response.usage
    return Reply(
        text=text,
        reasoning="\n".join(thoughts),
        tool_calls=calls,
        finish=finish,
        usage=Usage(
            input=used.input_tokens,
            cached=used.cache_read_tokens,
            output=used.output_tokens,
            reasoning=used.output_reasoning_tokens,
            audio=used.input_audio_tokens,
        ),
        raw_id=response.provider_response_id or "",
    )


def _failure(error: Exception) -> ModelError:
    detail = f"{type(error).__name__}: {' '.join(str(error).split())}"[:DETAIL_CHARACTERS]
    cause, retryable = next((c, r) for kind, c, r in _CAUSES if isinstance(error, kind))
    headers = error.headers if isinstance(error, exceptions.ModelHTTPError) else None
    wait_s = retry_after_s(headers) if headers and retryable else None
    return ModelError(cause, detail, retryable=retryable, retry_after_s=wait_s)


def _mapping(schema: Any) -> Mapping[str, Any]:
    if not isinstance(schema, Mapping):
        raise refused("a JSON schema must be an object")
    return schema
