"""Talking about the edges: what the expert asks, and what the defuser tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from polyathlon.envs.gptnt.bomb.casing import (
    BatteryHolder,
    Indicator,
    PortPlate,
    SerialNumber,
    Widget,
)
from polyathlon.envs.gptnt.bomb.expert.phrases import found, listed, sentences
from polyathlon.envs.gptnt.bomb.rulebook.facts import Indicator as Label
from polyathlon.envs.gptnt.bomb.rulebook.facts import Port

Fact: TypeAlias = Literal["serial", "batteries", "lit", "ports"]

QUESTIONS: dict[Fact, str] = {
    "serial": "What is the serial number on the edge of the bomb?",
    "batteries": "How many batteries are there on all edges together?",
    "lit": "Which indicators on the edges are lit?",
    "ports": "Which ports are there on the edges?",
}
FACTS: tuple[Fact, ...] = get_args(Fact)
LABELS: tuple[Label, ...] = get_args(Label)
PORTS: tuple[Port, ...] = get_args(Port)
_SERIAL = re.compile(r"\bserial number is ([A-Z0-9]{5}[0-9])\b")
_BATTERIES = re.compile(r"\b(\d{1,2}) batter(?:y|ies) in all\b")


class Untold(Exception):
    """A rule depends on what the defuser has not told yet."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(fact)
        self.fact = fact


class Hearsay:
    """The casing as far as it was told: it stands in for the rules' `CasingFacts`.

    A rule that asks for what was not told raises `Untold`; so only what matters is asked for.
    """

    def __init__(self) -> None:
        self._serial: str | None = None
        self._batteries: int | None = None
        self._lit: frozenset[Label] | None = None
        self._ports: frozenset[Port] | None = None

    @property
    def serial(self) -> str:
        if self._serial is None:
            raise Untold("serial")
        return self._serial

    @property
    def batteries(self) -> int:
        if self._batteries is None:
            raise Untold("batteries")
        return self._batteries

    @property
    def lit(self) -> frozenset[Label]:
        if self._lit is None:
            raise Untold("lit")
        return self._lit

    @property
    def ports(self) -> frozenset[Port]:
        if self._ports is None:
            raise Untold("ports")
        return self._ports

    def learn(self, text: str) -> bool:
        """Take in what a message tells about the edges; whether it tells anything."""
        told = [self._learn(sentence) for sentence in sentences(text)]
        return any(told)

    def _learn(self, sentence: str) -> bool:
        if serial := _SERIAL.search(sentence):
            self._serial = serial[1]
        elif batteries := _BATTERIES.search(sentence):
            self._batteries = int(batteries[1])
        elif "lit indicators" in sentence:
            self._lit = frozenset(found(LABELS, sentence))
        elif "ports on the edges" in sentence:
            self._ports = frozenset(found(PORTS, sentence))
        else:
            return False
        return True


def asked(text: str) -> frozenset[Fact]:
    """What a message asks about the edges."""
    return frozenset(fact for fact in FACTS if QUESTIONS[fact] in text)


def tell(seen: Sequence[SerialNumber | Widget], *, all_edges: bool) -> str:
    """What was seen on the edges: the serial number, and the rest once no edge is unseen."""
    serials = [item.value for item in seen if isinstance(item, SerialNumber)]
    told = [f"The serial number is {serial}." for serial in serials]
    if all_edges:
        batteries = sum(item.batteries for item in seen if isinstance(item, BatteryHolder))
        lit = [item.label for item in seen if isinstance(item, Indicator) and item.lit]
        ports = [port for item in seen if isinstance(item, PortPlate) for port in item.ports]
        told += [
            f"There {'is 1 battery' if batteries == 1 else f'are {batteries} batteries'} in all.",
            f"The lit indicators are {listed(lit)}." if lit else "There are no lit indicators.",
            f"The ports on the edges are {listed(dict.fromkeys(ports))}."
            if ports
            else "There are no ports on the edges.",
        ]
    return " ".join(told)
