"""Needy modules: they wake by themselves, want attention, and never keep a bomb from being done."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.envs.bomb_by_hand import answered, later, lit, opened, state, tapped

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.bomb import (
    Bomb,
    Hold,
    Release,
    acted,
    advanced,
    fitted,
)
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.missions import NEEDY, MissionSpec
from polyathlon.envs.gptnt.bomb.modules.build import Needy
from polyathlon.envs.gptnt.bomb.modules.discharge import DRAIN, FULL_US, DischargeModule
from polyathlon.envs.gptnt.bomb.modules.knob import ANSWER_US, POSITIONS, KnobModule, table
from polyathlon.envs.gptnt.bomb.modules.vent import QUESTIONS, VentModule

SEEDS = range(12)


def asleep(kind: str, seed: int = 0, **options: Any) -> Bomb:
    """A bomb with wires and a needy module, zoomed into the latter at 3 s."""
    return opened(lit("Wires", seed=seed, needy=(kind,), back_placement=False, **options), "m2")


def needy(bomb: Bomb) -> Needy:
    module = fitted(bomb, "m2").module
    assert isinstance(module, Needy)
    return module


def due(bomb: Bomb) -> Bomb:
    """The bomb at the moment when its needy module does something by itself."""
    return advanced(bomb, needy(bomb).due_us)


def charge(bomb: Bomb) -> float:
    level: float = state(bomb)["runtime"]["charge"]
    return level


def strikes(bomb: Bomb) -> list[int]:
    return [strike.time_us for strike in bomb.strikes]


@pytest.mark.parametrize("kind", list(NEEDY))
def test_sleeps_and_wakes_without_being_looked_at(kind: str) -> None:
    sleeps = set()
    for seed in SEEDS:
        bomb = asleep(kind, seed)
        assert not state(bomb)["runtime"]["awake"]
        wakes_us = needy(bomb).due_us
        assert 20 * SECOND_US <= wakes_us <= 40 * SECOND_US
        sleeps.add(wakes_us)
        assert not state(advanced(bomb, wakes_us - 1))["runtime"]["awake"]
        awake = due(bomb)
        assert state(awake)["runtime"]["awake"]
        assert strikes(awake) == []
        looked_away = lit("Wires", seed=seed, needy=(kind,), back_placement=False)
        assert fitted(advanced(looked_away, wakes_us), "m2").module == needy(awake)
    assert len(sleeps) > 5


@pytest.mark.parametrize("kind", list(NEEDY))
def test_neglect_is_one_strike_a_time(kind: str) -> None:
    for seed in SEEDS:
        bomb = asleep(kind, seed, time_limit_s=10_000)
        for mistakes in range(1, 4):
            bomb = due(bomb)
            asked_us = bomb.time_us
            bomb = due(bomb)
            if kind == "Knob" and len(bomb.strikes) < mistakes:
                break  # the dial pointed the right way by itself
            assert strikes(bomb)[-1] - asked_us == (FULL_US if kind == "Discharge" else ANSWER_US)
            assert len(bomb.strikes) == mistakes
            assert not state(bomb)["runtime"]["awake"]
            assert 20 * SECOND_US <= needy(bomb).due_us - bomb.time_us <= 40 * SECOND_US
        assert fitted(bomb, "m2").solved_us is None


def test_neglect_ends_the_bomb_before_its_time() -> None:
    bomb = advanced(asleep("Vent", strike_limit=2, time_limit_s=1000), 10**10)
    assert bomb.phase == "exploded_strikes"
    assert bomb.time_us == strikes(bomb)[-1] < 200 * SECOND_US


def test_a_bomb_is_solved_without_its_needy_modules() -> None:
    bomb = lit("Wires", needy=tuple(NEEDY), back_placement=False)
    *_, last = answered(opened(bomb))
    assert last.bomb.phase == "solved"


@pytest.mark.parametrize("right", [True, False])
def test_a_vent_wants_its_answer(right: bool) -> None:
    asked = set()
    for seed in SEEDS:
        bomb = asleep("Vent", seed)
        assert tapped(bomb, "yes").verdict == tapped(bomb, "no").verdict == "nothing"
        bomb = later(due(bomb))
        module = needy(bomb)
        assert isinstance(module, VentModule)
        assert module.question is not None
        asked.add(module.question)
        answer = QUESTIONS[module.question]
        reaction = tapped(bomb, answer if right else {"yes": "no", "no": "yes"}[answer])
        assert reaction.verdict == ("done" if right else "strike")
        assert not state(reaction.bomb)["runtime"]["awake"]
        assert needy(reaction.bomb).due_us > bomb.time_us
    assert asked == set(QUESTIONS)


def test_a_held_lever_empties_the_capacitor() -> None:
    bomb = asleep("Discharge")
    assert tapped(bomb, "lever").verdict == "nothing"
    awake = later(due(bomb), 24)
    assert charge(awake) == pytest.approx(24 / 45, abs=1e-6)
    held = acted(awake, Hold("m2/lever")).bomb
    assert held.grip.held == "m2/lever"
    assert charge(later(held, 1)) == pytest.approx((24 - DRAIN) / 45, abs=1e-6)
    half = acted(later(held, 1), Release()).bomb
    assert charge(later(half, 5)) == pytest.approx((24 - DRAIN + 5) / 45, abs=1e-6)
    assert needy(half).due_us == half.time_us + (45 - 24 + DRAIN) * SECOND_US
    empty = due(held)
    assert empty.time_us == held.time_us + 3 * SECOND_US + 1
    assert (state(empty)["runtime"]["awake"], strikes(empty)) == (False, [])
    released = acted(later(empty), Release()).bomb
    assert state(released)["runtime"] == {
        "solved": False,
        "awake": False,
        "charge": 0.0,
        "held": False,
    }


def test_a_lever_held_all_the_time_keeps_the_capacitor_empty() -> None:
    bomb = acted(asleep("Discharge"), Hold("m2/lever")).bomb
    end = advanced(bomb, 3000 * SECOND_US)
    assert (end.phase, strikes(end)) == ("lights_on", [])
    module = needy(end)
    assert isinstance(module, DischargeModule)
    assert module.draws > 70


@given(st.lists(st.integers(0, 9_000_000), min_size=1, max_size=12), st.integers(0, 99))
def test_a_charge_is_never_below_empty_or_above_full(waits: list[int], seed: int) -> None:
    bomb = due(asleep("Discharge", seed))
    for number, wait_us in enumerate(waits):
        bomb = advanced(bomb, bomb.time_us + wait_us)
        module = needy(bomb)
        assert isinstance(module, DischargeModule)
        assert 0 <= module.level(bomb.time_us) <= 1
        assert module.due_us > bomb.time_us
        bomb = acted(bomb, Release() if number % 2 else Hold("m2/lever")).bomb


def test_a_knob_wants_the_position_of_its_lights() -> None:
    seen = set()
    for seed in SEEDS:
        for rule_seed in (0, 1):
            bomb = asleep("Knob", seed, rule_seed=rule_seed)
            bomb = due(bomb)
            module = needy(bomb)
            assert isinstance(module, KnobModule)
            assert module.leds is not None
            asked = table(rule_seed)[module.leds]
            for quarters in range(4):
                at_last = due(bomb)
                right = POSITIONS[quarters] == asked
                assert strikes(at_last) == ([] if right else [at_last.time_us])
                seen.add((asked, right))
                assert state(bomb)["runtime"]["position"] == POSITIONS[quarters]
                bomb = later(tapped(bomb, "dial").bomb, 1)
    assert len(seen) == 8


@pytest.mark.parametrize("rule_seed", range(30))
def test_knob_tables_tell_eight_patterns_apart(rule_seed: int) -> None:
    asked = table(rule_seed)
    assert sorted(asked.values()) == sorted(POSITIONS * 2)
    assert all(len(leds) == 12 for leds in asked)
    assert min(sum(map(bool.__ne__, *pair)) for pair in combinations(asked, 2)) >= 3
    assert asked == table(rule_seed)


def test_knob_tables_differ_by_rules() -> None:
    assert len({frozenset(table(rule_seed)) for rule_seed in range(30)}) == 30


def test_needy_modules_of_a_kind_wake_apart_and_events_come_in_order() -> None:
    bomb = lit("Wires", needy=("Vent",) * 5 + ("Knob",) * 5, strike_limit=999, time_limit_s=2000)
    modules = [found.module for found in bomb.modules if isinstance(found.module, Needy)]
    assert len({module.due_us for module in modules}) > 5
    end = advanced(bomb, 10**12)
    assert end.phase == "exploded_time"
    assert len(end.strikes) > 30
    assert all(one <= other for one, other in pairwise(strikes(end)))
    assert end.time_us == end.clock.explodes_us()


def test_needy_modules_leave_the_puzzles_alone() -> None:
    alone, together = lit("Wires", "Maze"), lit("Wires", "Maze", needy=tuple(NEEDY))
    exported: Any = export(together)["modules"]
    assert [found["id"] for found in exported] == ["m1", "m2", "m3", "m4", "m5"]
    assert [found["type"] for found in exported[2:]] == list(NEEDY)
    puzzles: Any = export(alone)["modules"]
    assert [m["config"] for m in exported[:2]] == [m["config"] for m in puzzles]


def test_missions_check_their_needy_modules() -> None:
    with pytest.raises(UserError, match="unknown needy module type 'Vend': did you mean Vent"):
        MissionSpec("x", 1, 60, ("Wires",), needy=("Vend",))
    with pytest.raises(UserError, match="not 6"):
        MissionSpec("x", 1, 60, ("Wires",) * 3, needy=tuple(NEEDY))
    with pytest.raises(UserError, match="at least one puzzle"):
        MissionSpec("x", 1, 60, (), needy=tuple(NEEDY))
    assert MissionSpec("x", 1, 60, ("Wires",) * 8, back_placement=True, needy=tuple(NEEDY)).needy
