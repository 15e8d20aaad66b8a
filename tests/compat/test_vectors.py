"""Vector actions: several numbers in one answer."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.compat.vectors import Vector
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream

SIDES = st.tuples(st.floats(-1e6, 1e6) | st.just(-math.inf), st.floats(0, 1e6) | st.just(math.inf))
BOXES = st.lists(SIDES, min_size=1, max_size=4).map(
    lambda sides: Vector(
        tuple(low for low, _ in sides), tuple(max(low, 0.0) + size for low, size in sides)
    )
)
GRIDS = st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), min_size=1, max_size=4).map(
    lambda sides: Vector(
        tuple(float(low) for low, _ in sides), tuple(float(low + n) for low, n in sides), True
    )
)


@given(BOXES | GRIDS, st.integers(0, 2**32))
def test_samples_read_back_and_lie_in_bounds(space: Vector, seed: int) -> None:
    action = space.sample(stream(seed, "vector"))
    assert space.parse(space.write(action)) == action
    assert all(a <= x <= b for a, x, b in zip(space.low, action, space.high, strict=True))


@given(BOXES | GRIDS, st.text() | st.text("0123456789-+.,e[] infa_", max_size=40))
def test_parse_never_raises(space: Vector, text: str) -> None:
    action = space.parse(text)
    if not isinstance(action, Malformed):
        assert space.parse(space.write(action)) == action


@pytest.mark.parametrize(
    "text", ["0.5, -1", "[0.5 -1.0]", "(0.5,-1)", "`0.5; -1`".replace(";", ",")]
)
def test_it_reads_what_models_write(text: str) -> None:
    assert Vector((-1.0, -1.0), (1.0, 1.0)).parse(text) == (0.5, -1.0)


@pytest.mark.parametrize(
    "text", ["", "1", "1, 2, 3", "a, b", "nan, 0", "inf, 0", "1e999, 0", "9, 0"]
)
def test_it_refuses_the_rest(text: str) -> None:
    assert isinstance(Vector((-1.0, -1.0), (1.0, 1.0)).parse(text), Malformed)


def test_numbers_of_numpy_are_written_as_numbers() -> None:
    assert Vector((-1.0,), (1.0,)).write((np.float32(0.5),)) == "0.5"


def test_whole_numbers_are_whole() -> None:
    space = Vector((0.0,), (3.0,), whole=True)
    assert space.parse("3") == (3,)
    assert isinstance(space.parse("1.5"), Malformed)
    assert {space.sample(stream(seed, "whole")) for seed in range(60)} == {(0,), (1,), (2,), (3,)}
