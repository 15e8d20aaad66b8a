"""How rules are said, wherever they are printed."""

from __future__ import annotations

from collections.abc import Iterable

from polyathlon.envs.gptnt.bomb.rulebook.facts import (
    Batteries,
    CasingCondition,
    HasPort,
    Lit,
    SerialIs,
)

ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
    *("ninth", "tenth", "eleventh", "twelfth"),
)
CARDINALS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve"),
)
_SERIAL = {
    "odd": "the last digit of the serial number is odd",
    "even": "the last digit of the serial number is even",
    "vowel": "the serial number has a vowel",
    "letter_first": "the serial number starts with a letter",
}


def ordinal(place: int) -> str:
    """`first` for 1."""
    return ORDINALS[place - 1]


def condition(on_casing: CasingCondition) -> str:
    """A condition on the casing, to follow `if`."""
    match on_casing:
        case SerialIs(form):
            return _SERIAL[form]
        case Batteries(over):
            verb, noun = ("is", "battery") if over == 1 else ("are", "batteries")
            return f"there {verb} more than {CARDINALS[over]} {noun}"
        case Lit(label):
            return f"there is a lit indicator {label}"
        case HasPort(port):
            article = "an" if port.startswith("RJ") else "a"
            return f"there is {article} {port} port"


def sentence(conditions: Iterable[str], then: str) -> str:
    """A rule; one without conditions is for whatever is left."""
    joined = " and ".join(conditions)
    return f"If {joined}, {then}." if joined else f"Otherwise, {then}."


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]
