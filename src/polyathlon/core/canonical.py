"""Canonical JSON: one value, one byte string, one hash."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    JSON: TypeAlias = None | bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"]
else:
    JSON = Any  # msgspec decodes no recursive alias

_encoder = msgspec.json.Encoder(order="sorted")
FLOAT_DIGITS = 6


def canonical(value: object) -> bytes:
    """The one JSON encoding of `value`: sorted keys, no spaces, floats rounded to 1e-6.

    Accepts JSON values, tuples and `msgspec.Struct`s. Raises ValueError for NaN and infinities,
    which JSON cannot say.
    """
    return _encoder.encode(_rounded(msgspec.to_builtins(value, order="sorted")))


def _rounded(value: object) -> object:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no canonical JSON: keep states and records finite")
        return round(value, FLOAT_DIGITS) + 0.0
    if isinstance(value, dict):
        return {str(key): _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hex (64 characters)."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_bytes(kind: str, shape: str, raw: bytes) -> str:
    """SHA-256 of a raw signal, prefixed by its kind and shape, in hex."""
    hasher = hashlib.sha256(f"{kind}:{shape}:".encode())
    hasher.update(raw)
    return hasher.hexdigest()
