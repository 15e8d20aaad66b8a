"""The countdown: a pure function of the bomb's game time and of the moments of its strikes.

Game time is in whole microseconds since lights-on; a pause is game time that stands still, so it
needs nothing here. The clock's rates are quarters, so what remains is counted in quarters of a
microsecond and every result is exact, however the time before it was cut.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec

RATE_QUARTERS = (4, 5, 6, 7, 8)
"""Quarters of clock time per game time after 0, 1, 2, 3, and 4 or more strikes."""

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
CENTISECOND_US = SECOND_US // 100


class Clock(msgspec.Struct, frozen=True):
    """A countdown from `limit_us` that every strike speeds up.

    `strikes_us` are the game times of the strikes, in order. What is asked of a moment depends
    only on the strikes up to it; what is asked of the future supposes no more strikes than those.
    """

    limit_us: int
    strikes_us: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.limit_us <= 0:
            raise ValueError(f"a countdown needs a positive limit, not {self.limit_us} us")
        if any(before > after for before, after in pairwise((0, *self.strikes_us))):
            raise ValueError(f"strikes must be in order from 0 us on, not {self.strikes_us}")

    def struck(self, time_us: int) -> Clock:
        """The same clock after one more strike, not before the last one."""
        return Clock(self.limit_us, (*self.strikes_us, time_us))

    def rate(self, time_us: int) -> float:
        """Clock seconds per second of game time: 1.0, 1.25, 1.5, 1.75 or 2.0."""
        return _rate_quarters(sum(strike <= time_us for strike in self.strikes_us)) / 4

    def remaining_us(self, time_us: int) -> int:
        """What the clock has left at a game time, rounded down, never below 0."""
        return self._remaining_quarters(time_us) // 4

    def expired(self, time_us: int) -> bool:
        """Whether the countdown has reached zero."""
        return time_us >= self.explodes_us()

    def explodes_us(self) -> int:
        """The first microsecond of game time at which nothing remains."""
        return self._reaches(0)

    def display(self, time_us: int) -> str:
        """The characters shown: MM:SS from one minute up, SS.cc below, rounded down."""
        remaining = self.remaining_us(time_us)
        if remaining >= MINUTE_US:
            minutes, seconds = divmod(remaining // SECOND_US, 60)
            return f"{minutes:02}:{seconds:02}"
        seconds, hundredths = divmod(remaining // CENTISECOND_US, 100)
        return f"{seconds:02}.{hundredths:02}"

    def digits(self, time_us: int) -> frozenset[int]:
        """The digits shown in any position."""
        return frozenset(int(char) for char in self.display(time_us) if char.isdigit())

    def changes_us(self, time_us: int) -> int:
        """The first moment after `time_us` at which the display reads otherwise, or, when it
        shows its last reading, the explosion."""
        remaining = self.remaining_us(time_us)
        unit = SECOND_US if remaining >= MINUTE_US else CENTISECOND_US
        return self._reaches(max(0, remaining // unit * unit * 4 - 1))

    def next_showing(self, digit: int, time_us: int) -> int | None:
        """The first moment from `time_us` on at which `digit` is shown; None if the bomb explodes
        before. Looks at some twenty readings at most, for every digit passes the last place."""
        moment = time_us
        while not self.expired(moment):
            if digit in self.digits(moment):
                return moment
            moment = self.changes_us(moment)
        return None

    def _remaining_quarters(self, time_us: int) -> int:
        past = [strike for strike in self.strikes_us if strike <= time_us]
        spent = sum(
            _rate_quarters(strikes) * (until - since)
            for strikes, (since, until) in enumerate(pairwise((0, *past, time_us)))
        )
        return max(0, 4 * self.limit_us - spent)

    def _reaches(self, quarters: int) -> int:
        """The first microsecond at which at most so many quarter-microseconds remain."""
        left, since, rate = 4 * self.limit_us, 0, _rate_quarters(0)
        for strikes, strike in enumerate(self.strikes_us, 1):
            after = left - rate * (strike - since)
            if after <= quarters:
                break
            left, since, rate = after, strike, _rate_quarters(strikes)
        return since - (quarters - left) // rate  # rounded up


def _rate_quarters(strikes: int) -> int:
    return RATE_QUARTERS[min(strikes, len(RATE_QUARTERS) - 1)]
