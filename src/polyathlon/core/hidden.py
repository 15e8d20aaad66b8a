"""Hidden values: what somebody holds and hands on for others to use, and cannot look into.

An object has no attributes that its holder could not follow; so a `Hidden` has none at all, and
what it stands for is kept here. This ends what attributes give away. It is no wall against code
that imports this module.
"""

from __future__ import annotations

from typing import Any, Generic, NoReturn, TypeVar

T = TypeVar("T")

_values: dict[int, Any] = {}


class Hidden(Generic[T]):
    """Stands for a value, which lives as long as this; copies are the same thing.

    Two are equal where their values are. It goes to the processes of `Context.compute` and
    nowhere else.
    """

    __slots__ = ()

    def __init__(self, value: T) -> None:
        _values[id(self)] = value

    def __del__(self) -> None:
        _values.pop(id(self), None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden) and bool(_values[id(self)] == _values[id(other)])

    def __hash__(self) -> int:
        return hash(_values[id(self)])

    def __copy__(self) -> Hidden[T]:
        return self

    def __deepcopy__(self, memo: object) -> Hidden[T]:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("what is hidden cannot be pickled: hand it to ctx.compute, or render it")

    def __repr__(self) -> str:
        return "Hidden()"


def revealed(hidden: Hidden[T]) -> T:
    """The value: for those who hid it, and for what draws it."""
    value: T = _values[id(hidden)]
    return value
