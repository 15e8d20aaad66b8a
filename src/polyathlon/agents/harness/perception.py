"""Perception: what of an observation reaches the model, as pictures, as words, or as both."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import anyio
import anyio.to_thread
import msgspec
from anyio.lowlevel import RunVar

from polyathlon.agents.harness.aside import Aside
from polyathlon.agents.harness.config import Perception
from polyathlon.agents.harness.library import Parts
from polyathlon.core.agents import Context
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Part, Text, modality
from polyathlon.core.percepts import Keep, Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.media.footage import Footage, packed, unpack

Captioner: TypeAlias = Callable[[Context, str, Part], Awaitable[str]]

LIGHT_PX = 512 * 512
"""Pictures up to this size are light: with their sprites at hand they take about a millisecond."""

QUICK_S = 0.0005
"""What took at most this much CPU time is drawn on the event loop: threads cost more."""

Place: TypeAlias = tuple[str, str]
"""An env's id and one of its channels."""

_quick: set[Place] = set()
_painters: RunVar[anyio.CapacityLimiter | None] = RunVar("painters")


class Captions:
    """Writes captions by model calls of their own; with `cache`, one call for equal signals."""

    def __init__(self, aside: Aside, cache: bool) -> None:
        self._aside = aside
        self._cache = cache
        self._known: dict[str, str] = {}

    async def __call__(self, ctx: Context, channel: str, signal: Part) -> str:
        known = self._known.get(signal.digest) if self._cache else None
        if known is None:
            known = await self._aside.ask(ctx, {"state": (Text(f"{channel}:\n"), signal)})
            self._known[signal.digest] = known
        return known


class Sight(msgspec.Struct, frozen=True):
    """One channel as the model gets it: words, a signal, or both."""

    channel: str
    keep: Keep
    words: str = ""
    signal: Part | None = None

    @property
    def parts(self) -> Parts:
        """The channel's name, then what it carries."""
        named = Text(f"{self.channel}:\n{self.words}".rstrip("\n"))
        return (named,) if self.signal is None else (named, self.signal)

    def past(self) -> Sight:
        """The sight without its signal, which is mentioned instead."""
        if self.signal is None:
            return self
        mention = f"({modality(self.signal)} shown at that time)"
        words = f"{mention}\n{self.words}".rstrip("\n")
        return msgspec.structs.replace(self, words=words, signal=None)


async def perceive(
    percepts: Sequence[Percept], kind: Perception, ctx: Context, caption: Captioner
) -> tuple[Sight, ...]:
    """The percepts as the model gets them, in their order.

    `native` renders the signals; `symbolic` replaces each by its meaning; `both` gives the signal
    and its meaning, if it has one; `caption` adds what another model call says it shows. Raises
    UserError when a channel has no meaning in words and `symbolic` asks for it.
    """
    if kind == "symbolic":
        return tuple([_told(percept) for percept in percepts])
    return tuple([await _sight(percept, kind, ctx, caption) for percept in percepts])


def _told(percept: Percept) -> Sight:
    signal = percept.render() if percept.modality == "text" else None
    words = signal.text if isinstance(signal, Text) else _meaning(percept)
    return Sight(percept.channel, percept.keep, words)


async def _sight(percept: Percept, kind: Perception, ctx: Context, caption: Captioner) -> Sight:
    channel, keep = percept.channel, percept.keep
    signal = await render(percept, ctx)
    if isinstance(signal, Text):
        return Sight(channel, keep, signal.text)
    match kind:
        case "both":
            return Sight(channel, keep, percept.meaning or "", signal)
        case "caption":
            return Sight(channel, keep, await caption(ctx, channel, signal), signal)
    return Sight(channel, keep, "", signal)


def _meaning(percept: Percept) -> str:
    words = percept.meaning
    if words is None:
        raise UserError(
            f"channel {percept.channel!r} has no meaning in words: use perception=native or caption"
        )
    return words


async def render(percept: Percept, ctx: Context) -> Part:
    """The signal, drawn where that costs least.

    Light pictures are drawn in this process, where their sprites stay: by one thread, or at once
    where the last one was quick. Sounds, videos and heavy pictures are drawn in the pool. Footage
    is small to send home, and unpacks in a thread that leaves the loop alone.
    """
    if percept.modality == "text":
        return percept.render()
    if _light(ctx.spec, percept):
        place = (ctx.spec.id, percept.channel)
        if place in _quick:
            return _drawn(percept, place)
        return await anyio.to_thread.run_sync(_drawn, percept, place, limiter=_painter())
    return await anyio.to_thread.run_sync(
        _unpacked, await ctx.compute(packed, percept.draw, percept.scene)
    )


def _drawn(percept: Percept, place: Place) -> Part:
    """A light picture; notes whether the next one there may be drawn on the event loop."""
    started_s = time.thread_time()
    signal = _identified(percept.render())
    quick = time.thread_time() - started_s <= QUICK_S
    (_quick.add if quick else _quick.discard)(place)
    return signal


def _unpacked(sent: Part | Footage) -> Part:
    return _identified(unpack(sent) if isinstance(sent, Footage) else sent)


def _identified(signal: Part) -> Part:
    """The signal with its digest, which takes a while to compute and is kept in it."""
    _ = signal.digest
    return signal


def _painter() -> anyio.CapacityLimiter:
    """Lets one thread of this event loop draw at a time."""
    painter = _painters.get(None) or anyio.CapacityLimiter(1)
    _painters.set(painter)
    return painter


def _light(spec: EnvSpec, percept: Percept) -> bool:
    sizes = [channel.size_px for channel in spec.channels if channel.name == percept.channel]
    if percept.modality != "image" or not sizes or sizes[0] is None:
        return False
    width_px, height_px = sizes[0]
    return width_px * height_px <= LIGHT_PX
