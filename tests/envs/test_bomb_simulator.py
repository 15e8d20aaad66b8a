"""The door to a bomb in this process: what passed is looked at, not kept by a ticking thread."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.canonical import canonical
from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb import bomb as bombs
from polyathlon.envs.gptnt.bomb.bomb import Click, Hold, Release, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.simulator import (
    FRAME_US,
    MAX_FRAMES,
    LocalSimulator,
    Target,
    connect,
    picture,
    quarters,
    view,
)

SECOND_US = 1_000_000
MISSION = MissionSpec(
    "five", 5, 300, ("Wires", "Simon Says", "Button", "Complicated Wires"), needy=("Discharge",)
)


def lit(mission: MissionSpec = MISSION) -> LocalSimulator:
    simulator = LocalSimulator()
    simulator.start(mission)
    simulator.lights_on()
    return simulator


def module(simulator: LocalSimulator, kind: str) -> str:
    return next(target.element for target in simulator.targets() if target.type == kind)


@st.composite
def scripts(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Pauses in ms, each followed by an act, chosen by a number from those there are."""
    return draw(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 99)), max_size=12))


def acts(simulator: LocalSimulator) -> list[bombs.Act]:
    elements = simulator.elements()
    return [
        *map(Click, elements),
        *map(Hold, elements),
        Release(),
        ZoomOut(),
        TurnBomb("flip"),
        TurnBomb("roll_up"),
    ]


def follow(simulator: LocalSimulator, script: list[tuple[int, int]], cuts: int) -> None:
    """Play a script, letting each pause pass in `cuts` pieces."""
    for pause_ms, choice in script:
        since_us = simulator.time_us
        for cut in range(1, cuts + 1):
            simulator.advance_to(since_us + pause_ms * 1_000 * cut // cuts)
        options = acts(simulator)
        simulator.act(options[choice % len(options)])


@given(script=scripts(), cuts=st.integers(1, 5))
def test_how_time_is_cut_does_not_matter(script: list[tuple[int, int]], cuts: int) -> None:
    once, often = lit(), lit()
    follow(once, script, 1)
    follow(often, script, cuts)
    assert canonical(once.state()) == canonical(often.state())
    assert once.past() == often.past()
    assert once.heard(0) == often.heard(0)


@given(script=scripts())
def test_past_frames_are_those_a_ticking_recorder_would_have_kept(
    script: list[tuple[int, int]],
) -> None:
    """The recorder stops at every quarter second and takes the bomb before anything is done."""
    simulator = lit()
    recorded = [simulator.bomb]
    for pause_ms, choice in script:
        until_us = simulator.time_us + pause_ms * 1_000
        first = simulator.time_us // FRAME_US + 1
        for number in range(first, until_us // FRAME_US + 1):
            simulator.advance_to(number * FRAME_US)
            if simulator.time_us == number * FRAME_US:
                recorded.append(simulator.bomb)
        simulator.advance_to(until_us)
        options = acts(simulator)
        simulator.act(options[choice % len(options)])
    wanted = [bomb for bomb in recorded if bomb.time_us < simulator.time_us][-MAX_FRAMES + 1 :]
    assert [shot.bomb for shot in simulator.past()] == wanted


def test_quarters_are_the_grid_before_a_moment() -> None:
    assert list(quarters(0, 15)) == []
    assert list(quarters(1, 15)) == [0]
    assert list(quarters(FRAME_US, 15)) == [0]
    assert list(quarters(3 * SECOND_US, 2)) == [2_500_000, 2_750_000]
    assert len(quarters(60 * SECOND_US + 1, 16)) == 16


def test_a_bomb_keeps_only_what_can_still_be_seen() -> None:
    simulator = lit()
    for second in range(1, 120):
        simulator.act(TurnBomb("rotate_left"))
        simulator.advance_to(second * SECOND_US)
    snapshot = simulator.snapshot()
    assert len(snapshot.history) <= 5
    assert len(pickle.dumps(simulator.shot())) < 20_000


def test_nothing_is_seen_of_the_time_before_lights_on() -> None:
    simulator = LocalSimulator()
    simulator.start(MISSION)
    assert simulator.past() == ()
    assert simulator.heard(0).cues == ()
    assert simulator.elements() == ()


def test_a_snapshot_is_come_back_to_with_its_past() -> None:
    simulator = lit()
    follow(simulator, [(700, 1), (900, 0), (1_100, 3)], 1)
    kept, state, past = simulator.snapshot(), simulator.state(), simulator.past()
    follow(simulator, [(1_000, 2), (900, 5)], 1)
    assert simulator.state() != state
    simulator.restore(kept)
    assert (simulator.state(), simulator.past()) == (state, past)
    with pytest.raises(UserError, match="no snapshot"):
        simulator.restore("s1")


def test_what_cannot_be_done_says_what_to_do() -> None:
    simulator = LocalSimulator()
    with pytest.raises(UserError, match="start a mission"):
        simulator.state()
    simulator.start(MISSION)
    with pytest.raises(UserError, match="switch them on"):
        simulator.act(ZoomOut())
    simulator.lights_on(paused=True)
    with pytest.raises(UserError, match="on already"):
        simulator.lights_on()
    with pytest.raises(UserError, match="resume it"):
        simulator.advance_to(1)
    with pytest.raises(UserError, match="http://127"):
        connect("127.0.0.1:8765")


def test_a_pause_removes_nothing_from_the_clock() -> None:
    simulator = lit()
    simulator.advance_to(2 * SECOND_US)
    simulator.pause()
    before = simulator.state()["timer"]
    assert simulator.state()["paused"] is True
    simulator.resume()
    assert simulator.state()["timer"] == before
    simulator.advance_to(3 * SECOND_US)
    assert simulator.state()["timer"]["remaining_s"] == 297.0


def test_targets_name_the_colours_that_mean_something() -> None:
    simulator = lit()
    wires = module(simulator, "Complicated Wires")
    assert Target(wires, "Complicated Wires") in simulator.targets()
    simulator.act(Click(wires))
    config = bombs.fitted(simulator.bomb, wires).module.puzzle.wires
    got = [target.colours for target in simulator.targets()]
    assert got == [tuple(wire.colouring.split("+")) for wire in config]
    simulator.act(ZoomOut())
    simulator.act(Click(module(simulator, "Simon Says")))
    assert [target.colours for target in simulator.targets()] == [
        ("blue",),
        ("red",),
        ("yellow",),
        ("green",),
    ]


def test_a_point_meets_what_is_seen_there() -> None:
    by_name, by_point = lit(), lit()
    element = module(by_name, "Wires")
    x, y = view(by_point.shot()).centroid(element)
    assert by_point.act_at("click_release", x, y) == by_name.act(Click(element))
    assert by_point.state() == by_name.state()
    assert by_point.act_at("hold", 0.0, 0.0).verdict == "nothing"


def test_a_scene_is_drawn_late_and_elsewhere_as_it_was() -> None:
    simulator = lit()
    scene = simulator.shot()
    before = picture(scene)
    follow(simulator, [(500, 0), (900, 1)], 1)
    assert picture(pickle.loads(pickle.dumps(scene))) == before
    assert picture(simulator.shot()) != before
