"""What attributes lead to: everything that whoever holds a value can get hold of by its names.

Followed are instance dictionaries, slots, fields, properties and class attributes, the elements of
containers, the objects that methods are bound to, what closures and defaults of functions hold,
wrapped functions, and weak references. Not followed are the globals of functions, the frames of
generators and coroutines, modules, and what has to be called: code that goes through those, or asks
the garbage collector, finds everything there is in a process.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Iterable, Iterator, Mapping, Set
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, TypeAlias

import msgspec

Found: TypeAlias = tuple[str, Any]

ATOMS = (str, bytes, bytearray, int, float, complex, type(None), type(Ellipsis), range, slice)
"""What leads to nothing."""
_ELEMENTS = (list, tuple, Set)
_OF_FUNCTIONS = ("__defaults__", "__kwdefaults__", "__wrapped__", "__dict__")
_FRAMES = ("gi_frame", "cr_frame", "ag_frame", "tb_frame", "tb_next")
_LEFT_OUT = frozenset({*dir(object), *_FRAMES, "__annotations__", "__abstractmethods__"})


def reachable(value: Any, name: str = "it") -> Iterator[Found]:
    """Everything that attributes lead to from a value, the value first, each once with its path."""
    met: dict[Any, Any] = {}
    left: list[Found] = [(name, value)]
    while left:
        path, found = left.pop()
        key = _key(found)
        if key in met:
            continue
        met[key] = found  # held, so that no other object takes its id
        yield path, found
        left.extend((path + step, inner) for step, inner in _inner(found))


def in_scene(scene: Any) -> Iterator[Any]:
    """A captured scene and the records in it: what else it is made of may be constants."""
    if not isinstance(scene, ATOMS):
        yield scene
    for inner in _parts(scene):
        yield from _records(inner)


def _records(value: Any) -> Iterator[Any]:
    if isinstance(value, msgspec.Struct) or dataclasses.is_dataclass(value):
        yield value
    for inner in _parts(value):
        yield from _records(inner)


def _parts(value: Any) -> Iterator[Any]:
    """What a record or a container of a scene is made of."""
    if isinstance(value, msgspec.Struct):
        yield from (getattr(value, name) for name in value.__struct_fields__)
    elif dataclasses.is_dataclass(value):
        yield from (getattr(value, field.name) for field in dataclasses.fields(value))
    elif isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, Mapping):
        yield from value.values()


def _key(value: Any) -> Any:
    """What tells a value from others; methods are made anew whenever they are asked for."""
    if isinstance(value, MethodType):
        return id(value.__self__), id(value.__func__)
    if isinstance(value, BuiltinFunctionType | MethodWrapperType):
        return id(value.__self__), value.__name__
    return id(value)


def _inner(value: Any) -> Iterator[Found]:
    """What one step leads to."""
    match value:
        case ModuleType() | MemberDescriptorType():
            return
        case _ if isinstance(value, ATOMS):
            return
        case FunctionType():
            yield from _closed_over(value)
        case MethodType():
            yield from ((".__self__", value.__self__), (".__func__", value.__func__))
        case BuiltinFunctionType() | MethodWrapperType():
            yield ".__self__", value.__self__
        case weakref.ReferenceType():
            yield from (("()", value()), (".__callback__", value.__callback__))
        case CellType():
            yield from _attributes(value, ("cell_contents",))
        case type():
            yield from ((f".{name}", item) for name, item in vars(value).items())
            yield from ((".__bases__", base) for base in value.__bases__)
        case _:
            yield ".__class__", type(value)
            yield from _elements(value)
            yield from _attributes(value, sorted(set(dir(value)) - _LEFT_OUT))


def _closed_over(function: FunctionType) -> Iterator[Found]:
    for cell in function.__closure__ or ():
        yield ".__closure__", cell
    yield from _attributes(function, _OF_FUNCTIONS)


def _elements(value: Any) -> Iterator[Found]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"[key {key!r:.40}]", key
            yield f"[{key!r:.40}]", item
    elif isinstance(value, _ELEMENTS):
        for number, item in enumerate(value):
            yield f"[{number}]", item


def _attributes(value: Any, names: Iterable[str]) -> Iterator[Found]:
    """Attributes that can be read, properties among them."""
    for name in names:
        try:
            yield f".{name}", getattr(value, name)
        except Exception:  # a property may fail in any way
            continue
