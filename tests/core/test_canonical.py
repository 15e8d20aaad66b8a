"""Canonical JSON: equal values have equal bytes, and only those."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.canonical import canonical, digest, digest_bytes

FLOATS = st.floats(-1e9, 1e9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | FLOATS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Point(msgspec.Struct):
    y: float
    x: int


def test_keys_are_sorted_and_nothing_is_spaced() -> None:
    assert canonical({"b": 1, "a": [1, 2], "é": None}) == '{"a":[1,2],"b":1,"é":null}'.encode()


@given(VALUES)
def test_decoding_and_encoding_again_gives_the_same_bytes(value: Any) -> None:
    written = canonical(value)
    assert canonical(json.loads(written)) == written


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_insertion_does_not_matter(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@given(VALUES)
def test_tuples_equal_lists(value: Any) -> None:
    assert canonical((value, (1, 2))) == canonical([value, [1, 2]])


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.1 + 0.2, b"0.3"),
        (1.0000004, b"1.0"),
        (-0.0, b"0.0"),
        (-1e-9, b"0.0"),
        (1e-6, b"1e-6"),
        (True, b"true"),
        (1, b"1"),
        (2**70, b"1180591620717411303424"),
        (Point(0.5, 2), b'{"x":2,"y":0.5}'),
    ],
)
def test_numbers(value: Any, written: bytes) -> None:
    assert canonical(value) == written


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [{"a": -float("inf")}]])
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    """As null it would be equal to a missing value."""
    with pytest.raises(ValueError, match="no canonical JSON"):
        canonical(value)


def test_digests_never_change() -> None:
    """Episode ids and state hashes are made of these."""
    assert digest({"a": [1, 2.5]}) == digest({"a": (1, 2.5)})
    assert digest({"a": 1})[:16] == "015abd7f5cc57a2d"
    assert digest_bytes("image", "1x1", b"\0\0\0") != digest_bytes("image", "1x2", b"\0\0\0")
