"""The casing: serial number and widgets on the four edges, and what the rules read from them.

Kinds, pools and probabilities are those of the game: batteries, indicators, ports, serial pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.rulebook.facts import VOWELS, CasingFacts, Port
from polyathlon.envs.gptnt.bomb.rulebook.facts import Indicator as Label

Edge: TypeAlias = Literal["left", "right", "top", "bottom"]
Cell: TypeAlias = Literal["D", "AA"]

EDGES: tuple[Edge, ...] = get_args(Edge)
PLACES_PER_EDGE = 3
MAX_WIDGETS = len(EDGES) * PLACES_PER_EDGE - 1  # one place is the serial number's

BATTERIES: dict[Cell, int] = {"D": 1, "AA": 2}
LABELS: tuple[Label, ...] = get_args(Label)
LIT_RATE = 0.6
PORT_GROUPS: tuple[tuple[Port, ...], ...] = (
    ("Parallel", "Serial"),
    ("DVI-D", "PS/2", "RJ-45", "Stereo RCA"),
)
PORT_RATE = 0.5
DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNEPQRSTUVWXZ"  # no O, no Y; E twice
SERIAL_PATTERN = (LETTERS + DIGITS, LETTERS + DIGITS, DIGITS, LETTERS, LETTERS, DIGITS)


class BatteryHolder(msgspec.Struct, frozen=True):
    """One D cell or two AA cells."""

    cell: Cell

    @property
    def batteries(self) -> int:
        """How many cells it holds: 1 or 2."""
        return BATTERIES[self.cell]

    def facts(self) -> dict[str, JSON]:
        """What it is, for the state export."""
        return {"kind": "battery_holder", "type": self.cell, "batteries": self.batteries}


class Indicator(msgspec.Struct, frozen=True):
    """A label of three letters beside a lamp."""

    label: Label
    lit: bool

    def facts(self) -> dict[str, JSON]:
        """What it is, for the state export."""
        return {"kind": "indicator", "label": self.label, "lit": self.lit}


class PortPlate(msgspec.Struct, frozen=True):
    """A plate with any of the ports of one group, perhaps none."""

    ports: tuple[Port, ...]

    def facts(self) -> dict[str, JSON]:
        """What it is, for the state export."""
        return {"kind": "port_plate", "ports": self.ports}


class SerialNumber(msgspec.Struct, frozen=True):
    """Six characters: two letters or digits, a digit, two letters, a digit."""

    value: str

    def facts(self) -> dict[str, JSON]:
        """What it is, for the state export."""
        return {"kind": "serial_number", "value": self.value}


Widget: TypeAlias = BatteryHolder | Indicator | PortPlate


class Mount(msgspec.Struct, frozen=True, order=True):
    """Where a widget sits: an edge and one of its places, 0 to 2 from left to right as the edge
    is looked at upright."""

    edge: Edge
    place: int


MOUNTS = tuple(Mount(edge, place) for edge in EDGES for place in range(PLACES_PER_EDGE))


class Casing(msgspec.Struct, frozen=True):
    """A serial number and up to 11 widgets; `mounts[0]` is the serial number's place and
    `mounts[i + 1]` that of `widgets[i]`."""

    serial: SerialNumber
    widgets: tuple[Widget, ...]
    mounts: tuple[Mount, ...]

    @property
    def last_digit(self) -> int:
        """The last character of the serial number, 0 to 9."""
        return int(self.serial.value[-1])

    @property
    def odd(self) -> bool:
        """Whether the last digit of the serial number is odd."""
        return self.last_digit % 2 == 1

    @property
    def vowel(self) -> bool:
        """Whether the serial number has one of A, E, I, O, U."""
        return not VOWELS.isdisjoint(self.serial.value)

    @property
    def batteries(self) -> int:
        """The batteries of all holders together."""
        return sum(w.batteries for w in self.widgets if isinstance(w, BatteryHolder))

    @property
    def lit(self) -> frozenset[Label]:
        """The labels of the lit indicators."""
        return frozenset(w.label for w in self.widgets if isinstance(w, Indicator) and w.lit)

    @property
    def ports(self) -> frozenset[Port]:
        """The kinds of port on any plate."""
        return frozenset(p for w in self.widgets if isinstance(w, PortPlate) for p in w.ports)

    @property
    def facts(self) -> CasingFacts:
        """What the rules may ask of the casing."""
        return CasingFacts(self.serial.value, self.batteries, self.lit, self.ports)

    def mounted(self) -> Iterator[tuple[Mount, SerialNumber | Widget]]:
        """The serial number and every widget with its place."""
        return zip(self.mounts, (self.serial, *self.widgets), strict=True)

    def export(self) -> list[dict[str, JSON]]:
        """The widgets as the state export lists them: side, place, kind and what the kind has."""
        return [
            {"side": mount.edge, "place": mount.place, **widget.facts()}
            for mount, widget in self.mounted()
        ]


def draw_casing(seed: int, widgets: int = 5) -> Casing:
    """The casing of a bomb: one serial number and `widgets` (0 to 11) others.

    Serial number, widgets and places have a stream each, and a casing with more widgets begins
    with those of a smaller one.
    """
    check_widgets(widgets)
    mounts = list(MOUNTS)
    stream(seed, "gptnt/defusal", "mounts").shuffle(mounts)
    return Casing(
        serial=_serial_number(stream(seed, "gptnt/defusal", "serial")),
        widgets=_widgets(stream(seed, "gptnt/defusal", "widgets"), widgets),
        mounts=tuple(mounts[: widgets + 1]),
    )


def check_widgets(count: int) -> None:
    """Raises UserError unless the edges have room for `count` widgets."""
    if not 0 <= count <= MAX_WIDGETS:
        raise UserError(f"a bomb has room for 0 to {MAX_WIDGETS} widgets: not for {count}")


def _serial_number(rng: Stream) -> SerialNumber:
    return SerialNumber("".join(rng.choice(pool) for pool in SERIAL_PATTERN))


def _widgets(rng: Stream, count: int) -> tuple[Widget, ...]:
    widgets: list[Widget] = []
    for _ in range(count):
        widgets.append(_widget(rng, widgets))
    return tuple(widgets)


def _widget(rng: Stream, earlier: Sequence[Widget]) -> Widget:
    kind = rng.below(3)
    if kind == 0:
        return BatteryHolder(rng.choice(tuple(BATTERIES)))
    if kind == 1:
        used = {w.label for w in earlier if isinstance(w, Indicator)}
        label = rng.choice([label for label in LABELS if label not in used])
        return Indicator(label, rng.uniform() < LIT_RATE)
    group = rng.choice(PORT_GROUPS)
    return PortPlate(tuple(port for port in group if rng.uniform() < PORT_RATE))
