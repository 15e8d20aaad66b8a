"""What a Defuser tells about the edges of the bomb: serial number, batteries, indicators, ports."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.casing import LABELS, PORT_GROUPS, SERIAL_PATTERN
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts, Indicator, Port
from polyathlon.envs.gptnt.manual_vqa.items.wording import counted, series, shuffled

SERIAL, BATTERIES, INDICATORS, PORTS = "serial", "batteries", "indicators", "ports"
NEEDS = {
    SERIAL: "the serial number",
    BATTERIES: "the number of batteries",
    INDICATORS: "which indicators are lit",
    PORTS: "the ports",
}
_ALL_PORTS: tuple[Port, ...] = tuple(port for group in PORT_GROUPS for port in group)
_MOST_BATTERIES = 4


class Sides(msgspec.Struct, frozen=True):
    """The edges of a bomb, with the unlit indicators, which rules never ask for."""

    facts: CasingFacts
    unlit: tuple[Indicator, ...] = ()

    def without(self, hidden: Collection[str]) -> dict[str, JSON]:
        """The facts as data, less the hidden ones."""
        facts = self.facts
        told: dict[str, JSON] = {
            SERIAL: facts.serial,
            BATTERIES: facts.batteries,
            INDICATORS: sorted(facts.lit),
            PORTS: sorted(facts.ports),
        }
        return {name: value for name, value in told.items() if name not in hidden}


def draw(rng: Stream) -> Sides:
    """Up to four batteries, three indicators and three kinds of port, each number as likely."""
    labels = shuffled(LABELS, rng)
    lit, unlit = rng.below(3), rng.below(2)
    facts = CasingFacts(
        "".join(rng.choice(pool) for pool in SERIAL_PATTERN),
        rng.below(_MOST_BATTERIES + 1),
        frozenset(labels[:lit]),
        frozenset(shuffled(_ALL_PORTS, rng)[: rng.below(4)]),
    )
    return Sides(facts, tuple(labels[lit : lit + unlit]))


def tell(sides: Sides, rng: Stream, hidden: Collection[str] = ()) -> str:
    """The edges in words, in any order; nothing is said of what is hidden."""
    sentences = {
        SERIAL: tell_serial(sides.facts.serial, rng),
        BATTERIES: _batteries(sides.facts.batteries, rng),
        INDICATORS: " ".join(_indicators(sides)),
        PORTS: _ports(sorted(sides.facts.ports), rng),
    }
    return " ".join(shuffled([s for name, s in sentences.items() if name not in hidden], rng))


def tell_serial(serial: str, rng: Stream) -> str:
    """The serial number in words."""
    return rng.choice(
        (
            f"The serial number is {serial}.",
            f"Serial number {serial}.",
            f"On the red and white label it says {serial}.",
        )
    )


def _batteries(count: int, rng: Stream) -> str:
    words = counted(count, "battery")
    verb = "is" if count == 1 else "are"
    return rng.choice((f"I count {words} in all.", f"There {verb} {words} on the sides."))


def _indicators(sides: Sides) -> Iterator[str]:
    lit = sorted(sides.facts.lit)
    if lit:
        yield f"Lit: {series(lit)}."
    else:
        yield "No indicator is lit."
    if sides.unlit:
        yield f"The lamp beside {series(sides.unlit)} is dark."


def _ports(ports: list[Port], rng: Stream) -> str:
    if not ports:
        return rng.choice(("No ports anywhere.", "I find no ports."))
    return rng.choice((f"Ports: {series(ports)}.", f"I can see these ports: {series(ports)}."))
