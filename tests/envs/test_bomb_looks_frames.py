import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb import bomb as bombs
from polyathlon.envs.gptnt.bomb.bomb import Bomb, Click, Grip, TurnBomb
from polyathlon.envs.gptnt.bomb.layout import TIMER_SLOT
from polyathlon.envs.gptnt.bomb.looks import timer
from polyathlon.envs.gptnt.bomb.looks.casing import slot_place
from polyathlon.envs.gptnt.bomb.looks.frames import (
    Shot,
    centroid,
    element_at,
    forget,
    frame,
    mask,
    view,
)
from polyathlon.envs.gptnt.bomb.looks.gaze import gaze, rotation
from polyathlon.envs.gptnt.bomb.looks.turning import from_side, product, turned
from polyathlon.envs.gptnt.bomb.missions import MODULES, NEEDY, MissionSpec
from polyathlon.envs.gptnt.bomb.poses import ALL, START, TURNS, Pose
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator

SECOND_US = 1_000_000
AT_REST_US = -10 * SECOND_US


def a_bomb(seed: int = 3) -> Bomb:
    mission = MissionSpec("all", seed, 300, tuple(MODULES), back_placement=True)
    return bombs.advanced(bombs.lights_on(bombs.build(mission)), 20 * SECOND_US)


def a_needy_bomb(seed: int = 3) -> Bomb:
    puzzles = ("Wires", "Button", "Simon Says", "Memory")
    mission = MissionSpec("needy", seed, 300, puzzles, back_placement=True, needy=tuple(NEEDY))
    return bombs.advanced(bombs.lights_on(bombs.build(mission)), 20 * SECOND_US)


def held(bomb: Bomb, pose: Pose = START, zoomed: str | None = None) -> Bomb:
    return replace(bomb, grip=Grip(pose, zoomed, None, pose, zoomed, AT_REST_US))


def on(bomb: Bomb, face: str) -> list[str]:
    return [f.placed.id for f in bomb.modules if f.placed.slot.face == face]


def pixels(shot: Shot) -> np.ndarray:
    image = frame(shot)
    assert (image.width_px, image.height_px) == (shot.width_px, shot.height_px)
    return np.frombuffer(image.rgb, np.uint8).reshape(image.height_px, image.width_px, 3)


REACHABLE = {START}
while (more := REACHABLE | {turn(p) for p in REACHABLE for turn in TURNS.values()}) != REACHABLE:
    REACHABLE = more


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_pressing_the_centroid_of_an_element_presses_it(data: st.DataObject) -> None:
    make = data.draw(st.sampled_from([a_bomb, a_needy_bomb]), label="bomb")
    bomb = make(data.draw(st.integers(0, 5), label="seed"))
    bomb = held(bomb, data.draw(st.sampled_from(sorted(REACHABLE)), label="pose"))
    zoomed = data.draw(st.sampled_from([None, *bombs.elements(bomb)]), label="zoomed")
    size = data.draw(st.sampled_from([(640, 480), (448, 448)]), label="size")
    shot = Shot(held(bomb, bomb.grip.pose, zoomed), *size)
    seen = view(shot)
    for element in seen.elements:
        place = seen.centroid(element)
        assert place is not None, element
        assert element_at(shot, *place) == element


@pytest.mark.parametrize("face", ["front", "back"])
def test_the_ray_meets_what_the_picture_shows(face: str) -> None:
    shot = Shot(held(a_bomb(), Pose(face, "top"), on(a_bomb(), face)[1]))
    seen = view(shot)
    for row in range(20, 480, 110):
        for column in range(20, 640, 80):
            shown = int(seen.ids[row, column])
            expected = seen.elements[shown - 1] if shown else None
            assert element_at(shot, (column + 0.5) / 640, (row + 0.5) / 480) == expected


def test_only_what_can_be_pressed_now_is_an_element() -> None:
    bomb = a_bomb()
    assert set(view(Shot(bomb)).elements) == set(on(bomb, "front"))
    edge = view(Shot(held(bomb, Pose("left", "top"))))
    assert edge.elements == ()
    assert not edge.ids.any()
    zoomed = on(bomb, "front")[0]
    near = view(Shot(held(bomb, START, zoomed)))
    assert {name.partition("/")[0] for name in near.elements} == {zoomed}


def test_outside_of_the_picture_is_nothing() -> None:
    shot = Shot(a_bomb())
    assert element_at(shot, -0.1, 0.5) is None
    assert element_at(shot, 0.5, 1.1) is None
    assert element_at(shot, 1.0, 1.0) is None
    with pytest.raises(UserError, match="m99"):
        centroid(shot, "m99")


def test_a_mask_has_one_flat_colour_an_element() -> None:
    shot = Shot(a_bomb())
    seen, flat = view(shot), mask(shot)
    shown = np.frombuffer(flat.image.rgb, np.uint8).reshape(480, 640, 3)
    assert list(flat.colours) == list(seen.elements)
    assert len({(0, 0, 0), *flat.colours.values()}) == len(seen.elements) + 1
    for number, colour in enumerate([(0, 0, 0), *flat.colours.values()]):
        assert (shown[seen.ids == number] == colour).all()


