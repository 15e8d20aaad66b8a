"""Threads as pydantic-ai's messages, mapped once each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from pydantic_ai import messages as pai

from polyathlon.agents.models.body import refused
from polyathlon.agents.models.encoding import IMAGE_FRAMES, frames
from polyathlon.core.models import Message, Thread
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video, modality
from polyathlon.media import png, wav
from polyathlon.media.lru import SizedLru

CACHE_BYTES = 128 << 20
MESSAGE_BYTES = 1_000


class Mapped(msgspec.Struct, frozen=True):
    """A thread as pydantic-ai's messages, what had to be converted, and about how many bytes."""

    messages: tuple[pai.ModelMessage, ...]
    conversions: tuple[str, ...]
    size: int

    def __len__(self) -> int:
        return self.size


class _Signed(msgspec.Struct, frozen=True):
    """A response that must go back with the reasoning signature it came with."""

    response: pai.ModelResponse

    def __len__(self) -> int:
        return MESSAGE_BYTES


class ThreadMapper:
    """Maps threads for one model that takes the modalities of `accepts`."""

    def __init__(self, name: str, accepts: frozenset[Modality]) -> None:
        self._name = name
        self._accepts = accepts
        self._threads: SizedLru[Mapped] = SizedLru(CACHE_BYTES)
        self._signed: SizedLru[_Signed] = SizedLru(CACHE_BYTES)

    def map(self, thread: Thread) -> Mapped:
        """The whole conversation. Raises ModelError for media the model does not take."""
        fresh: list[Thread] = []
        known: Mapped | None = None
        for node in thread.nodes():
            known = self._threads.get(node.hash)
            if known is not None:
                break
            fresh.append(node)
        if known is not None and not fresh:
            return known
        mapped = list(known.messages) if known else []
        conversions = dict.fromkeys(known.conversions if known else ())
        size = known.size if known else 0
        for node in reversed(fresh):
            mapped.append(self._message(node, conversions))
            size += _size(node.message)
        return self._threads.put(thread.hash, Mapped(tuple(mapped), tuple(conversions), size))

    def _message(self, node: Thread, conversions: dict[str, None]) -> pai.ModelMessage:
        message = node.message
        if message.speaker != "user" and any(not isinstance(p, Text) for p in message.parts):
            raise refused(f"media belongs into user messages, not {message.speaker} messages")
        match message.speaker:
            case "system":
                return pai.ModelRequest([pai.SystemPromptPart(message.text)])
            case "user":
                content = [
                    item for part in message.parts for item in self._items(part, conversions)
                ]
                return pai.ModelRequest([pai.UserPromptPart(content)])
            case "tool":
                name = _tool_name(node)
                returned = pai.ToolReturnPart(name, message.text, message.tool_call_id)
                return pai.ModelRequest([returned])
            case "assistant":
                return self._assistant(message, conversions)

    def _assistant(self, message: Message, conversions: dict[str, None]) -> pai.ModelResponse:
        """The response as it came where it is known, for it may hold signed reasoning."""
        if message.tool_calls:
            signed = self._signed.get(message.tool_calls[0].id)
            if signed is not None:
                return signed.response
        if message.reasoning:
            conversions["earlier reasoning not sent back"] = None
        parts: list[pai.ModelResponsePart] = []
        if message.text:
            parts.append(pai.TextPart(message.text))
        for call in message.tool_calls:
            parts.append(pai.ToolCallPart(call.name, call.arguments, call.id))
        return pai.ModelResponse(parts)

    def _items(self, part: Part, conversions: dict[str, None]) -> Sequence[pai.UserContent]:
        if isinstance(part, Video) and "image" in self._accepts:
            shown = frames(part, IMAGE_FRAMES)
            conversions[f"video of {part.frames} frames to {len(shown)} images"] = None
            return [_png(frame) for frame in shown]
        if modality(part) not in self._accepts:
            raise refused(
                f"{self._name} does not accept {modality(part)}: substitute words for it or choose"
                " another model"
            )
        match part:
            case Text():
                return [part.text]
            case Image():
                return [_png(part)]
            case Audio():
                return [pai.BinaryContent(wav.encode(part), media_type="audio/wav")]
            case _:
                raise refused(f"{self._name} takes no {modality(part)}")

    def remember(self, response: pai.ModelResponse) -> None:
        """Hold a response whose reasoning is signed, to send it back as it came."""
        calls = [part for part in response.parts if isinstance(part, pai.ToolCallPart)]
        if calls and any(isinstance(part, pai.ThinkingPart) for part in response.parts):
            self._signed.put(calls[0].tool_call_id, _Signed(response))


def _tool_name(node: Thread) -> str:
    """The name of the tool that a tool message answers for."""
    for earlier in node.nodes():
        for call in earlier.message.tool_calls:
            if call.id == node.message.tool_call_id:
                return call.name
    raise refused(f"a tool message answers no call: {node.message.tool_call_id!r}")


def _size(message: Message) -> int:
    """About how many bytes a mapped message holds, pictures at half their raw size."""
    size = MESSAGE_BYTES
    for part in message.parts:
        match part:
            case Text():
                size += len(part.text)
            case Audio():
                size += len(part.pcm)
            case Image() | Video():
                size += len(part.rgb) // 2
    return size


def _png(image: Image) -> pai.BinaryContent:
    return pai.BinaryContent(png.shared(image), media_type="image/png")
