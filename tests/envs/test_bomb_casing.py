"""The bomb's casing: pools, probabilities, derived facts, and streams that do not shift."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.casing import (
    LABELS,
    MOUNTS,
    BatteryHolder,
    Casing,
    Indicator,
    PortPlate,
    SerialNumber,
    draw_casing,
)

SEED = st.integers(0, 1 << 40)
COUNT = st.integers(0, 11)
SERIAL = re.compile(r"[A-NP-XZ0-9]{2}[0-9][A-NP-XZ]{2}[0-9]")
MANY = [draw_casing(seed) for seed in range(1_500)]
WIDGETS = [widget for casing in MANY for widget in casing.widgets]


def casing(serial: str, *widgets: BatteryHolder | Indicator | PortPlate) -> Casing:
    return Casing(SerialNumber(serial), widgets, MOUNTS[: len(widgets) + 1])


@given(SEED, COUNT)
def test_a_casing_is_what_the_game_allows(seed: int, count: int) -> None:
    drawn = draw_casing(seed, count)
    assert SERIAL.fullmatch(drawn.serial.value)
    assert len(drawn.widgets) == count
    assert len(set(drawn.mounts)) == count + 1
    labels = [w.label for w in drawn.widgets if isinstance(w, Indicator)]
    assert len(set(labels)) == len(labels)
    assert drawn.lit <= set(labels)
    assert drawn == draw_casing(seed, count)


@given(SEED, COUNT)
def test_more_widgets_leave_the_others_as_they_are(seed: int, count: int) -> None:
    few, all_ = draw_casing(seed, count), draw_casing(seed, 11)
    assert few.serial == all_.serial
    assert few.widgets == all_.widgets[:count]
    assert few.mounts == all_.mounts[: count + 1]


@pytest.mark.parametrize("count", [-1, 12])
def test_the_edges_have_room_for_eleven_widgets(count: int) -> None:
    with pytest.raises(UserError, match="0 to 11"):
        draw_casing(1, count)


def share(hits: int, of: int, expected: float) -> None:
    """Within four standard errors of a rate."""
    assert abs(hits / of - expected) < 4 * (expected * (1 - expected) / of) ** 0.5


def test_kinds_are_equally_likely() -> None:
    kinds = Counter(type(widget) for widget in WIDGETS)
    for kind in (BatteryHolder, Indicator, PortPlate):
        share(kinds[kind], len(WIDGETS), 1 / 3)


def test_holders_have_one_or_two_batteries_alike() -> None:
    holders = [w for w in WIDGETS if isinstance(w, BatteryHolder)]
    assert {(w.cell, w.batteries) for w in holders} == {("D", 1), ("AA", 2)}
    share(sum(w.batteries == 2 for w in holders), len(holders), 0.5)


def test_indicators_are_lit_in_three_of_five_cases() -> None:
    indicators = [w for w in WIDGETS if isinstance(w, Indicator)]
    share(sum(w.lit for w in indicators), len(indicators), 0.6)
    for label in LABELS:
        share(sum(w.label == label for w in indicators), len(indicators), 1 / 11)


def test_ports_come_from_one_group_and_each_is_there_half_the_time() -> None:
    groups = ({"Parallel", "Serial"}, {"DVI-D", "PS/2", "RJ-45", "Stereo RCA"})
    plates = [w for w in WIDGETS if isinstance(w, PortPlate)]
    assert all(any(group.issuperset(plate.ports) for group in groups) for plate in plates)
    for port in ("Parallel", "Serial", "DVI-D", "PS/2", "RJ-45", "Stereo RCA"):
        share(sum(port in plate.ports for plate in plates), len(plates), 0.25)
    share(sum(not plate.ports for plate in plates), len(plates), (0.25 + 0.0625) / 2)


def test_serial_numbers_draw_e_twice_as_often() -> None:
    letters = [letter for c in MANY for letter in c.serial.value[3:5]]
    share(letters.count("E"), len(letters), 2 / 25)
    share(letters.count("A"), len(letters), 1 / 25)
    first = [c.serial.value[0] for c in MANY]
    share(sum(char.isdigit() for char in first), len(first), 10 / 35)
    share(sum(c.odd for c in MANY), len(MANY), 0.5)


def test_every_edge_is_used_alike() -> None:
    edges = Counter(mount.edge for c in MANY for mount in c.mounts)
    assert set(edges) == {"left", "right", "top", "bottom"}
    assert max(edges.values()) < 1.1 * min(edges.values())


def test_derived_facts() -> None:
    made = casing(
        "BW1RV5",
        BatteryHolder("AA"),
        BatteryHolder("D"),
        Indicator("FRK", lit=True),
        Indicator("CAR", lit=False),
        PortPlate(("DVI-D", "PS/2")),
        PortPlate(("Parallel",)),
        PortPlate(()),
    )
    assert (made.last_digit, made.odd, made.vowel) == (5, True, False)
    assert made.batteries == 3
    assert made.lit == {"FRK"}
    assert made.ports == {"DVI-D", "PS/2", "Parallel"}


def test_a_vowel_and_an_even_digit() -> None:
    made = casing("0U1RV4")
    assert (made.last_digit, made.odd, made.vowel) == (4, False, True)
    assert (made.batteries, made.lit, made.ports) == (0, frozenset(), frozenset())


def test_the_export_names_every_widget() -> None:
    made = casing("BW1RV5", BatteryHolder("AA"), Indicator("FRK", lit=True), PortPlate(("PS/2",)))
    assert made.export() == [
        {"side": "left", "place": 0, "kind": "serial_number", "value": "BW1RV5"},
        {"side": "left", "place": 1, "kind": "battery_holder", "type": "AA", "batteries": 2},
        {"side": "left", "place": 2, "kind": "indicator", "label": "FRK", "lit": True},
        {"side": "right", "place": 0, "kind": "port_plate", "ports": ("PS/2",)},
    ]
