"""Whether JSON fits a type of an official SDK: every key known, every value of its type.

Types that no JSON is of, such as files and models of replies, fit nothing.
"""

from __future__ import annotations

import collections.abc
import types
from functools import cache
from typing import Any, Literal, Union

import typing_extensions as te

_MANY = (list, collections.abc.Iterable, collections.abc.Sequence)
_PLAIN: dict[Any, tuple[type, ...]] = {
    str: (str,), int: (int,), float: (int, float), bool: (bool,), object: (object,),
    type(None): (type(None),),
}  # fmt: skip


def misfits(value: Any, kind: Any, where: str = "body") -> list[str]:
    """What in `value` the type does not allow; of a union, what fits best is complained of."""
    if kind in (Any, object):
        return []
    origin, arguments = te.get_origin(kind), te.get_args(kind)
    if origin in (te.Required, te.NotRequired, te.Annotated):
        return misfits(value, arguments[0], where)
    if origin is Literal:
        return [] if value in arguments else [f"{where}: {value!r} is none of {arguments}"]
    if origin in (Union, types.UnionType):
        tried = [misfits(value, option, where) for option in arguments]
        return min(tried, key=lambda found: (len(found), -max(map(_depth, found), default=0)))
    if te.is_typeddict(kind):
        return _misfits_of_object(value, kind, where)
    if origin in _MANY:
        if not isinstance(value, list):
            return [f"{where}: no list"]
        inner = arguments[0] if arguments else Any
        return [e for n, item in enumerate(value) for e in misfits(item, inner, f"{where}[{n}]")]
    if origin in (dict, collections.abc.Mapping):
        return [] if isinstance(value, dict) else [f"{where}: no object"]
    allowed = _PLAIN.get(kind, ())
    wrong = isinstance(value, bool) and kind is not bool
    return [] if isinstance(value, allowed) and not wrong else [f"{where}: no {kind}"]


def _misfits_of_object(value: Any, kind: Any, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: no object"]
    hints = _hints(kind)
    found = [f"{where}.{key}: unknown to {kind.__name__}" for key in value if key not in hints]
    for key, hint in hints.items():
        if key in value:
            found += misfits(value[key], hint, f"{where}.{key}")
        elif te.get_origin(hint) is te.Required:
            found.append(f"{where}.{key}: missing from {kind.__name__}")
    return found


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return te.get_type_hints(kind, include_extras=True)


def _depth(found: str) -> int:
    return found.count(".") + found.count("[")
