"""Canonical JSON: one value, one byte string, one hash."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
from blake3 import blake3

if TYPE_CHECKING:
    JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None
else:
    JSON = Any  # msgspec decodes no recursive alias

T = TypeVar("T")

FLOAT_DIGITS = 6

_encoder = msgspec.json.Encoder(order="sorted")

_SCALARS = frozenset({bool, int, str, type(None)})


def canonical(value: object) -> bytes:
    """The one JSON encoding of `value`: sorted keys, no spaces, floats rounded to 1e-6.

    Accepts what `plain` accepts. Raises ValueError for NaN and infinities, which JSON cannot say.
    """
    return _encoder.encode(plain(value))


def plain(value: Any) -> Any:
    """`value` as dicts, lists and scalars: floats rounded, fields of Structs that equal their
    default left out.

    Accepts JSON values, tuples and `msgspec.Struct`s. (Struct encoding with `omit_defaults` leaves
    out what *is* the default object, so it differs between equal values; this does not.)
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is tuple or kind is list:
        return [item if type(item) in _SCALARS else plain(item) for item in value]
    if kind is dict:
        return {
            key if type(key) is str else str(key): item if type(item) in _SCALARS else plain(item)
            for key, item in value.items()
        }
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no canonical JSON: keep states and records finite")
        return round(value, FLOAT_DIGITS) + 0.0
    if isinstance(value, msgspec.Struct):
        return _plain_struct(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return plain(msgspec.to_builtins(value))


def _plain_struct(value: msgspec.Struct) -> dict[str, Any]:
    config = value.__struct_config__
    found: dict[str, Any] = {} if config.tag is None else {str(config.tag_field): config.tag}
    for name, default in _defaults(type(value)):
        item = getattr(value, name)
        if default is msgspec.NODEFAULT or item != default:
            found[name] = plain(item)
    return found


@cache
def _defaults(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (f.name, f.default if f.default_factory is msgspec.NODEFAULT else f.default_factory())
        for f in msgspec.structs.fields(kind)
    )


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hex (64 characters)."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_encoded(value: object) -> str:
    """The first half of the SHA-256 of a value's JSON as it is, in hex (32 characters).

    For values of one form, made in one place: floats are not rounded, defaults not left out.
    """
    return hashlib.sha256(_encoder.encode(value)).hexdigest()[:32]


def digest_bytes(kind: str, shape: str, raw: bytes) -> str:
    """BLAKE3 of a raw signal, prefixed by its kind and shape, in hex (64 characters).

    Of half a megabyte it takes a quarter of the time that SHA-256 does; of short texts it takes
    more, so those keep SHA-256.
    """
    return blake3(f"{kind}:{shape}:".encode()).update(raw).hexdigest()


def well_formed(value: T) -> T:
    """`value` with unpaired surrogates, which no UTF-8 text can hold, replaced by U+FFFD.

    Accepts text, JSON values and Structs; JSON escapes and terminals bring such characters in.
    """
    if not value or (isinstance(value, str) and value.isascii()):
        return value
    try:
        _encoder.encode(value)
    except UnicodeEncodeError:
        mended: T = msgspec.convert(_mended(msgspec.to_builtins(value)), type(value))
        return mended
    return value


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, list | tuple) else value
