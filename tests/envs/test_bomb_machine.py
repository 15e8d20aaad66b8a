"""The bomb as a whole: lights, view, hands, time, strikes, ends, export; and what never breaks."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.envs.bomb_by_hand import answered, later, lit, opened, tapped, tried

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.bomb import (
    OVER,
    Act,
    Bomb,
    Click,
    Hold,
    Release,
    TurnBomb,
    ZoomOut,
    acted,
    advanced,
    build,
    elements,
    fitted,
    lights_on,
)
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.missions import MODULES, NEEDY, MissionSpec
from polyathlon.envs.gptnt.bomb.poses import TURNS

KINDS = tuple(MODULES)
NOTHING: tuple[Act, ...] = (Click("m1"), Hold("m1"), Release(), ZoomOut(), TurnBomb("flip"))

SEED = st.integers(0, 1 << 32)
WAITS = st.just(0) | st.integers(0, 9_000_000)
STEPS = st.lists(st.tuples(WAITS, st.integers(0, 1 << 16)), min_size=5, max_size=40)


def spec(seed: int, **options: Any) -> MissionSpec:
    common: dict[str, Any] = {"modules": KINDS[seed % 6 :], "time_limit_s": 90}
    return MissionSpec("test", seed, back_placement=True, **common | options)


def possible(bomb: Bomb) -> list[Act]:
    """Acts worth trying now: most of them press something."""
    pressed: list[Act] = [make(e) for make in (Click, Click, Hold) for e in elements(bomb)]
    moves: list[Act] = [TurnBomb(turn) for turn in TURNS]
    return [*pressed, *moves, ZoomOut(), Release(), Click("m1"), Hold("m2/button"), Click("m99/x")]


def played(bomb: Bomb, steps: list[tuple[int, int]]) -> list[tuple[int, Act, Bomb]]:
    """A game of random acts: each with its time and the bomb after it."""
    game = []
    for wait_us, choice in steps:
        bomb = advanced(bomb, bomb.time_us + wait_us) if wait_us else bomb
        acts = possible(bomb)
        act = acts[choice % len(acts)]
        game.append((bomb.time_us, act, bomb := acted(bomb, act).bomb))
    return game


@given(SEED, STEPS, st.booleans())
def test_nothing_ever_breaks(seed: int, steps: list[tuple[int, int]], needy: bool) -> None:
    options = {"modules": KINDS[:8], "needy": tuple(NEEDY)} if needy else {}
    start = lights_on(build(spec(seed, **options), rule_seed=seed % 3))
    bombs = [start, *(bomb for _, _, bomb in played(start, steps))]
    configs = export(start, runtime=False)
    for before, after in pairwise(bombs):
        assert before.time_us <= after.time_us
        assert len(before.strikes) <= len(after.strikes) <= 3
        assert after.strikes[: len(before.strikes)] == before.strikes
        assert after.clock.strikes_us == tuple(strike.time_us for strike in after.strikes)
        assert (len(after.strikes) == 3) == (after.phase == "exploded_strikes")
        assert after.clock.expired(after.time_us) == (after.phase == "exploded_time")
        for old, new in zip(before.modules, after.modules, strict=True):
            assert old.placed == new.placed
            assert old.solved_us in (None, new.solved_us)
            assert old.solved_us is None or old.module == new.module
        named = elements(after)
        assert len(set(named)) == len(named)
        ids = {found.placed.id for found in after.modules}
        assert {name.partition("/")[0] for name in named} <= ids
        assert not named or after.phase == "lights_on"
    last = bombs[-1]
    assert export(last, runtime=False) == configs
    assert json.loads(json.dumps(export(last))) == export(last)
    assert pickle.loads(pickle.dumps(last)) == last
    assert hash(last) == hash(pickle.loads(pickle.dumps(last)))


@given(SEED, STEPS, st.lists(st.integers(0, 120_000_000), max_size=12))
def test_cutting_time_changes_nothing(
    seed: int, steps: list[tuple[int, int]], cuts: list[int]
) -> None:
    start = lights_on(build(spec(seed, modules=KINDS[3:9], needy=tuple(NEEDY), strike_limit=5)))
    game = played(start, steps)
    bomb = start
    for time_us, act, after in game:
        for cut_us in sorted(cuts):
            if bomb.time_us < cut_us < time_us:
                bomb = advanced(bomb, cut_us)
        bomb = acted(advanced(bomb, max(time_us, bomb.time_us)), act).bomb
        assert bomb == after


@given(SEED, st.permutations(KINDS), st.permutations(KINDS), st.integers(1, 11))
def test_a_module_is_the_same_whatever_else_is_on_the_bomb(
    seed: int, one: list[str], other: list[str], count: int
) -> None:
    found = [configs(spec(seed, modules=tuple(kinds))) for kinds in (one[:count], other)]
    assert all(found[1][key] == config for key, config in found[0].items())


@pytest.mark.parametrize("kind", KINDS)
def test_instances_differ_and_do_not_depend_on_how_many(kind: str) -> None:
    many = [configs(spec(seed, modules=(kind,) * 4)) for seed in range(6)]
    alone = [configs(spec(seed, modules=(kind,))) for seed in range(6)]
    assert [found[kind, 0] for found in many] == [found[kind, 0] for found in alone]
    assert len({json.dumps(config) for found in many for config in found.values()}) > 8


def configs(mission: MissionSpec) -> dict[tuple[str, int], Any]:
    bomb = build(mission)
    exported: Any = export(bomb)["modules"]
    placed = [found.placed for found in bomb.modules]
    return {(p.type, p.instance): e["config"] for p, e in zip(placed, exported, strict=True)}


def test_nothing_happens_in_the_dark() -> None:
    dark = build(spec(1))
    assert (dark.phase, dark.time_us, elements(dark)) == ("lights_off", 0, ())
    assert advanced(dark, 10**9) is dark
    assert all(acted(dark, act).bomb is dark for act in NOTHING)
    lit_ = lights_on(dark)
    assert (lit_.phase, lit_.time_us) == ("lights_on", 0)
    assert lights_on(lit_) is lit_


def test_time_goes_one_way() -> None:
    bomb = advanced(lit("Wires"), 5)
    assert advanced(bomb, 5) == bomb
    with pytest.raises(ValueError, match="cannot go back to 4 us"):
        advanced(bomb, 4)


def test_only_the_face_in_view_can_be_opened() -> None:
    bomb = lit(*KINDS, seed=4)
    front, back = elements(bomb), elements(acted(bomb, TurnBomb("flip")).bomb)
    assert (len(front), len(back)) == (5, 6)
    assert {*front, *back} == {f"m{i}" for i in range(1, 12)}
    assert acted(bomb, Click(back[0])).verdict == "nothing"
    for turn in ("rotate_left", "rotate_right", "roll_up", "roll_down"):
        assert elements(acted(bomb, TurnBomb(turn)).bomb) == ()


def test_modules_are_read_as_they_stand_on_the_screen() -> None:
    bomb = lit(*KINDS, seed=4)
    upright = elements(bomb)
    slots = [fitted(bomb, module_id).placed.slot for module_id in upright]
    assert slots == sorted(slots)
    for turn in ("roll_up", "roll_up", "rotate_left", "rotate_left"):
        bomb = acted(bomb, TurnBomb(turn)).bomb
    assert (bomb.grip.pose.facing, bomb.grip.pose.up) == ("front", "bottom")
    assert elements(bomb) == upright[::-1]


def test_zooming_gives_the_parts_of_one_module() -> None:
    bomb = lit("Keypad", "Maze", back_placement=False)
    reaction = acted(bomb, Click("m2"))
    assert (reaction.verdict, reaction.element) == ("done", "m2")
    zoomed = reaction.bomb
    assert elements(zoomed) == ("m2/up", "m2/left", "m2/right", "m2/down")
    for other in ("m1", "m2", "m1/key1", "m2/key1", "m2/", "m2/up/up", "", "/"):
        assert acted(zoomed, Click(other)).bomb is zoomed
    out = acted(zoomed, ZoomOut())
    assert (out.verdict, elements(out.bomb)) == ("done", elements(bomb))
    assert acted(out.bomb, ZoomOut()).verdict == "nothing"


def test_a_turn_zooms_out_first() -> None:
    bomb = acted(later(opened(lit("Maze"))), TurnBomb("rotate_left")).bomb
    grip = bomb.grip
    assert (grip.zoomed, grip.pose.facing, grip.moved_us) == (None, "left", bomb.time_us)
    assert grip.from_zoomed == "m1"


def test_while_something_is_held_only_the_release_counts() -> None:
    bomb = opened(lit("Button", "Wires"))
    held = acted(bomb, Hold("m1/button")).bomb
    assert (held.grip.held, elements(held)) == ("m1/button", ())
    for act in (*NOTHING[:2], *NOTHING[3:], Click("m1/button"), Hold("m1/button")):
        reaction = acted(held, act)
        assert (reaction.bomb, reaction.verdict) == (held, "nothing")
    released = acted(held, Release())
    assert released.bomb.grip.held is None
    assert released.element == "m1/button"
    assert acted(bomb, Release()).verdict == "nothing"


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"Button"}))
def test_what_cannot_be_held_takes_a_hold_as_a_tap(kind: str) -> None:
    bomb = opened(lit(kind))
    for element in elements(bomb):
        assert acted(bomb, Hold(element)) == acted(bomb, Click(element))
    assert acted(lit("Wires", back_placement=False), Hold("m1")).bomb.grip.zoomed == "m1"


def struck(bomb: Bomb) -> Bomb:
    part = next(part for part, verdict in tried(bomb).items() if verdict == "strike")
    return tapped(bomb, part).bomb


def test_the_last_strike_explodes() -> None:
    bomb = opened(lit("Simon Says", strike_limit=3))
    for strikes in range(3):
        assert (bomb.phase, len(bomb.strikes)) == ("lights_on", strikes)
        bomb = struck(bomb)
    assert (bomb.phase, len(bomb.strikes)) == ("exploded_strikes", 3)
    assert_over(bomb)


def test_every_strike_speeds_the_clock_up() -> None:
    bomb = opened(lit("Simon Says", time_limit_s=600))
    for rate in (1.0, 1.25, 1.5, 1.75, 2.0, 2.0):
        left_us = bomb.clock.remaining_us(bomb.time_us)
        bomb = later(bomb, 4)
        assert left_us - bomb.clock.remaining_us(bomb.time_us) == rate * 4 * SECOND_US
        timer: Any = export(bomb)["timer"]
        assert timer["rate"] == rate
        bomb = struck(bomb)


def test_time_that_runs_out_explodes_at_its_microsecond() -> None:
    bomb = struck(opened(lit("Simon Says", time_limit_s=63)))  # 3 s gone, 60 s at 1.25
    assert advanced(bomb, 51 * SECOND_US - 1).phase == "lights_on"
    exploded = advanced(bomb, 99 * SECOND_US)
    assert (exploded.phase, exploded.time_us) == ("exploded_time", 51 * SECOND_US)
    assert_over(exploded)


def assert_over(bomb: Bomb) -> None:
    assert bomb.phase in OVER
    assert elements(bomb) == ()
    assert advanced(bomb, bomb.time_us + 10**9) is bomb
    assert all(acted(bomb, act).bomb is bomb for act in NOTHING)
    assert lights_on(bomb) is bomb


def test_equal_missions_make_equal_bombs() -> None:
    mission = spec(7, needy=(), modules=KINDS)
    assert build(mission) == build(mission)
    assert export(build(mission)) == export(build(mission))
    assert build(mission, 1) != build(mission)
    assert export(build(mission))["modules"] != export(build(spec(8, modules=KINDS)))["modules"]


def test_the_export_follows_the_schema() -> None:
    bomb = struck(opened(lit("Wires", "Memory", seed=3, time_limit_s=300, back_placement=False)))
    found: Any = export(bomb)
    assert found["generator_version"] == 1
    assert found["manual_seed"] == 0
    assert found["mission"]["modules"] == ["Wires", "Memory"]
    assert found["lifecycle"] == "lights_on"
    assert found["timer"] == {
        "remaining_s": 297.0,
        "display": "04:57",
        "rate": 1.25,
        "running": True,
    }
    assert found["strikes"] == 1
    assert found["strike_log"] == [{"game_time_s": 3.0, "module_id": "m1"}]
    assert found["camera"]["pose"] == "front"
    assert found["camera"]["zoomed_module"] == "m1"
    assert found["widgets"][0]["kind"] == "serial_number"
    module = found["modules"][0]
    without: Any = export(bomb, runtime=False)
    assert set(module) == {"id", "type", "slot", "config", "runtime"}
    assert set(module["slot"]) == {"face", "row", "col"}
    assert set(module) - set(without["modules"][0]) == {"runtime"}
    assert set(found) - set(without) == {
        *("game_time_s", "lifecycle", "timer", "strikes", "strike_log", "camera"),
    }


CONFIG_AND_RUNTIME = {
    "Wires": ("wires", "cut"),
    "Button": ("colour label", "held held_since_s strip_colour"),
    "Keypad": ("symbols column", "pressed"),
    "Simon Says": ("sequence", "stage entered lamp loop_phase_s"),
    "Who's On First": ("stages", "stage current animating"),
    "Memory": ("stages", "stage current history animating"),
    "Maze": ("maze markers start goal walls", "position revealed_walls"),
    "Morse Code": ("word frequency", "selected lamp phase_s"),
    "Complicated Wires": ("wires", "cut"),
    "Wire Sequence": ("slots", "panel panels_done cut"),
    "Passwords": ("columns word", "indices"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_each_kind_exports(kind: str) -> None:
    modules: Any = export(lit(kind))["modules"]
    (module,) = modules
    config, runtime = CONFIG_AND_RUNTIME[kind]
    assert set(module["config"]) == set(config.split())
    assert set(module["runtime"]) == {"solved", *runtime.split()}


def test_missing_modules_are_named() -> None:
    with pytest.raises(UserError, match="unknown module 'm3'"):
        fitted(lit("Wires", "Maze"), "m3")


def test_a_solved_bomb_stands_at_the_moment_of_its_solution() -> None:
    *_, last = answered(opened(lit("Keypad")))
    assert last.bomb.modules[0].solved_us == last.bomb.time_us == 12 * SECOND_US
    assert_over(last.bomb)
