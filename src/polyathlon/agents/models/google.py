"""Gemini models, through Google's generateContent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from polyathlon.agents.models.efforts import BUDGETS, settled
from polyathlon.agents.models.encoding import (
    as_pictures,
    mp4_conversion,
    mp4_url,
    png_base64,
    wav_base64,
)
from polyathlon.agents.models.families import Terms
from polyathlon.agents.models.google_families import Budget, gemini
from polyathlon.agents.models.google_reply import NAMELESS, read
from polyathlon.agents.models.hosted import HostedModel, check
from polyathlon.agents.models.http import Answer, Http
from polyathlon.agents.models.keys import api_key
from polyathlon.agents.models.opaque import unsealed
from polyathlon.agents.models.prefixes import Piece, Prefixes
from polyathlon.agents.models.prices import known_price
from polyathlon.agents.models.schemas import google_schema
from polyathlon.agents.models.writing import (
    Written,
    as_object,
    quoted,
    refused,
    unaccepted,
)
from polyathlon.core.models import (
    Abilities,
    Message,
    Price,
    Reply,
    Request,
    Sampling,
    Thread,
    ToolSchema,
)
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video, modality
from polyathlon.media.video import has_codec

BASE_URL = "https://generativelanguage.googleapis.com"
SEEDS = range(1 << 31)
"""Seeds that fit into the 32 bits with a sign that the interface has for them."""
LOOKS = 64
MOST_LOOKS_A_SECOND = 24.0
"""What Gemini's interface allows; without a wish it looks at one frame a second."""
UNSIGNED = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""Stands for the signature of a tool call that no Gemini made.
https://ai.google.dev/gemini-api/docs/thought-signatures#faqs"""

_encode = msgspec.json.Encoder().encode
_USER, _MODEL = b'{"role":"user","parts":[', b'{"role":"model","parts":['


def google(name: str, price: Price | None = None) -> HostedModel:
    """A Gemini model by its name; the key is in GOOGLE_API_KEY, or in GEMINI_API_KEY.

    An effort of digits is a thinking budget in tokens. Videos go as MP4 files, or as images where
    PyAV is not installed. GOOGLE_GEMINI_BASE_URL redirects it.
    """
    variable = "GOOGLE_API_KEY"
    if os.environ.get("GEMINI_API_KEY") and not os.environ.get(variable):
        variable = "GEMINI_API_KEY"
    key = api_key(variable, f"google/{name}")
    accepts: frozenset[Modality] = frozenset({"text", "image", "audio"})
    if has_codec():
        accepts |= {"video"}
    return HostedModel(
        f"google/{name}",
        http=Http(os.environ.get("GOOGLE_GEMINI_BASE_URL", BASE_URL), {"x-goog-api-key": key}),
        interface=GeminiContents(name, accepts),
        abilities=Abilities(accepts, tools=True, schema=True),
        group="google",
        price=price or known_price("google", name),
        family=gemini(name).family,
        key=key,
    )


