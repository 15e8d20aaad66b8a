"""Threads as pydantic-ai's messages, mapped once each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import anyio.to_thread
import msgspec
from pydantic_ai import messages as pai

from polyathlon.agents.models.body import refused, unaccepted
from polyathlon.agents.models.encoding import (
    as_pictures,
    mp4_conversion,
    mp4_file,
    takes_long,
)
from polyathlon.core.models import Message, Thread
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video, modality
from polyathlon.media import png, wav
from polyathlon.media.lru import SizedLru

CACHE_BYTES = 128 << 20
MESSAGE_BYTES = 1_000
LOOKS = 64
MOST_LOOKS_A_SECOND = 24.0
"""What Gemini's interface allows; without a wish it looks at one frame a second."""


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

    async def mapped(self, thread: Thread) -> Mapped:
        """`map`, off the event loop where that takes long."""
        fresh = takewhile(lambda node: self._threads.get(node.hash) is None, thread.nodes())
        if takes_long(fresh):
            return await anyio.to_thread.run_sync(self.map, thread)
        return self.map(thread)

    def map(self, thread: Thread) -> Mapped:
        """The whole conversation; threads may share a mapper.

        Raises ModelError for media the model does not take.
        """
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
            size += _size(mapped[-1])
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
        if isinstance(part, Video) and "video" not in self._accepts:
            pictures = as_pictures(part)
            conversions[pictures.conversion] = None
            return [pictures.caption.text, *map(_png, pictures.images)]
        if modality(part) not in self._accepts:
            raise unaccepted(self._name, modality(part))
        match part:
            case Text():
                return [part.text]
            case Image():
                return [_png(part)]
            case Audio():
                return [pai.BinaryContent(wav.encode(part), media_type="audio/wav")]
            case Video():
                looks = _looks_a_second(part)
                conversions[f"{mp4_conversion(part)}, seen at {looks:g} frames a second"] = None
                return [
                    pai.BinaryContent(
                        mp4_file(part), media_type="video/mp4", vendor_metadata={"fps": looks}
                    )
                ]

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


def _size(message: pai.ModelMessage) -> int:
    """About how many bytes a mapped message holds."""
    return MESSAGE_BYTES + sum(_held(item) for part in message.parts for item in _contents(part))


def _contents(part: pai.ModelRequestPart | pai.ModelResponsePart) -> Iterator[object]:
    content = getattr(part, "content", None)
    yield from content if isinstance(content, list) else [content]


def _held(item: object) -> int:
    if isinstance(item, pai.BinaryContent):
        return len(item.data)
    return len(item) if isinstance(item, str) else 0


def _looks_a_second(video: Video) -> float:
    """How many frames a second Gemini shall see: `LOOKS` in all, but at least one a second."""
    wanted = max(1.0, LOOKS / max(video.duration_s, 1 / video.fps))
    return round(min(video.fps, MOST_LOOKS_A_SECOND, wanted), 2)


def _png(image: Image) -> pai.BinaryContent:
    return pai.BinaryContent(png.shared(image), media_type="image/png")
