"""Percepts: what a channel carries at one moment, captured now and rendered late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Modality, Part, Text

Keep: TypeAlias = Literal["turn", "phase", "episode"]


class Percept(msgspec.Struct, frozen=True):
    """What one channel carries at one moment.

    `scene` is an immutable, picklable value; `draw` a module-level pure function that renders it
    to a signal of `modality`; `tell` says the same in words, or is None where words cannot.
    `facts` is JSON about what the percept suggests; `counterfactuals` are the percepts this
    channel would carry if it lied, by name; `aids` are extra percepts the env offers on demand.
    `keep` bounds how long context policies may hold it: `episode` is never dropped.
    """

    channel: str
    modality: Modality
    scene: Any
    draw: Callable[[Any], Part]
    tell: Callable[[Any], str] | None = None
    facts: Mapping[str, JSON] = {}
    counterfactuals: Mapping[str, Percept] = {}
    aids: tuple[Percept, ...] = ()
    keep: Keep = "turn"

    def render(self) -> Part:
        """The signal. Costs what drawing costs: call it only when someone will perceive it."""
        return self.draw(self.scene)

    @property
    def meaning(self) -> str | None:
        """The same content in words, or None."""
        return None if self.tell is None else self.tell(self.scene)


def text_percept(channel: str, text: str, keep: Keep = "turn") -> Percept:
    """A percept of plain words."""
    return Percept(channel, "text", text, Text, str, keep=keep)


def in_words(percept: Percept) -> Percept:
    """The percept with its signal replaced by its meaning.

    Raises ValueError when the percept has no meaning in words.
    """
    if percept.modality == "text":
        return percept
    if percept.tell is None:
        raise ValueError(f"channel {percept.channel!r} has no meaning in words")
    return msgspec.structs.replace(percept, modality="text", draw=_Told(percept.tell))


class _Told(msgspec.Struct, frozen=True):
    tell: Callable[[Any], str]

    def __call__(self, scene: Any) -> Part:
        return Text(self.tell(scene))
