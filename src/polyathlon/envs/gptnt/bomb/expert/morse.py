"""Morse Code in words: the defuser spells dots and dashes, the expert reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR
from polyathlon.envs.gptnt.bomb.rulebook.morse import code
from polyathlon.envs.gptnt.bomb.solver import tuning

LETTER_GAP, WORD_GAP = 3, 8
"""Dark quarters of a second from which on a letter, or the word, is over."""
_OPENING = "lamp that blinks above a frequency"
_WORDS = {".": "dot", "-": "dash"}
_FREQUENCY = re.compile(r"3\.(\d{3}) MHz")
_LETTER = re.compile(r"(?:dot|dash)(?:-(?:dot|dash))*")


def describe(sight: Sight) -> str | None:
    """A whole word in dots and dashes, once it was seen from pause to pause."""
    letters = _word(sight.watched)
    if not letters:
        return None
    told = ", ".join("-".join(_WORDS[mark] for mark in letter) for letter in letters)
    return f"There is a {_OPENING}. From one long pause to the next it blinks {told}."


def advice(text: str, notes: Notes) -> str | None:
    """The frequency to send on."""
    if _OPENING not in text:
        return None
    letters = tuple(_marks(letter) for letter in _LETTER.findall(text))
    frequencies = notes.book.morse.frequencies_khz
    heard = (khz for word, khz in frequencies.items() if code(word) == letters)
    khz = next(heard, None)
    return UNCLEAR if khz is None else f"Set it to 3.{khz:03} MHz and send."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """The keys that tune and send."""
    match, module = _FREQUENCY.search(reply), sight.module
    if match is None or int(match[1]) not in module.frequencies_khz:
        return ()
    return tuning(module.frequencies_khz, module.selected_khz, int(match[1]))


def _marks(letter: str) -> str:
    return "".join("." if mark == "dot" else "-" for mark in letter.split("-"))


def _word(watched: Sequence[bool]) -> tuple[str, ...]:
    """The letters between the first two long pauses; () if there were none."""
    *whole, _ = _words(watched)
    return whole[1] if len(whole) > 1 else ()


def _words(watched: Sequence[bool]) -> Iterator[tuple[str, ...]]:
    """The letters between long pauses; what came first may lack its beginning, the last its end."""
    letters = [""]
    for lit, quarters in groupby(watched):
        length = len(list(quarters))
        if lit:
            letters[-1] += "." if length == 1 else "-"
        elif length >= WORD_GAP:
            yield tuple(letters)
            letters = [""]
        elif length >= LETTER_GAP:
            letters.append("")
    yield tuple(letters)
