"""The bomb's countdown against fractions and a formula of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.envs.gptnt.bomb.clock import Clock

SECOND = 1_000_000
LIMIT = st.integers(1, 700 * SECOND)
TIME = st.integers(0, 700 * SECOND)
STRIKES = st.lists(TIME, max_size=6).map(lambda times: tuple(sorted(times)))
CLOCK = st.builds(Clock, LIMIT, STRIKES)
RATES = [Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(7, 4), Fraction(2)]


def left(clock: Clock, time_us: int) -> Fraction:
    """What remains in seconds: every strike adds a quarter to the speed of the rest, up to four."""
    spent = Fraction(time_us)
    for strike in clock.strikes_us[:4]:
        spent += Fraction(max(0, time_us - strike), 4)
    return max(Fraction(0), (clock.limit_us - spent) / SECOND)


def reading(seconds: Fraction) -> str:
    """The display of an exact remaining time, by whole seconds and by hundredths."""
    if seconds >= 60:
        whole = int(seconds)
        return f"{whole // 60:02d}:{whole % 60:02d}"
    return f"{int(seconds * 100) / 100:05.2f}"


@given(CLOCK, TIME)
def test_remaining_time_and_display(clock: Clock, time_us: int) -> None:
    seconds = left(clock, time_us)
    assert clock.remaining_us(time_us) == int(seconds * SECOND)
    assert clock.display(time_us) == reading(seconds)
    assert clock.digits(time_us) == {int(char) for char in reading(seconds) if char not in ":."}
    assert clock.rate(time_us) == RATES[min(4, sum(s <= time_us for s in clock.strikes_us))]


@given(CLOCK, TIME, TIME)
def test_it_only_goes_down(clock: Clock, one: int, other: int) -> None:
    early, late = sorted((one, other))
    assert clock.remaining_us(early) >= clock.remaining_us(late)
    assert clock.expired(late) or not clock.expired(early)


@given(LIMIT, st.lists(st.tuples(TIME, st.booleans()), max_size=9))
def test_it_does_not_matter_how_time_is_cut(limit: int, cuts: list[tuple[int, bool]]) -> None:
    """Summing the pieces between any looks and strikes gives the clock's own answer."""
    clock, spent, since, strikes = Clock(limit), Fraction(0), 0, 0
    for time_us, strike in sorted(cuts):
        spent += RATES[min(4, strikes)] * (time_us - since)
        since = time_us
        assert clock.remaining_us(time_us) == max(0, int((limit - spent) // 1))
        if strike:
            clock, strikes = clock.struck(time_us), strikes + 1
    assert clock.strikes_us == tuple(time_us for time_us, strike in sorted(cuts) if strike)


@given(CLOCK)
def test_it_explodes_at_the_first_microsecond_with_nothing_left(clock: Clock) -> None:
    moment = clock.explodes_us()
    assert left(clock, moment) == 0 < left(clock, moment - 1)
    assert clock.expired(moment)
    assert not clock.expired(moment - 1)
    assert clock.display(moment) == "00.00"


@given(CLOCK, TIME)
def test_the_past_does_not_depend_on_later_strikes(clock: Clock, time_us: int) -> None:
    past = Clock(clock.limit_us, tuple(s for s in clock.strikes_us if s <= time_us))
    assert clock.remaining_us(time_us) == past.remaining_us(time_us)


@given(CLOCK, TIME)
def test_the_next_change_is_the_next(clock: Clock, time_us: int) -> None:
    if clock.expired(time_us):
        return
    moment = clock.changes_us(time_us)
    assert moment > time_us
    assert clock.display(moment - 1) == clock.display(time_us)
    assert clock.display(moment) != clock.display(time_us) or clock.expired(moment)


@given(CLOCK, TIME, st.integers(0, 9))
def test_the_next_showing_of_a_digit(clock: Clock, time_us: int, digit: int) -> None:
    moment = clock.next_showing(digit, time_us)
    until = clock.explodes_us() if moment is None else moment
    for step in range(40):
        look = time_us + step * (until - time_us) // 40
        assert look >= until or digit not in clock.digits(look)
    if moment is not None:
        assert time_us <= moment < clock.explodes_us()
        assert digit in clock.digits(moment)
        assert moment == time_us or digit not in clock.digits(moment - 1)


def test_three_seconds_after_each_strike() -> None:
    clock = Clock(300 * SECOND, (0, 0))
    assert clock.remaining_us(3 * SECOND) == 295_500_000
    assert Clock(300 * SECOND, (0,)).remaining_us(3 * SECOND) == 296_250_000
    assert Clock(300 * SECOND).remaining_us(3 * SECOND) == 297_000_000


@pytest.mark.parametrize(
    ("remaining_us", "shown"),
    [
        (300 * SECOND, "05:00"),
        (68_900_000, "01:08"),
        (60_000_000, "01:00"),
        (59_999_999, "59.99"),
        (9_050_000, "09.05"),
        (9_999, "00.00"),
    ],
)
def test_displays(remaining_us: int, shown: str) -> None:
    assert Clock(remaining_us).display(0) == shown


def test_a_four_is_awaited() -> None:
    clock = Clock(300 * SECOND)
    assert clock.next_showing(4, 0) == 1  # 04:59
    assert clock.next_showing(0, 0) == 0
    assert clock.next_showing(8, 0) == SECOND + 1  # 04:58
    assert Clock(30_000).next_showing(9, 0) is None


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="positive limit"):
        Clock(0)
    with pytest.raises(ValueError, match="in order"):
        Clock(SECOND, (5,)).struck(4)
    with pytest.raises(ValueError, match="in order"):
        Clock(SECOND, (-1,))
