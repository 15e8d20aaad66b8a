"""The walk over attributes finds whatever attributes lead to."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from polyathlon.testing.reach import reachable


class Secret:
    """Something to be found."""


class Slotted:
    __slots__ = ("kept",)

    def __init__(self, kept: Any) -> None:
        self.kept = kept


class Field(msgspec.Struct, frozen=True):
    kept: Any


class Property:
    def __init__(self, kept: Any) -> None:
        self.__kept = [kept]

    @property
    def kept(self) -> Any:
        return self.__kept[0]

    def method(self) -> None:
        """Bound to what holds the secret."""


class Raising:
    @property
    def fails(self) -> Any:
        raise LookupError

    def __init__(self, kept: Any) -> None:
        self.kept = kept


def closure(kept: Any) -> Callable[[], Any]:
    return lambda: kept


def default(kept: Any) -> Callable[..., Any]:
    def function(held: Any = kept) -> Any:
        return held

    return function


def by_name(kept: Any) -> Callable[..., Any]:
    def function(*, held: Any = kept) -> Any:
        return held

    return function


def wrapper(kept: Any) -> Callable[..., Any]:
    @functools.wraps(closure(kept))
    def function() -> None:
        """Wraps what holds the secret."""

    return function


def of_class(kept: Any) -> Any:
    return type("Made", (), {"kept": kept})()


def of_base(kept: Any) -> Any:
    return type("Heir", (type("Made", (), {"act": closure(kept)}),), {})()


HOLDERS: list[Callable[[Any], Any]] = [
    *(Slotted, Field, Property, Raising, closure, default, by_name, wrapper, of_class, of_base),
    lambda kept: Property(kept).method,
    lambda kept: {"by": {"name": kept}},
    lambda kept: {kept: 1},
    lambda kept: [({kept},)],
    lambda kept: functools.partial(print, kept),
    lambda kept: functools.cache(closure(kept)),
    lambda kept: [kept].append,
    weakref.ref,
    lambda kept: Field(Slotted([closure(Property(kept).method)])),
]


@pytest.mark.parametrize("holder", HOLDERS)
def test_it_finds_what_is_held(holder: Callable[[Any], Any]) -> None:
    secret = Secret()
    assert any(value is secret for _, value in reachable(holder(secret)))


def test_it_says_the_way() -> None:
    secret = Secret()
    held = {"a": [Slotted(secret)]}
    assert [path for path, value in reachable(held, "held") if value is secret] == [
        "held['a'][0].kept"
    ]


def test_globals_and_frames_are_left_out() -> None:
    secret = Secret()

    def generated() -> Any:
        held = secret
        yield
        return held

    started = generated()
    next(started)
    assert not any(value is secret for _, value in reachable(started))
    assert not any(value is HOLDERS for _, value in reachable(closure))
