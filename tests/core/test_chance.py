"""Streams: fixed forever, unbiased, and independent of each other."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.chance import VERSION, Stream, stream

WORDS = [
    10408184685238642690,
    4893078632354745952,
    5284339070414312423,
    13652732891438091063,
    10664960174407513541,
    13367884137491060536,
    10694120668697369253,
    14197967350923117003,
    17391083352728189933,
]


def test_first_draws_never_change() -> None:
    """Every recorded game depends on these; another generator needs another VERSION."""
    assert VERSION == 1
    fresh = stream(0, "golden")
    assert [fresh.word() for _ in WORDS] == WORDS
    assert fresh.drawn == len(WORDS)
    fresh = stream(0, "golden")
    assert [fresh.below(10) for _ in range(12)] == [0, 2, 3, 3, 1, 6, 3, 3, 3, 8, 4, 0]
    fresh = stream(0, "golden")
    assert [fresh.uniform() for _ in range(2)] == [0.5642288223683046, 0.26525432416707073]
    fresh = stream(0, "golden")
    assert [fresh.normal() for _ in range(2)] == pytest.approx(
        [-0.12334700132362247, -0.050991101483269165], abs=1e-12
    )
    order = list(range(8))
    stream(0, "golden").shuffle(order)
    assert order == [6, 7, 4, 1, 3, 5, 0, 2]


def test_keys_never_change() -> None:
    firsts = [stream(7, "a", 3), stream(7, "a"), stream(-1, "a"), stream(2**80, "é")]
    assert [first.word() for first in firsts] == [
        11642994645710844403,
        1817832412025062079,
        2170154668228046501,
        12127398248683242994,
    ]


class Fed(Stream):
    """A stream of given words."""

    def __init__(self, words: list[int]) -> None:
        super().__init__(b"unused")
        self._words = iter(words)

    def word(self) -> int:
        return next(self._words)


@given(st.integers(1, 2**64 - 1), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8))
def test_below_skips_the_incomplete_last_block(bound: int, words: list[int]) -> None:
    """Unbiased: the words it takes are a whole number of blocks of `bound`."""
    blocks = 2**64 // bound
    taken = next((word for word in words if word < blocks * bound), None)
    if taken is None:
        with pytest.raises(StopIteration):
            Fed(words).below(bound)
    else:
        assert Fed(words).below(bound) == taken % bound


@given(st.integers(), st.integers(1, 2**64 - 1))
def test_draws_stay_in_range(seed: int, bound: int) -> None:
    rng = stream(seed, "range")
    assert 0 <= rng.below(bound) < bound
    assert 0.0 <= rng.uniform() < 1.0
    assert rng.choice("abc") in "abc"


@pytest.mark.parametrize("bound", [0, -1, 2**64])
def test_below_refuses_a_bound_without_a_meaning(bound: int) -> None:
    with pytest.raises(ValueError, match="bound between 1 and"):
        stream(0, "range").below(bound)


def test_below_is_uniform() -> None:
    """Chi-squared with 5 degrees of freedom; 20.5 is its 0.1 % point. The seed is fixed."""
    rng = stream(3, "dice")
    counts = Counter(rng.below(6) for _ in range(6_000))
    assert sum((counts[face] - 1_000) ** 2 / 1_000 for face in range(6)) < 20.5


def test_one_consumer_never_shifts_another() -> None:
    alone = [stream(5, "spawn").word() for _ in range(1)]
    other, spawn = stream(5, "deck"), stream(5, "spawn")
    for _ in range(100):
        other.word()
    assert spawn.word() == alone[0]


@given(st.integers(), st.lists(st.text(st.characters(codec="ascii", min_codepoint=32)), max_size=3))
def test_names_and_seeds_make_different_streams(seed: int, names: list[str]) -> None:
    draws = {
        stream(seed, *names).word(),
        stream(seed + 1, *names).word(),
        stream(seed, *names, "more").word(),
        stream(seed, "first", *names).word() if names != ["more"] else -1,
    }
    assert len(draws) == 4 or names in (["first"], [])


@given(st.integers(), st.lists(st.integers(), max_size=30))
def test_shuffle_permutes(seed: int, items: list[int]) -> None:
    shuffled = list(items)
    stream(seed, "shuffle").shuffle(shuffled)
    assert Counter(shuffled) == Counter(items)


def test_shuffle_reaches_every_order() -> None:
    orders = set()
    for seed in range(60):
        items = [0, 1, 2]
        stream(seed, "shuffle").shuffle(items)
        orders.add(tuple(items))
    assert len(orders) == 6
