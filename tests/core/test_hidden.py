"""What is hidden can be passed on, compared and used, and not read."""

import copy
import gc
import pickle

import pytest

from polyathlon.core import hidden
from polyathlon.core.hidden import Hidden, revealed
from polyathlon.testing.reach import reachable


def test_it_stands_for_its_value_and_has_no_attribute_of_it() -> None:
    secret = ["the truth"]
    kept = Hidden(secret)
    assert revealed(kept) is secret
    assert all(value is not secret and value != "the truth" for _, value in reachable(kept))
    assert "truth" not in repr(kept)
    with pytest.raises(AttributeError):
        kept.note = 1  # type: ignore[attr-defined]


def test_copies_are_the_same_and_equal_values_are_equal() -> None:
    kept = Hidden((1, 2))
    assert copy.copy(kept) is kept
    assert copy.deepcopy([kept])[0] is kept
    assert kept == Hidden((1, 2))
    assert hash(kept) == hash(Hidden((1, 2)))
    assert kept != Hidden((2, 1))
    assert kept != (1, 2)


def test_it_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match=r"ctx\.compute"):
        pickle.dumps(Hidden("the truth"))


def test_a_value_lives_as_long_as_what_stands_for_it() -> None:
    before = set(hidden._values)
    kept = [Hidden(number) for number in range(100)]
    assert len(set(hidden._values) - before) == 100
    kept.append(kept)  # found by the garbage collector
    del kept
    gc.collect()
    assert set(hidden._values) <= before
