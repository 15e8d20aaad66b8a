"""The kinds of word noise: what happens to the words of one line.

Kinds that add something write it in a form, "{}" as it is sensed and "[{}]" as a report shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from polyathlon.core.chance import Stream, stream

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
LONGEST_ADDED = 5
SENSED, SHOWN = "{}", "[{}]"

# fmt: off
NOISE_WORDS = (
    "xyz", "qwe", "abc", "def", "ghi", "jkl", "mno", "pqr", "stu", "vwx", "beep", "buzz",
    "hiss", "static", "crackle", "pop", "zap", "whir", "blip", "chirp", "ding", "ping", "click",
    "snap", "thud", "bang", "noise", "audio", "signal", "freq", "wave", "echo", "reverb",
    "gain",
)
# fmt: on
"""The 34 words that OmniPlay's audio noise inserts (section on noise)."""
NOISE_LETTERS = tuple("xzqjkvwypfghbnm")
"""The 15 letters that it inserts."""


def delete(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """Every word is lost with probability `rate`."""
    return [word for word in words if rng.uniform() >= rate]


def swap(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """From the left, every word changes places with the next with probability `rate`."""
    mixed = list(words)
    for place in range(len(mixed) - 1):
        if rng.uniform() < rate:
            mixed[place : place + 2] = mixed[place + 1], mixed[place]
    return mixed


def letters(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """In every word, one character becomes a random letter with probability `rate`."""
    return [_misspelt(word, rng) if word and rng.uniform() < rate else word for word in words]


def insert(words: Sequence[str], rate: float, rng: Stream, form: str) -> list[str]:
    """Behind every word, 1 to 5 random letters follow with probability `rate`."""
    longer: list[str] = []
    for word in words:
        longer.append(word)
        if rng.uniform() < rate:
            count = 1 + rng.below(LONGEST_ADDED)
            longer.append(form.format("".join(rng.choice(ALPHABET) for _ in range(count))))
    return longer


def noise(words: Sequence[str], rate: float, rng: Stream, form: str) -> list[str]:
    """In every gap between words something is inserted with probability `rate`.

    Two times in three it is one of `NOISE_WORDS`, else one of `NOISE_LETTERS`.
    """
    last = max((place for place, word in enumerate(words) if word), default=0)
    longer: list[str] = []
    for place, word in enumerate(words):
        longer.append(word)
        if word and place < last and rng.uniform() < rate:
            longer.append(form.format(rng.choice(NOISE_WORDS if rng.below(3) else NOISE_LETTERS)))
    return longer


CHANGES: dict[str, Callable[[Sequence[str], float, Stream], list[str]]] = {
    "delete": delete,
    "swap": swap,
    "letters": letters,
}
ADDITIONS: dict[str, Callable[[Sequence[str], float, Stream, str], list[str]]] = {
    "insert": insert,
    "noise": noise,
}
KINDS = (*CHANGES, *ADDITIONS)


class WordNoise(msgspec.Struct, frozen=True):
    """A change of words, the same for the same seed. Lines stay lines; spaces are kept."""

    kind: str
    rate: float
    seed: int

    def disturb(self, text: str) -> str:
        """The changed text; where every word would be lost, the first one stays."""
        disturbed = self._changed(text, SENSED)
        return disturbed if disturbed.strip() else "".join(text.split()[:1])

    def marked(self, text: str) -> str | None:
        """The changed text with brackets around what was added; None for kinds that add nothing."""
        return self._changed(text, SHOWN) if self.kind in ADDITIONS else None

    def _changed(self, text: str, form: str) -> str:
        rng = stream(self.seed, "words", self.kind)
        return "\n".join(
            " ".join(self._line(line.split(" "), rng, form)) for line in text.split("\n")
        )

    def _line(self, words: Sequence[str], rng: Stream, form: str) -> list[str]:
        if self.kind in ADDITIONS:
            return ADDITIONS[self.kind](words, self.rate, rng, form)
        return CHANGES[self.kind](words, self.rate, rng)


def _misspelt(word: str, rng: Stream) -> str:
    place = rng.below(len(word))
    return word[:place] + rng.choice(ALPHABET) + word[place + 1 :]
