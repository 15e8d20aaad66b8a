"""Items about Morse Code."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook import morse
from polyathlon.envs.gptnt.bomb.rulebook.book import MorseRules, RuleBook
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    Draft,
    nth,
    others,
    said,
    shuffled,
)

_WORDS_READ = 16
_VOICES = (("dot", "dash"), ("short", "long"), ("dit", "dah"))
_ASKS = ("Which frequency do they set?", "On which frequency is the answer transmitted?")
_NEEDS = ("the remaining letters", "where the word begins", "the first letter once more")
_UNKNOWN = ("lemon", "tiger", "castle", "window", "garden", "puzzle")


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The frequency of a word, or the word of a frequency."""
    table = book.morse.frequencies_khz
    word = nth(sorted(table), index, "morse")
    if index < _WORDS_READ:
        text = f"Which frequency belongs to the word {word}?"
        right, wrong = _mhz(table[word]), map(_mhz, shuffled(table.values(), rng))
    else:
        text = f"To which word does the frequency {_mhz(table[word])} belong?"
        right, wrong = word.capitalize(), map(str.capitalize, shuffled(table, rng))
    return Draft(
        text=text,
        right=right,
        wrong=others(right, wrong),
        why="read",
        given={"word": word},
        needs=_NEEDS,
    )


def grounding(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The letter of a code in the chart, or the code of a letter."""
    letter = nth(morse.ALPHABET, index, "alphabet")
    like = sorted(morse.ALPHABET, key=lambda other: _distance(letter, other))[1:8]
    codes = {each: _code(each, _VOICES[index % len(_VOICES)]) for each in (letter, *like)}
    if index % 2:
        text = f"Find the letter {letter.upper()} in the chart. What does it look like?"
        right, wrong = codes[letter].capitalize(), [each.capitalize() for each in codes.values()]
    else:
        text = f"In the chart of the alphabet, which letter is {codes[letter]}?"
        right, wrong = f"The letter {letter.upper()}", [f"The letter {o.upper()}" for o in like]
    return Draft(
        text=text,
        right=right,
        wrong=others(right, wrong),
        why="read",
        given={"letter": letter},
        needs=_NEEDS,
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A word from its start, or from the middle of its loop (hard)."""
    hard = index % 2 == 1
    word = morse.draw(book.morse, rng).word
    turn = 1 + rng.below(len(word) - 1) if hard else 0
    heard = word[turn:] + word[:turn]
    begin = (
        "I came in somewhere in the middle and cannot tell where the word starts. One round is"
        if hard
        else rng.choice(("A lamp blinks, from the long pause on:", "The light goes"))
    )
    right = _mhz(morse.frequency_khz(book.morse, morse.Morse(word)))
    return Draft(
        text=f"{said(f'{begin} {_tell(heard, rng)}.', rng)} {rng.choice(_ASKS)}",
        right=right,
        wrong=others(right, map(_mhz, _slips(book.morse, word, rng))),
        why=f"{word}: {right}",
        given={"letters": heard, "from_start": not hard},
        needs=_NEEDS,
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Only the first letters are told, which several words share."""
    table = book.morse.frequencies_khz
    starts = sorted({word[:size] for word in table for size in (1, 2, 3)})
    shared = {start: [w for w in table if w.startswith(start)] for start in starts}
    start = rng.choice([start for start in starts if len(shared[start]) > 1])
    first = "the first letter is" if len(start) == 1 else "the word starts with"
    words = f"I have only got the beginning: {first} {_tell(start, rng)}. Then I lost count."
    frequencies = [table[word] for word in shuffled(shared[start], rng)]
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_ASKS)}",
        missing=_NEEDS[0],
        wrong=others("", map(_mhz, [*frequencies, *shuffled(table.values(), rng)])),
        why="; ".join(f"{word}: {_mhz(table[word])}" for word in shared[start]),
        given={"start": start},
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A word that the table does not have."""
    word = _UNKNOWN[index % len(_UNKNOWN)]
    words = rng.choice(("A lamp blinks this word:", "The light goes, from the long pause on:"))
    return Draft(
        text=f"{said(f'{words} {_tell(word, rng)}.', rng)} {rng.choice(_ASKS)}",
        wrong=others("", map(_mhz, _slips(book.morse, word, rng))),
        why=f"the table has no {word}",
        given={"letters": word, "from_start": True},
        needs=_NEEDS,
    )


def _slips(rules: MorseRules, word: str, rng: Stream) -> list[int]:
    """Frequencies of the words most like this one; then any."""
    words = shuffled(rules.frequencies_khz, rng)
    words.sort(key=lambda other: -sum(map(str.__eq__, word, other)))
    return [rules.frequencies_khz[each] for each in words]


def _tell(letters: str, rng: Stream) -> str:
    voice = rng.choice(_VOICES)
    return ", then ".join(_code(letter, voice) for letter in letters)


def _code(letter: str, voice: Sequence[str]) -> str:
    """A letter's signals as words, such as `short long`."""
    return " ".join(voice[signal == "-"] for signal in morse.ALPHABET[letter])


def _distance(one: str, other: str) -> tuple[int, str]:
    """How little alike two letters' codes are."""
    a, b = morse.ALPHABET[one], morse.ALPHABET[other]
    return sum(map(str.__ne__, a, b)) + abs(len(a) - len(b)), other if other != one else ""


def _mhz(khz: int) -> str:
    return f"3.{khz} MHz"