def test_all_six_sides_look_different() -> None:
    seen = {frame(Shot(held(a_bomb(), pose), 160, 120)).rgb for pose in REACHABLE}
    assert len(seen) == len(REACHABLE) == 16


def test_the_whole_bomb_is_in_view_in_every_pose() -> None:
    for pose in ALL:
        bomb = held(a_bomb(), pose)
        corners = [(x, y, z) for x in (-3, 3) for y in (-2, 2) for z in (-1, 1)]
        camera = gaze(bomb, 640 / 480).camera(640, 480)
        places = camera.project([turned(rotation(bomb), corner) for corner in corners])
        assert (places[:, :2] > 0).all()
        assert (places[:, :2] < (640, 480)).all()


@pytest.mark.parametrize("pose", [START, Pose("front", "bottom")])
def test_clock_and_strikes_stay_in_view_beside_every_module_of_the_front(pose: Pose) -> None:
    x, y, z = slot_place(TIMER_SLOT)
    left, bottom, right, top = timer.READOUT
    corners = [(x + dx, y + dy, z) for dx in (left, right) for dy in (bottom, top)]
    for module_id in on(a_bomb(), "front"):
        bomb = held(a_bomb(), pose, module_id)
        rows = product(rotation(bomb), from_side("front"))
        camera = gaze(bomb, 640 / 480).camera(640, 480)
        places = camera.project([turned(rows, corner) for corner in corners])
        assert (places[:, :2] > 0).all()
        assert (places[:, :2] < (640, 480)).all()


def test_the_room_is_dark_before_the_lights_go_on() -> None:
    mission = MissionSpec("all", 3, 300, tuple(MODULES), back_placement=True)
    dark = bombs.build(mission)
    assert pixels(Shot(dark)).max() < 40
    assert pixels(Shot(bombs.lights_on(dark))).mean() > 60
    assert view(Shot(dark)).elements == ()


@pytest.mark.parametrize("act", [TurnBomb("flip"), TurnBomb("roll_up"), "zoom"])
def test_the_view_moves_in_time(act: TurnBomb | str) -> None:
    bomb = a_bomb()
    before = pixels(Shot(bomb, 320, 240))
    after = bombs.acted(bomb, Click(on(bomb, "front")[0]) if act == "zoom" else act).bomb
    assert (pixels(Shot(after, 320, 240)) == before).all()
    lasts_us = bombs.ZOOM_US if act == "zoom" else bombs.TURN_US

    def since(passed_us: int) -> np.ndarray:
        grip = replace(after.grip, moved_us=after.time_us - passed_us)
        return pixels(Shot(replace(after, grip=grip), 320, 240))

    there = since(10 * SECOND_US)
    halfway = since(300_000)
    assert (halfway != before).any()
    assert (halfway != there).any()
    assert (since(lasts_us) == there).all()


HASTY = MissionSpec("hasty", 3, 60, tuple(MODULES), back_placement=True)


def small(simulator: LocalSimulator) -> Shot:
    return Shot(simulator.bomb, 200, 150)


@settings(max_examples=3, deadline=None)
@given(st.data())
def test_a_picture_does_not_depend_on_what_was_drawn_before(data: st.DataObject) -> None:
    simulator = LocalSimulator()
    needy = data.draw(st.booleans(), label="needy")
    simulator.start(a_needy_bomb().plan.mission if needy else HASTY)
    shots = [small(simulator)]
    simulator.lights_on()
    for _ in range(3):
        pressed = data.draw(st.sampled_from([None, *simulator.elements()]), label="pressed")
        simulator.act(TurnBomb("flip") if pressed is None else Click(pressed))
        shots.append(small(simulator))
        for _ in range(3):
            wait_us = data.draw(st.integers(10_000, 2 * SECOND_US), label="wait")
            simulator.advance_to(simulator.time_us + wait_us)
            shots.append(small(simulator))
    drawn = [frame(shot) for shot in shots]
    for shot, before in zip(shots, drawn, strict=True):
        forget()
        assert frame(shot) == before


def test_props_can_be_left_out() -> None:
    assert frame(Shot(a_bomb())).rgb != frame(Shot(a_bomb(), props=False)).rgb


def test_the_timer_shows_the_time_and_the_strikes() -> None:
    bomb = a_bomb()
    later = bombs.advanced(bomb, bomb.time_us + SECOND_US)
    assert (pixels(Shot(bomb)) != pixels(Shot(later))).any()
    struck = replace(bomb, strikes=(bombs.Strike(0, "m1"),))
    changed = (pixels(Shot(bomb)) != pixels(Shot(struck))).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert columns.min() > 220
    assert columns.max() < 420
    assert rows.max() < 240
    assert pixels(Shot(struck))[changed][:, 0].mean() > 150


SCRIPT = """
import pickle, sys
from polyathlon.envs.gptnt.bomb.looks.frames import frame
print(frame(pickle.load(sys.stdin.buffer)).digest)
"""


@pytest.mark.slow
def test_another_process_draws_the_same_bytes() -> None:
    shot = Shot(a_bomb())
    child = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=pickle.dumps(shot), capture_output=True, check=True
    )
    assert child.stdout.decode().strip() == frame(shot).digest
