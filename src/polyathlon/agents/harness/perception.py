"""Perception: what of an observation reaches the model, as pictures, as words, or as both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import anyio.to_thread
import msgspec

from polyathlon.agents.harness.aside import Aside
from polyathlon.agents.harness.config import Perception
from polyathlon.agents.harness.library import Parts
from polyathlon.core.agents import Context
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Part, Text, modality
from polyathlon.core.percepts import Keep, Percept
from polyathlon.core.spec import EnvSpec

Captioner: TypeAlias = Callable[[Context, str, Part], Awaitable[str]]

LIGHT_PX = 512 * 512
"""Pictures up to this size are drawn at once; larger ones, sounds and videos off the loop."""


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
    return tuple([await _sight(percept, kind, ctx, caption) for percept in percepts])


async def _sight(percept: Percept, kind: Perception, ctx: Context, caption: Captioner) -> Sight:
    channel, keep = percept.channel, percept.keep
    if percept.modality != "text" and kind == "symbolic":
        return Sight(channel, keep, _meaning(percept))
    signal = await _render(percept, ctx)
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


async def _render(percept: Percept, ctx: Context) -> Part:
    if percept.modality == "text" or _light(ctx.spec, percept):
        return percept.render()
    signal = await ctx.compute(percept.draw, percept.scene)
    await anyio.to_thread.run_sync(getattr, signal, "digest")  # kept there; a video's takes long
    return signal


def _light(spec: EnvSpec, percept: Percept) -> bool:
    sizes = [channel.size_px for channel in spec.channels if channel.name == percept.channel]
    if percept.modality != "image" or not sizes or sizes[0] is None:
        return False
    width_px, height_px = sizes[0]
    return width_px * height_px <= LIGHT_PX
