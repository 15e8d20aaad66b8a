"""OpenAI and the servers that speak its chat completions: OpenRouter, vLLM, llama.cpp."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from polyathlon.agents.models.body import Dialect
from polyathlon.agents.models.chat import chat_model
from polyathlon.agents.models.encoding import mp4_conversion, mp4_url, vllm_url
from polyathlon.agents.models.families import family
from polyathlon.agents.models.hosted import HostedModel
from polyathlon.agents.models.keys import api_key
from polyathlon.agents.models.prices import known_price
from polyathlon.agents.models.responses import ResponsesWriter
from polyathlon.agents.models.serving import GRAMMARS
from polyathlon.agents.models.writing import Fields
from polyathlon.core.errors import UserError
from polyathlon.core.models import Abilities, Price
from polyathlon.core.parts import Modality, Video
from polyathlon.media.video import has_codec

OPENAI_URL = "https://api.openai.com/v1"
OPENROUTER_URL = "https://openrouter.ai/api/v1"

_SEES_VIDEO = re.compile(r"google/gemini|omni")
_UNSERVED = frozenset({"reasoning_effort", "response_format", "logprobs"})
_EVERYTHING: frozenset[Modality] = frozenset({"text", "image", "audio", "video"})
_SEEN: frozenset[Modality] = frozenset({"text", "image"})


def openai(name: str, price: Price | None = None) -> HostedModel:
    """A model of OpenAI, by its name there; the key is in OPENAI_API_KEY.

    OPENAI_BASE_URL redirects it; OPENAI_ORG_ID and OPENAI_PROJECT_ID say who pays. Models with
    `audio` in their name take sound.
    """
    kind = family(f"openai/{name}")
    accepts = kind.accepts or _SEEN
    payer = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
    return chat_model(
        f"openai/{name}",
        model=name,
        base_url=os.environ.get("OPENAI_BASE_URL") or OPENAI_URL,
        api_key=api_key("OPENAI_API_KEY", f"openai/{name}"),
        dialect=Dialect(accepts, max_tokens="max_completion_tokens"),
        abilities=Abilities(accepts, tools=True, schema=kind.schema),
        group="openai",
        price=price or known_price("openai", name),
        family=kind,
        responder=ResponsesWriter(name, accepts),
        headers={k: os.environ[v] for k, v in payer.items() if os.environ.get(v)},
    )


def openrouter(name: str, price: Price | None = None) -> HostedModel:
    """A model behind OpenRouter, such as `qwen/qwen3-vl-8b`; the key is in OPENROUTER_API_KEY.

    What the chosen model accepts is known to OpenRouter alone, which refuses media it does not
    take and leaves out settings; with a JSON schema it is told to leave out none. Videos go as MP4
    files to Gemini and models named `omni`, as images to any other. An effort of digits is a
    thinking budget in tokens.
    """
    accepts = _EVERYTHING
    if not (_SEES_VIDEO.search(name) and has_codec()):
        accepts -= {"video"}
    return chat_model(
        f"openrouter/{name}",
        model=name,
        base_url=os.environ.get("OPENROUTER_BASE_URL") or OPENROUTER_URL,
        api_key=api_key("OPENROUTER_API_KEY", f"openrouter/{name}"),
        dialect=Dialect(
            accepts,
            reasoning="reasoning",
            details=True,
            effort=_openrouter_effort,
            video=_mp4_url,
            schema={"provider": {"require_parameters": True}},
        ),
        abilities=Abilities(accepts, tools=True, schema=True),
        group="openrouter",
        price=price or known_price("openrouter", name),
        family=family(f"openrouter/{name}"),
    )


def vllm(name: str, price: Price | None = None) -> HostedModel:
    """A model served by vLLM (0.12 or later): `NAME@http://host:port/v1`.

    VLLM_API_KEY holds the key where the server wants one. The server refuses media its model
    does not take. Videos go as MP4 files, from which the server learns their frame rate and
    samples as its `--media-io-kwargs` say, or as JPEGs where PyAV is not installed.
    """
    model, url = _address("vllm", name)
    return chat_model(
        f"vllm/{name}",
        model=model,
        base_url=url,
        api_key=os.environ.get("VLLM_API_KEY", "none"),
        dialect=Dialect(
            _EVERYTHING,
            reasoning="reasoning",
            effort=_vllm_effort,
            grammar=GRAMMARS["vllm"],
            video=vllm_url,
            extra_logprobs={"return_token_ids": True},
            token_ids={"return_token_ids": True},
        ),
        abilities=Abilities(_EVERYTHING, tools=True, grammar=True, schema=True),
        group=f"vllm@{_bare(url)}",
        price=price,
        known=False,
    )


def llamacpp(name: str, price: Price | None = None) -> HostedModel:
    """A model served by llama.cpp: `NAME@http://host:port/v1`.

    LLAMA_API_KEY holds the key where the server wants one. The server refuses media its model
    does not take; videos go as images.
    """
    model, url = _address("llamacpp", name)
    accepts = _EVERYTHING - {"video"}
    return chat_model(
        f"llamacpp/{name}",
        model=model,
        base_url=url,
        api_key=os.environ.get("LLAMA_API_KEY", "none"),
        dialect=llamacpp_dialect(accepts),
        abilities=Abilities(accepts, tools=True, grammar=True, schema=True),
        group=f"llamacpp@{_bare(url)}",
        price=price,
        known=False,
    )


def transformers(name: str, price: Price | None = None) -> HostedModel:
    """A model served by `transformers serve`: `NAME@http://host:port/v1`.

    It takes no grammar, schema or log-probabilities. Videos go as images, since the server reads
    videos by address only.
    """
    model, url = _address("transformers", name)
    accepts = _EVERYTHING - {"video"}
    return chat_model(
        f"transformers/{name}",
        model=model,
        base_url=url,
        api_key="none",
        dialect=Dialect(accepts, unsupported=_UNSERVED),
        abilities=Abilities(accepts, tools=True),
        group=f"transformers@{_bare(url)}",
        price=price,
    )


def llamacpp_dialect(accepts: frozenset[Modality]) -> Dialect:
    """How llama.cpp's server is asked."""
    return Dialect(
        accepts,
        reasoning="reasoning_content",
        effort=_llamacpp_effort,
        grammar=GRAMMARS["llamacpp"],
        token_ids={"return_tokens": True, "verbose": True},
    )


def _openrouter_effort(effort: str) -> Fields:
    return {"reasoning": {"max_tokens": int(effort)} if effort.isdigit() else {"effort": effort}}


def _vllm_effort(effort: str) -> Fields:
    """`none` is no effort of older servers; templates know the switch by one of two names."""
    if effort == "none":
        return {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}
    return {"reasoning_effort": effort}


def _llamacpp_effort(effort: str) -> Fields:
    template = {"enable_thinking": effort != "none", "reasoning_effort": effort}
    return {"chat_template_kwargs": template}


def _mp4_url(video: Video) -> tuple[str, str]:
    return mp4_url(video), mp4_conversion(video)


def _address(kind: str, name: str) -> tuple[str, str]:
    model, _, url = name.partition("@")
    if not model or not re.match(r"https?://[^/]+", url):
        raise UserError(f"write {kind}/NAME@http://host:port/v1, not {kind}/{name}")
    return model, url.rstrip("/")


def _bare(url: str) -> str:
    """The address without a login in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
