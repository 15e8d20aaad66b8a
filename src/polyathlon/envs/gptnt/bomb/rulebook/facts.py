"""What the bomb's casing says, and the conditions that rules put on it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

Port: TypeAlias = Literal["Parallel", "Serial", "DVI-D", "PS/2", "RJ-45", "Stereo RCA"]
Indicator: TypeAlias = Literal[
    "SND", "CLR", "CAR", "IND", "FRQ", "SIG", "NSA", "MSA", "TRN", "BOB", "FRK"
]

VOWELS = frozenset("AEIOU")


class CasingFacts(Struct, frozen=True):
    """The widgets of a bomb as far as rules can ask for them.

    `serial` is six upper-case characters, the last one a digit; `batteries` is the number of
    cells, not of holders; `lit` holds the labels of the lit indicators only.
    """

    serial: str
    batteries: int = 0
    lit: frozenset[Indicator] = frozenset()
    ports: frozenset[Port] = frozenset()


class SerialIs(Struct, frozen=True, tag="serial"):
    """The serial number's last digit is odd or even, it has a vowel, or it starts with a letter."""

    form: Literal["odd", "even", "vowel", "letter_first"]


class Batteries(Struct, frozen=True, tag="batteries"):
    """There are more than `over` batteries."""

    over: int


class Lit(Struct, frozen=True, tag="lit"):
    """There is a lit indicator with this label."""

    label: Indicator


class HasPort(Struct, frozen=True, tag="port"):
    """There is at least one port of this kind."""

    port: Port


CasingCondition: TypeAlias = SerialIs | Batteries | Lit | HasPort


def holds(condition: CasingCondition, facts: CasingFacts) -> bool:
    """Whether the casing fulfils the condition."""
    match condition:
        case SerialIs(form):
            return _serial_is(form, facts.serial)
        case Batteries(over):
            return facts.batteries > over
        case Lit(label):
            return label in facts.lit
        case HasPort(port):
            return port in facts.ports


def _serial_is(form: str, serial: str) -> bool:
    if form == "vowel":
        return not VOWELS.isdisjoint(serial)
    if form == "letter_first":
        return serial[0].isalpha()
    odd = int(serial[-1]) % 2 == 1
    return odd if form == "odd" else not odd