class GeminiContents:
    """One Gemini model, which takes the modalities of `accepts`, behind generateContent."""

    def __init__(self, model: str, accepts: frozenset[Modality]) -> None:
        self._path = f"/v1beta/models/{quote(model, safe='')}:generateContent"
        self._name = f"google/{model}"
        self._known = gemini(model)
        self._accepts = accepts
        self._prefixes = Prefixes(self._piece, b"]}")

    async def written(self, request: Request, terms: Terms) -> Written:
        """Raises ModelError when the model cannot be asked this."""
        fields, conversions = self._settings(request, terms)
        prefix = await self._prefixes.written(request.thread)
        pieces = [_encode(fields)[:-1]]
        if prefix.system:
            pieces += [b',"systemInstruction":', _USER, b",".join(prefix.system), b"]}"]
        pieces += [b',"contents":[', prefix.messages, b"]}"]
        conversions = (*prefix.conversions, *conversions)
        config = fields["generationConfig"]
        named = frozenset().union(fields, config, config.get("thinkingConfig", ()))
        return Written(self._path, b"".join(pieces), conversions, named)

    def most_output(self, request: Request, terms: Terms) -> int:
        """The limit of a request, or of the family where it names none."""
        return terms.most_output(request.sampling)

    async def read(self, answer: Answer, request: Request, written: Written) -> Reply:
        """Raises ModelError for what is no reply."""
        return read(answer, self._name)

    def _settings(self, request: Request, terms: Terms) -> tuple[dict[str, Any], tuple[str, ...]]:
        check(request, self._name)
        sampling, conversions = settled(request.sampling, terms, thinks=True)
        config, changed = self._sampled(sampling)
        conversions += changed
        config["responseModalities"] = ["TEXT"]
        fields: dict[str, Any] = {"generationConfig": config}
        if request.schema is not None:
            fitted = google_schema(request.schema)
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = fitted.schema
            conversions += fitted.conversions
        if request.tools:
            fields["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
            fields["toolConfig"] = {"functionCallingConfig": {"mode": "VALIDATED"}}
        return fields, conversions

    def _sampled(self, sampling: Sampling) -> tuple[dict[str, Any], tuple[str, ...]]:
        given = {
            "temperature": sampling.temperature,
            "topP": sampling.top_p,
            "maxOutputTokens": sampling.max_tokens,
            "seed": sampling.seed,
            "stopSequences": list(sampling.stop) or None,
        }
        config: dict[str, Any] = {n: value for n, value in given.items() if value is not None}
        changed: tuple[str, ...] = ()
        if sampling.seed is not None and sampling.seed not in SEEDS:
            config["seed"] = sampling.seed % len(SEEDS)
            changed += ("seed taken modulo 2^31",)
        effort, budget = sampling.effort, self._known.budget
        if effort is None:
            return config, changed
        if budget is None:
            how: dict[str, Any] = {"thinkingLevel": effort.upper()}
        else:
            how, told = _budget(effort, budget)
            changed += told
        config["thinkingConfig"] = {**how, "includeThoughts": effort != "none"}
        return config, changed

    def _piece(self, node: Thread) -> Piece:
        message = node.message
        match message.speaker:
            case "system":
                return Piece(system=_text(message.text) if message.text else b"")
            case "user":
                conversions: list[str] = []
                items = [item for part in message.parts for item in self._items(part, conversions)]
                return Piece(_USER, b",".join(items), conversions=tuple(conversions))
            case "tool":
                return Piece(_USER, _result(node), group="results")
            case "assistant":
                signed = unsealed(message, self._name)
                return _said(message) if signed is None else Piece(_MODEL, signed)

    def _items(self, part: Part, conversions: list[str]) -> list[bytes]:
        """The content parts of a part; none for empty text, which the interface refuses."""
        if isinstance(part, Video) and "video" not in self._accepts:
            pictures = as_pictures(part)
            conversions.append(pictures.conversion)
            return [_text(pictures.caption.text), *map(_image, pictures.images)]
        if modality(part) not in self._accepts:
            raise unaccepted(self._name, modality(part))
        match part:
            case Text():
                return [_text(part.text)] if part.text else []
            case Image():
                return [_image(part)]
            case Audio():
                return [_encode(_inline("audio/wav", wav_base64(part)))]
            case Video():
                looks = _looks_a_second(part)
                conversions.append(f"{mp4_conversion(part)}, seen at {looks:g} frames a second")
                inline = _inline("video/mp4", mp4_url(part).partition(",")[2])
                return [_encode({**inline, "videoMetadata": {"fps": looks}})]


def _budget(effort: str, known: Budget) -> tuple[dict[str, Any], tuple[str, ...]]:
    asked = int(effort) if effort.isdigit() else BUDGETS.get(effort, 0)
    tokens = 0 if asked == 0 and known.off else min(max(asked, known.least), known.most)
    changed = (f"thinking budget {asked} sent as {tokens}",) if tokens != asked else ()
    return {"thinkingBudget": tokens}, changed


def _said(message: Message) -> Piece:
    """What an assistant said; Gemini wants its first tool call signed."""
    items = [_text(message.text)] if message.text else []
    conversions: tuple[str, ...] = ()
    if message.reasoning or message.opaque:
        conversions += ("earlier reasoning not sent back",)
    for position, call in enumerate(message.tool_calls):
        arguments = as_object(call.arguments)
        if arguments is None:
            conversions += ("unreadable tool arguments sent as none",)
        made: dict[str, Any] = {**_id(call.id), "name": call.name, "args": arguments or {}}
        signature = {"thoughtSignature": UNSIGNED} if position == 0 else {}
        items.append(_encode({"functionCall": made, **signature}))
    return Piece(_MODEL, b",".join(items), conversions=conversions)


def _result(node: Thread) -> bytes:
    call_id = node.message.tool_call_id
    fields = {**_id(call_id), "name": _tool_name(node), "response": {"output": node.message.text}}
    return _encode({"functionResponse": fields})


def _tool_name(node: Thread) -> str:
    """The name of the tool that a tool message answers for."""
    for earlier in node.nodes():
        for call in earlier.message.tool_calls:
            if call.id == node.message.tool_call_id:
                return call.name
    raise refused(f"a tool message answers no call: {node.message.tool_call_id!r}")


def _id(call_id: str) -> dict[str, str]:
    """The id of a call, unless it was made here because the model gave none."""
    return {} if call_id.startswith(NAMELESS) else {"id": call_id}


def _looks_a_second(video: Video) -> float:
    """How many frames a second Gemini shall see: `LOOKS` in all, but at least one a second."""
    wanted = max(1.0, LOOKS / max(video.duration_s, 1 / video.fps))
    return round(min(video.fps, MOST_LOOKS_A_SECOND, wanted), 2)


def _text(text: str) -> bytes:
    return _encode({"text": text})


def _image(image: Image) -> bytes:
    return _encode(_inline("image/png", png_base64(image)))


def _inline(kind: str, base64: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": kind, "data": quoted(base64)}}


def _tool(tool: ToolSchema) -> Mapping[str, Any]:
    fields = {"name": tool.name, "description": tool.doc}
    return {**fields, "parametersJsonSchema": tool.parameters}
