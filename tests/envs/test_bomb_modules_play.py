"""Every kind of module played by the rules: solved without a strike, in the actions allowed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.envs.bomb_by_hand import answered, later, lit, opened, state

from polyathlon.envs.gptnt.bomb.bomb import (
    Bomb,
    Click,
    Hold,
    Release,
    ZoomOut,
    acted,
    advanced,
    elements,
    fitted,
)
from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.rulebook import button
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

TAPPED = sorted(set(MODULES) - {"Button"})


@pytest.mark.parametrize("kind", TAPPED)
@pytest.mark.parametrize("rule_seed", [0, 1, 2])
def test_the_answers_of_the_rules_solve(kind: str, rule_seed: int) -> None:
    for seed in range(12):
        *before, last = answered(opened(lit(kind, seed=seed, rule_seed=rule_seed)))
        assert {reaction.verdict for reaction in before} <= {"done"}
        assert (last.verdict, last.bomb.phase, last.bomb.strikes) == ("solved", "solved", ())
        if rule_seed == 0:  # other rules may have more than 12 cuts or other words
            assert len(before) < MODULES[kind].max_actions


@pytest.mark.slow
@pytest.mark.parametrize("rule_seed", range(3, 103))
def test_other_rule_books_can_be_played(rule_seed: int) -> None:
    for kind in TAPPED:
        *_, last = answered(opened(lit(kind, seed=rule_seed, rule_seed=rule_seed)))
        assert (last.bomb.phase, last.bomb.strikes) == ("solved", ())
    assert defused(opened(lit("Button", seed=rule_seed, rule_seed=rule_seed))) in ("tap", "hold")


@pytest.mark.parametrize("rule_seed", [0, 1, 2])
def test_a_button_is_tapped_or_held_to_its_digit(rule_seed: int) -> None:
    done = {defused(opened(lit("Button", seed=seed, rule_seed=rule_seed))) for seed in range(24)}
    assert done == {"tap", "hold"}


def defused(bomb: Bomb) -> str:
    rules = book(bomb.plan.rule_seed).button
    config = state(bomb)["config"]
    cap = button.Button(config["colour"], config["label"])
    do = button.to_do(rules, cap, bomb.plan.casing.facts)
    if do == "tap":
        assert acted(bomb, Click("m1/button")).verdict == "solved"
        return do
    held = acted(bomb, Hold("m1/button"))
    assert (held.verdict, held.bomb.grip.held) == ("done", "m1/button")
    digit = button.release_digit(rules, state(held.bomb)["runtime"]["strip_colour"])
    shown_us = held.bomb.clock.next_showing(digit, held.bomb.time_us)
    assert shown_us is not None
    ready = advanced(held.bomb, shown_us)
    assert fitted(ready, "m1").solved_us is None
    assert acted(ready, Release()).bomb.phase == "solved"
    return do


def test_a_bomb_is_defused_when_its_last_puzzle_is() -> None:
    bomb = lit(*TAPPED, seed=5)
    for number in range(1, len(TAPPED) + 1):
        assert bomb.phase == "lights_on"
        *_, last = answered(opened(bomb, f"m{number}"))
        bomb = acted(last.bomb, ZoomOut()).bomb
    assert (bomb.phase, bomb.strikes, elements(bomb)) == ("solved", (), ())
    assert later(bomb) is bomb
    timer: Any = export(bomb)["timer"]
    assert not timer["running"]


@pytest.mark.parametrize("kind", TAPPED)
def test_a_solved_module_can_be_looked_at_and_no_more(kind: str) -> None:
    bomb = opened(lit("Wires" if kind != "Wires" else "Memory", kind, seed=1), "m2")
    *_, last = answered(bomb)
    solved = last.bomb
    module = fitted(solved, "m2").module
    assert (elements(solved), fitted(solved, "m2").solved_us) == ((), solved.time_us)
    for part in (*module.parts(), *fitted(bomb, "m2").module.parts()):
        for act in (Click(f"m2/{part}"), Hold(f"m2/{part}")):
            assert acted(later(solved), act).verdict == "nothing"
    again = opened(later(acted(solved, ZoomOut()).bomb), "m2")
    assert (again.grip.zoomed, elements(again)) == ("m2", ())
    assert fitted(again, "m2").module == module
