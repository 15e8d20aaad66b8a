"""The Morse Code module: a lamp blinks a word that stands for a frequency."""

from __future__ import annotations

from functools import cache

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.base import Effect, Moment
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.morse import Morse, code, frequency_khz

UNIT_US = 250_000
"""A dot, and the gap within a letter."""
DASH_UNITS = 3
LETTER_GAP_UNITS = 5
WORD_GAP_UNITS = 10
BASE_KHZ = 3_000


class MorseModule(msgspec.Struct, frozen=True):
    """A receiver set to `frequencies_khz[index]`, counted in kHz above 3 MHz in ascending order.

    The lamp is dark once the answer has been `sent`.
    """

    puzzle: Morse
    frequencies_khz: tuple[int, ...]
    index: int = 0
    sent: bool = False

    @property
    def selected_khz(self) -> int:
        """The frequency in view, in kHz above 3 MHz: 505 is 3.505 MHz."""
        return self.frequencies_khz[self.index]

    def lit(self, time_us: int) -> bool:
        """Whether the lamp is lit; the word begins with the bomb's time and loops."""
        if self.sent:
            return False
        pattern = blinking(self.puzzle.word)
        return pattern[time_us // UNIT_US % len(pattern)]

    def parts(self) -> tuple[str, ...]:
        """Both arrows and the sending key."""
        return ("left", "right", "transmit")

    def tap(self, part: str, moment: Moment) -> Effect:
        """Step to the next frequency, up to either end, or send."""
        if part == "transmit":
            right = self.selected_khz == frequency_khz(moment.book.morse, self.puzzle)
            return Effect(replace(self, sent=right), "solved" if right else "strike")
        index = self.index + (1 if part == "right" else -1)
        if not 0 <= index < len(self.frequencies_khz):
            return Effect(self, "nothing")
        return Effect(replace(self, index=index))

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The word and its frequency in MHz."""
        return {
            "word": self.puzzle.word,
            "frequency": _mhz(frequency_khz(book.morse, self.puzzle)),
        }

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The frequency in view in MHz, the lamp, and the time since the word began."""
        period_us = len(blinking(self.puzzle.word)) * UNIT_US
        return {
            "selected": _mhz(self.selected_khz),
            "lamp": self.lit(time_us),
            "phase_s": time_us % period_us / SECOND_US,
        }


@cache
def blinking(word: str) -> tuple[bool, ...]:
    """The lamp in each unit of one loop of a word, with the gap after it."""
    marks = {".": "1", "-": "1" * DASH_UNITS}
    letters = ["0".join(marks[mark] for mark in letter) for letter in code(word)]
    units = ("0" * LETTER_GAP_UNITS).join(letters) + "0" * WORD_GAP_UNITS
    return tuple(unit == "1" for unit in units)


def _mhz(khz: int) -> float:
    return (BASE_KHZ + khz) / 1_000
