"""Modules in slots: the timer's face, both faces, room, and independence of one another."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.layout import (
    FREE_SLOTS,
    FRONT_SLOTS,
    SLOTS,
    TIMER_SLOT,
    Slot,
    arrange,
    instances,
    module_stream,
)

SEED = st.integers(0, 1 << 40)
OTHERS = st.sampled_from(["Wires", "Maze", "Memory", "Passwords"])
FRONT = st.lists(OTHERS | st.just("Button"), min_size=1, max_size=5)
BOTH = st.tuples(st.lists(st.just("Button"), max_size=5), st.lists(OTHERS, max_size=6)).flatmap(
    lambda parts: st.permutations([*parts[0], *parts[1]] or ["Wires"])
)


def faces(seed: int, types: list[str], back: bool = True) -> set[str]:
    return {placed.slot.face for placed in arrange(seed, types, back=back).modules}


def test_two_faces_of_two_by_three_and_a_timer_at_the_top_middle() -> None:
    assert Counter(slot.face for slot in SLOTS) == {"front": 6, "back": 6}
    assert {(slot.row, slot.col) for slot in SLOTS} == {(r, c) for r in (0, 1) for c in (0, 1, 2)}
    assert Slot("front", 0, 1) == TIMER_SLOT
    assert (len(FREE_SLOTS), len(FRONT_SLOTS)) == (11, 5)


@given(SEED, FRONT)
def test_without_the_back_all_sit_on_the_front(seed: int, types: list[str]) -> None:
    placed = arrange(seed, types, back=False).modules
    assert [module.type for module in placed] == types
    assert len({module.slot for module in placed}) == len(types)
    assert {module.slot for module in placed} <= set(FRONT_SLOTS)


@given(SEED, BOTH)
def test_with_the_back_both_faces_are_used_and_buttons_see_the_timer(
    seed: int, types: list[str]
) -> None:
    layout = arrange(seed, types, back=True)
    assert len({module.slot for module in layout.modules}) == len(types)
    assert TIMER_SLOT not in {module.slot for module in layout.modules}
    assert all(m.slot.face == "front" for m in layout.modules if m.type == "Button")
    if len(types) > 1 and set(types) != {"Button"}:
        assert {module.slot.face for module in layout.modules} == {"front", "back"}
    assert layout == arrange(seed, types, back=True)


@given(SEED, BOTH)
def test_the_rest_is_covered(seed: int, types: list[str]) -> None:
    layout = arrange(seed, types, back=True)
    held = layout.types()
    assert tuple(held) == SLOTS
    assert held[TIMER_SLOT] == "Timer"
    assert Counter(held.values()) - Counter(types) == Counter(Timer=1, Empty=11 - len(types))
    for module in layout.modules:
        assert layout.at(module.slot) is module
        assert held[module.slot] == module.type
    assert layout.at(TIMER_SLOT) is None


def test_ids_and_instances_follow_the_mission() -> None:
    types = ["Wires", "Maze", "Wires", "Button", "Wires"]
    placed = arrange(3, types, back=True).modules
    assert [module.id for module in placed] == ["m1", "m2", "m3", "m4", "m5"]
    assert [module.instance for module in placed] == [0, 0, 1, 0, 2]
    assert instances(types)[2] == ("Wires", 1)


def test_every_slot_is_as_likely() -> None:
    single = Counter(arrange(seed, ["Maze"], back=True).modules[0].slot for seed in range(2_200))
    assert set(single) == set(FREE_SLOTS)
    assert all(140 < count < 260 for count in single.values())
    front = Counter(arrange(seed, ["Button"], back=True).modules[0].slot for seed in range(1_000))
    assert set(front) == set(FRONT_SLOTS)
    assert all(140 < count < 260 for count in front.values())


def test_a_module_keeps_its_stream_whatever_else_is_there() -> None:
    alone = arrange(337, ["Maze"], back=False).modules[0]
    among = arrange(337, ["Wires", "Button", "Maze"], back=True).modules[2]
    draws = [
        module_stream(337, module.type, module.instance, "config").word()
        for module in (alone, among)
    ]
    assert draws[0] == draws[1]


def test_streams_differ_by_seed_type_instance_and_purpose() -> None:
    keys = [
        (seed, kind, instance, purpose)
        for seed in (1, 2)
        for kind in ("Wires", "Maze")
        for instance in (0, 1)
        for purpose in ("config", "runtime")
    ]
    assert len({module_stream(*key).word() for key in keys}) == len(keys)


@pytest.mark.parametrize(
    ("types", "back", "words"),
    [
        (["Wires"] * 6, False, "1 to 5 modules on the front"),
        (["Wires"] * 12, True, "1 to 11 modules"),
        ([], True, "1 to 11 modules"),
        (["Button"] * 6, True, "at most 5 of Button"),
    ],
)
def test_no_room(types: list[str], back: bool, words: str) -> None:
    with pytest.raises(UserError, match=words):
        arrange(1, types, back=back)


def test_buttons_alone_may_leave_the_back_empty() -> None:
    assert faces(1, ["Button"] * 5) == {"front"}
    assert faces(1, ["Wires"] * 2) == {"front", "back"}
    assert faces(1, ["Wires"] * 2, back=False) == {"front"}
