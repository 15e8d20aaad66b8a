"""Morse Code: read a blinking word and transmit on its frequency."""

from __future__ import annotations

from string import ascii_lowercase

from msgspec import Struct

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import MorseRules

# International Morse code, ITU-R M.1677-1; a to z.
_CODES = (
    ".-   -... -.-. -..  .    ..-. --.  .... ..   .--- -.-  .-.. --   "
    "-.   ---  .--. --.- .-.  ...  -    ..-  ...- .--  -..- -.-- --.."
)
ALPHABET = dict(zip(ascii_lowercase, _CODES.split(), strict=True))


class Morse(Struct, frozen=True):
    """The word that blinks; the receiver starts at the lowest frequency."""

    word: str


def draw(rules: MorseRules, rng: Stream) -> Morse:
    """Every word equally likely."""
    return Morse(rng.choice(sorted(rules.frequencies_khz)))


def code(word: str) -> tuple[str, ...]:
    """Dots and dashes of each letter."""
    return tuple(ALPHABET[letter] for letter in word)


def selectable_khz(rules: MorseRules) -> tuple[int, ...]:
    """The frequencies the receiver can be set to, ascending, in kHz above 3 MHz."""
    return tuple(sorted(rules.frequencies_khz.values()))


def frequency_khz(rules: MorseRules, puzzle: Morse) -> int:
    """The frequency to transmit on, in kHz above 3 MHz."""
    return rules.frequencies_khz[puzzle.word]
