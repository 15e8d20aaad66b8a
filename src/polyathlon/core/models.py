"""Models: a request of messages goes in, a reply with usage, latency and cost comes out."""

from __future__ import annotations

from collections.abc import Iterator
from operator import add
from typing import Literal, Protocol, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON, digest_encoded
from polyathlon.core.parts import Modality, Part, Text
from polyathlon.core.tokens import NONE, Most, in_text, most

Speaker: TypeAlias = Literal["system", "user", "assistant", "tool"]
Finish: TypeAlias = Literal["stop", "length", "tool_calls", "refusal"]


class ToolCall(msgspec.Struct, frozen=True):
    """A model's wish to run a tool."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation with a model.

    `opaque` is what the provider needs to go on with its own thoughts, such as their signatures.
    """

    speaker: Speaker
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str = ""
    opaque: bytes = b""

    @property
    def text(self) -> str:
        """The text parts, joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


def say(speaker: Speaker, *parts: Part | str) -> Message:
    """A message of parts; plain strings become text."""
    return Message(speaker, tuple(Text(p) if isinstance(p, str) else p for p in parts))


class Thread:
    """An immutable conversation: a message and the thread before it.

    Appending costs the same at any length, and `hash` chains over all messages, so a thread of
    a thousand messages is compared, stored and keyed by its last one. `characters` and `media`
    count the text and the other parts of all messages, `most` the tokens that they can be.
    """

    __slots__ = ("characters", "hash", "length", "media", "message", "most", "parent")

    message: Message
    parent: Thread | None
    length: int
    hash: str
    characters: int
    media: int
    most: Most

    def __init__(self, message: Message, parent: Thread | None = None) -> None:
        self.message = message
        self.parent = parent
        self.length = 1 if parent is None else parent.length + 1
        self.hash = _chain(message, "" if parent is None else parent.hash)
        texts = [part for part in message.parts if isinstance(part, Text)]
        self.characters = sum(len(part.text) for part in texts)
        self.media = len(message.parts) - len(texts)
        self.most = most(message.parts, _beside(message), NONE if parent is None else parent.most)
        if parent is not None:
            self.characters += parent.characters
            self.media += parent.media

    def append(self, message: Message) -> Thread:
        """This thread with one more message."""
        return Thread(message, self)

    def nodes(self) -> Iterator[Thread]:
        """The threads that end in each message, newest first."""
        node: Thread | None = self
        while node is not None:
            yield node
            node = node.parent

    def messages(self) -> list[Message]:
        """The messages, oldest first."""
        return [node.message for node in self.nodes()][::-1]


def thread(*messages: Message) -> Thread:
    """A thread of one or more messages, oldest first."""
    current = Thread(messages[0])
    for message in messages[1:]:
        current = current.append(message)
    return current


def _beside(message: Message) -> int:
    """Bytes of what a message says beside its parts."""
    beside = len(message.opaque)
    if message.reasoning:
        beside += in_text(message.reasoning)
    for call in message.tool_calls:
        beside += in_text(call.name) + in_text(call.arguments)
    return beside


def _chain(message: Message, parent: str) -> str:
    parts = [part.digest for part in message.parts]
    said = (message.speaker, message.tool_calls, message.tool_call_id, message.reasoning)
    return digest_encoded((parent, parts, said, message.opaque))


class ToolSchema(msgspec.Struct, frozen=True):
    """A tool as a model sees it. `parameters` is a JSON schema of an object."""

    name: str
    doc: str
    parameters: JSON


class Sampling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to sample; None leaves the provider's default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    effort: str | None = None
    stop: tuple[str, ...] = ()


FRAME = 1_024
"""What a provider adds to a prompt, such as its instructions on tools: up to 804 tokens.
https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview"""


class Request(msgspec.Struct, frozen=True):
    """One question to a model. `grammar` is GBNF, `schema` a JSON schema of the reply.

    `logprobs` and `token_ids` ask for those of the reply, the latter for the prompt's ids too.
    """

    thread: Thread
    sampling: Sampling = Sampling()
    tools: tuple[ToolSchema, ...] = ()
    grammar: str = ""
    schema: JSON = None
    logprobs: bool = False
    token_ids: bool = False

    def most(self, output: int) -> Usage:
        """The most tokens of a call that is answered in at most `output` tokens."""
        said = self.thread.most
        text = said.text + in_text(self.grammar) + FRAME
        if self.tools or self.schema is not None:
            text += len(msgspec.json.encode((self.tools, self.schema)))
        return Usage(
            input=text + said.image + said.audio + said.video,
            output=output,
            image=said.image,
            audio=said.audio,
            video=said.video,
        )

    def hash(self, model: str) -> str:
        """Identity of asking exactly this of `model`."""
        sampling = msgspec.structs.astuple(self.sampling)
        form = (self.grammar, self.schema, self.logprobs, self.token_ids)
        return digest_encoded((self.thread.hash, model, sampling, self.tools, form))


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens of one call.

    `cached` (read from a cache), `cache_write`, `image`, `audio` and `video` are parts of `input`;
    `reasoning` and `audio_output` are parts of `output`.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    image: int = 0
    audio: int = 0
    video: int = 0
    cache_write: int = 0
    audio_output: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, msgspec.structs.astuple(self), msgspec.structs.astuple(other)))


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came back. `cost_usd` is None when the price is unknown: unknown is not zero.

    `latency_s` is transport start to last byte; the runtime adds the failed attempts and backoffs
    before it. `conversions` name what the client had to change because the model does not accept
    it. `token_ids` and `logprobs` are the reply's, `prompt_ids` the ids of the prompt as the server
    read it. `opaque` goes into the message that hands the reply back.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: Usage = Usage()
    latency_s: float = 0.0
    cost_usd: float | None = None
    raw_id: str = ""
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    conversions: tuple[str, ...] = ()
    prompt_ids: tuple[int, ...] = ()
    opaque: bytes = b""


class Abilities(msgspec.Struct, frozen=True):
    """What a model accepts, as declared."""

    modalities: frozenset[Modality] = frozenset({"text"})
    tools: bool = False
    grammar: bool = False
    schema: bool = False


class Price(msgspec.Struct, frozen=True, omit_defaults=True):
    """US dollars per million tokens of each kind of `Usage`.

    A kind without a price of its own (None) costs what `input` or `output` cost. `tiers` are the
    prices of longer prompts, shortest first.
    """

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None
    audio: float | None = None
    audio_output: float | None = None
    image: float | None = None
    video: float | None = None
    tiers: tuple[Tier, ...] = ()

    def cost(self, usage: Usage) -> float:
        """US dollars of a call.

        Providers do not say which kinds of tokens came from the cache: cached ones count as text
        as far as there is text.
        """
        price = self._of(usage.input)
        fresh = usage.input - usage.cached - usage.cache_write
        total = usage.cached * _or(price.cached, price.input)
        total += usage.cache_write * _or(price.cache_write, price.input)
        media = ((usage.audio, price.audio), (usage.image, price.image), (usage.video, price.video))
        for count, dollars in media:
            count = min(count, max(0, fresh))
            total += count * _or(dollars, price.input)
            fresh -= count
        total += fresh * price.input
        total += usage.audio_output * _or(price.audio_output, price.output)
        total += (usage.output - usage.audio_output) * price.output
        return total / 1e6

    def most(self, usage: Usage) -> float:
        """US dollars of a call of at most these tokens, of whatever kind they are counted as.

        Text may be written to the cache, media may be counted as text, and a prompt may be in any
        tier below.
        """
        reached = [self, *(tier.price for tier in self.tiers if usage.input > tier.above)]
        return max(price._flat(usage) for price in reached) / 1e6

    def _flat(self, usage: Usage) -> float:
        text = max(self.input, _or(self.cached, 0.0), _or(self.cache_write, 0.0))
        media = usage.image + usage.audio + usage.video
        total = (usage.input - media) * text
        total += usage.image * max(text, _or(self.image, 0.0))
        total += usage.audio * max(text, _or(self.audio, 0.0))
        total += usage.video * max(text, _or(self.video, 0.0))
        return total + usage.output * self.output

    def _of(self, tokens: int) -> Price:
        """The price of a prompt of `tokens`: that of the last tier it exceeds counts for all."""
        return next((t.price for t in reversed(self.tiers) if tokens > t.above), self)


class Tier(msgspec.Struct, frozen=True):
    """The price of prompts of more than `above` tokens."""

    above: int
    price: Price


def _or(dollars: float | None, otherwise: float) -> float:
    return otherwise if dollars is None else dollars


class ModelError(Exception):
    """One attempt failed. `retryable` says whether another may help, `cause` is a short slug."""

    def __init__(
        self, cause: str, detail: str = "", *, retryable: bool, retry_after_s: float | None = None
    ) -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause = cause
        self.detail = detail
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class CallFailed(Exception):
    """Every attempt at a call failed. `cause` is the short slug of the last one."""

    def __init__(self, cause: str, detail: str = "") -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause = cause
        self.detail = detail


class Bounded(Protocol):
    """A model that knows how much a call can use."""

    def most(self, request: Request) -> Usage:
        """The most tokens that one attempt can use."""
        ...


class Model(Protocol):
    """A client of one model. `complete` makes exactly one attempt; retries belong to the runtime.

    `price` is None when unknown. `latency` is `measured`, or `modelled` where measuring would
    time our own machine. `group` names the provider account that rate limits are shared by, and
    `in_flight` how many calls it serves at once: further ones wait here, not in their latency. One
    that is `Bounded` as well says what money to set aside for a call.
    """

    name: str
    group: str
    in_flight: int
    abilities: Abilities
    price: Price | None
    latency: Literal["measured", "modelled"]

    async def complete(self, request: Request) -> Reply:
        """Raises ModelError when the attempt fails."""
        ...

    async def close(self) -> None:
        """Release connections and servers."""
        ...
