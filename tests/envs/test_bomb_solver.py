"""The oracle solves every bomb in its budget of turns and never makes a mistake."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.bomb import (
    Act,
    Bomb,
    Click,
    ZoomOut,
    acted,
    advanced,
    build,
    elements,
    lights_on,
)
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.missions import (
    TURN_S,
    MissionSpec,
    child_seeds,
    multi_missions,
    random_mission,
    single_missions,
)
from polyathlon.envs.gptnt.bomb.poses import NORMALS, START, TURNS
from polyathlon.envs.gptnt.bomb.solver import next_act, restored, towards

SEEDS = child_seeds()
PUBLISHED = (*single_missions(SEEDS), *multi_missions(SEEDS))
STEP_US = TURN_S * SECOND_US


def started(mission: MissionSpec, rule_seed: int = 0) -> Bomb:
    return lights_on(build(mission, rule_seed))


def solve(bomb: Bomb, step_us: int = STEP_US) -> Bomb:
    """The bomb at the end of the oracle's game; every act of its has an effect."""
    while bomb.phase == "lights_on":
        act = next_act(bomb)
        if act is not None:
            reaction = acted(bomb, act)
            assert reaction.verdict in ("done", "solved"), (bomb.plan.mission.name, act)
            bomb = reaction.bomb
        bomb = advanced(bomb, bomb.time_us + step_us)
    return bomb


def test_every_published_mission() -> None:
    solved = [solve(started(mission)) for mission in PUBLISHED]
    assert len(solved) == 120
    assert {(bomb.phase, bomb.strikes) for bomb in solved} == {("solved", ())}


@pytest.mark.parametrize("seed", range(12))
def test_a_sample_of_drawn_missions_and_rules(seed: int) -> None:
    solved = solve(started(random_mission(seed), rule_seed=seed % 4))
    assert (solved.phase, solved.strikes) == ("solved", ())


@pytest.mark.slow
def test_two_hundred_drawn_missions() -> None:
    solved = [solve(started(random_mission(seed))) for seed in range(200)]
    assert {(bomb.phase, bomb.strikes) for bomb in solved} == {("solved", ())}
    assert max(len(bomb.modules) for bomb in solved) == 11


@pytest.mark.slow
def test_a_hundred_rule_books() -> None:
    missions = [random_mission(1_000 + seed) for seed in range(1, 101)]
    solved = [solve(started(mission, seed)) for seed, mission in enumerate(missions, 1)]
    assert {(bomb.phase, bomb.strikes) for bomb in solved} == {("solved", ())}


@pytest.mark.parametrize("step_us", [400_000, 1_700_000, 4_300_000])
def test_it_works_at_other_paces_too(step_us: int) -> None:
    mission = random_mission(2)
    relaxed = replace(mission, time_limit_s=3 * mission.time_limit_s)
    assert solve(started(relaxed), step_us).phase == "solved"


@pytest.mark.parametrize("needy", ["Vent", "Discharge", "Knob"])
def test_it_attends_to_needy_modules(needy: str) -> None:
    for seed in range(4):
        mission = replace(random_mission(seed), modules=("Memory", "Passwords"), needy=(needy,))
        solved = solve(started(replace(mission, time_limit_s=300)))
        assert (solved.phase, solved.strikes) == ("solved", ())


def scramble(bomb: Bomb, rng: Stream, count: int) -> Bomb:
    """The bomb after random presses and turns."""
    for _ in range(count):
        acts: list[Act] = [ZoomOut(), *map(Click, elements(bomb))]
        bomb = advanced(acted(bomb, rng.choice(acts)).bomb, bomb.time_us + STEP_US)
    return bomb


@pytest.mark.parametrize("seed", range(20))
def test_after_anothers_mistakes_it_makes_none(seed: int) -> None:
    mission = replace(random_mission(seed), strike_limit=100, time_limit_s=5_000)
    spoilt = scramble(started(mission), stream(seed, "scramble"), 60)
    solved = solve(spoilt, 1_000_000)
    assert solved.phase == "solved"
    assert solved.strikes == spoilt.strikes


@pytest.mark.parametrize("seed", range(10))
def test_an_exported_state_is_enough_to_go_on(seed: int) -> None:
    drawn = random_mission(seed)
    needy = ("Vent", "Discharge", "Knob")[: 11 - len(drawn.modules)]
    bomb = started(replace(drawn, strike_limit=100, needy=needy), seed % 3)
    rng = stream(seed, "export")
    while bomb.phase == "lights_on":
        bomb = scramble(bomb, rng, rng.below(3))
        act = next_act(bomb)
        assert next_act(restored(export(bomb))) == act
        bomb = advanced(acted(bomb, act).bomb if act else bomb, bomb.time_us + STEP_US)


def test_nothing_is_done_before_and_after_the_game() -> None:
    bomb = build(PUBLISHED[0])
    assert next_act(bomb) is None
    assert next_act(solve(lights_on(bomb))) is None


def test_turns_lead_to_every_side_from_every_pose_in_three_at_most() -> None:
    poses = {START}
    for _ in range(4):
        poses |= {turn(pose) for pose in poses for turn in TURNS.values()}
    assert len(poses) == 16
    for pose in poses:
        for side in NORMALS:
            now, turns = pose, 0
            while (turn := towards(now, frozenset({side}))) is not None:
                now, turns = TURNS[turn](now), turns + 1
            assert now.facing == side
            assert turns <= 3
    assert towards(START, frozenset({"back"})) == "flip"
