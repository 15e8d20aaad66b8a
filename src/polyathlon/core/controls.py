"""Controls: how a person at a screen acts, besides typing an action's text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec


class Field(msgspec.Struct, frozen=True):
    """One value of an answer: a choice, or a number in [low, high] in steps of `step`."""

    name: str
    label: str
    default: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0


class Pointer(msgspec.Struct, frozen=True):
    """A click on a channel sets two number fields.

    `x` are the values at the left and right edge of the picture, `y` those at its top and bottom.
    """

    channel: str
    x_field: str
    y_field: str
    x: tuple[float, float]
    y: tuple[float, float]


class Region(msgspec.Struct, frozen=True):
    """A rectangle of a channel's picture, in [0, 1] from left and top; a click gives `text`."""

    channel: str
    left: float
    top: float
    right: float
    bottom: float
    text: str


class Controls(msgspec.Struct, frozen=True):
    """What a page offers for one action space.

    `template` makes an answer from fields by `str.format`. `buttons` map a label, and `keys` a
    key as `KeyboardEvent.key` names it, to an answer. A click on a region gives its text. With
    `gather` such texts are collected, separated by blanks, until the person sends them;
    otherwise each is an answer. Clicks elsewhere mean what the space's `from_point` says. `idle`
    is the answer that only lets time pass: in a world that goes on while the person looks, a page
    gives it by itself to stay up to date.
    """

    template: str = ""
    fields: tuple[Field, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    buttons: Mapping[str, str] = {}
    keys: Mapping[str, str] = {}
    regions: tuple[Region, ...] = ()
    gather: bool = False
    idle: str = ""


@runtime_checkable
class Controlled(Protocol):
    """An action space that offers controls; every answer they make parses in that space."""

    def controls(self) -> Controls: ...


@runtime_checkable
class Speaking(Protocol):
    """An action space in which a person may send a message of their own words."""

    def say(self, words: str) -> Any:
        """The action that sends `words`, or a Malformed."""
        ...
