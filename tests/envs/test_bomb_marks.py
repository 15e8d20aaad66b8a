"""Location markers: order, colours, places, and what they never cover."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb import marks
from polyathlon.envs.gptnt.bomb.bomb import Click
from polyathlon.envs.gptnt.bomb.missions import child_seeds, multi_missions, single_missions
from polyathlon.envs.gptnt.bomb.play.painting import marked, plain
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator, Target, view

SINGLE = single_missions(child_seeds())
FIRST = SINGLE[::10]
SIDE = 23


def opened(mission: object) -> LocalSimulator:
    """A simulator that looks at the first module of a mission."""
    simulator = LocalSimulator()
    simulator.start(mission)  # type: ignore[arg-type]
    simulator.lights_on()
    simulator.act(Click("m1"))
    simulator.advance_to(2_000_000)
    return simulator


def pixels(image: Image) -> np.ndarray:
    return np.frombuffer(image.rgb, np.uint8).reshape(image.height_px, image.width_px, 3)


def changed(simulator: LocalSimulator) -> np.ndarray:
    """Where markers have changed the picture."""
    shot = simulator.shot()
    before = pixels(plain(shot, (640, 480)))
    after = pixels(marked(shot, simulator.targets(), (640, 480)))
    return (before != after).any(axis=2)


@pytest.mark.parametrize("mission", FIRST, ids=lambda m: m.name)
def test_outlines_spare_what_is_pressed(mission: object) -> None:
    simulator = opened(mission)
    seen = view(simulator.shot())
    touched = changed(simulator)
    for number in range(1, len(seen.elements) + 1):
        region = seen.ids == number
        assert touched[region].mean() < 0.12  # a box may sit on a corner


@pytest.mark.parametrize("mission", FIRST, ids=lambda m: m.name)
def test_what_has_to_be_read_stays_bare(mission: object) -> None:
    """The middle of every part, where letters, digits and symbols are."""
    simulator = opened(mission)
    seen = view(simulator.shot())
    touched = changed(simulator)
    for number in range(1, len(seen.elements) + 1):
        rows, columns = np.nonzero(seen.ids == number)
        height, width = np.ptp(rows), np.ptp(columns)
        middle = (abs(rows - rows.mean()) < 0.22 * height) & (
            abs(columns - columns.mean()) < 0.3 * width
        )
        assert not touched[rows[middle], columns[middle]].any()


@pytest.mark.parametrize("mission", FIRST, ids=lambda m: m.name)
def test_every_part_gets_a_box_of_its_own(mission: object, monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[tuple[int, int]] = []
    apart = marks.apart

    def watched(*arguments: object) -> list[tuple[int, int]]:
        placed.extend(apart(*arguments))  # type: ignore[arg-type]
        return placed

    monkeypatch.setattr(marks, "apart", watched)
    simulator = opened(mission)
    marked(simulator.shot(), simulator.targets(), (640, 480))
    assert len(placed) == len(simulator.targets())
    assert not any(overlap(one, other, SIDE) for one, other in combinations(placed, 2))


def overlap(one: tuple[int, int], other: tuple[int, int], side: int) -> bool:
    return abs(one[0] - other[0]) < side and abs(one[1] - other[1]) < side


PLACE = st.tuples(st.floats(-30, 680), st.floats(-30, 520))


@given(st.lists(PLACE, max_size=11))
def test_boxes_never_overlap_nor_leave_the_picture(middles: list[tuple[float, float]]) -> None:
    boxes = marks.apart(middles, SIDE, 640, 480)
    assert len(boxes) == len(middles)
    assert not any(overlap(one, other, SIDE) for one, other in combinations(boxes, 2))
    assert all(0 <= left <= 640 - SIDE and 0 <= top <= 480 - SIDE for left, top in boxes)


def test_boxes_with_room_stay_where_they_want_to_be() -> None:
    assert marks.apart([(100, 50), (300, 400)], 20, 640, 480) == [(90, 40), (290, 390)]


def coloured(target: Target) -> set[tuple[int, int, int]]:
    """The colours of a marker on a square in the middle of a grey picture, without its rim."""
    ids = np.zeros((480, 640), np.int32)
    ids[200:280, 280:360] = 1
    paper = np.full((480, 640, 3), 90, np.uint8)
    drawn = pixels(marks.annotated(paper, ids, (target.element,), (target,)))
    found = {tuple(map(int, colour)) for colour in drawn[236:240, 274:280].reshape(-1, 3)}
    return found & {*marks.MEANT.values(), *marks.MEANINGLESS}  # type: ignore[return-value]


def test_markers_have_the_colours_that_mean_something() -> None:
    wire = Target("m1/wire1", "Wires", "wire1", ("yellow",))
    assert coloured(wire) == {marks.MEANT["yellow"]}
    both = Target("m1/wire1", "Complicated Wires", "wire1", ("red", "white"))
    assert coloured(both) == {marks.MEANT["red"], marks.MEANT["white"]}
    key = Target("m1/key1", "Keypad", "key1")
    assert coloured(key) == {marks.MEANINGLESS[0]}


def test_every_colour_of_every_module_is_known() -> None:
    for mission in SINGLE:
        simulator = opened(mission)
        assert all(c in marks.MEANT for t in simulator.targets() for c in t.colours)


def test_meaningless_colours_are_told_apart() -> None:
    assert len(set(marks.MEANINGLESS)) >= 11
    for one, other in combinations(marks.MEANINGLESS, 2):
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 60


def test_every_part_of_every_type_has_a_place() -> None:
    for mission in FIRST:
        targets = opened(mission).targets()
        assert targets
        assert all(marks._anchor(target) is not marks.MODULE for target in targets)


def test_places_do_not_depend_on_how_many_there_are() -> None:
    """Boxes of wires stand in one column, whichever have been cut."""
    simulator = opened(SINGLE[0])
    columns = []
    for _ in range(2):
        touched = changed(simulator)
        columns.append(np.flatnonzero(touched.any(axis=0))[0])
        simulator.act(Click(simulator.elements()[0]))
        simulator.advance_to(simulator.time_us + 2_000_000)
    assert abs(columns[0] - columns[1]) <= SIDE // 2


@pytest.mark.parametrize("size", [(640, 480), (504, 504), (448, 448)])
def test_pictures_have_the_size_that_was_asked_for(size: tuple[int, int]) -> None:
    simulator = LocalSimulator()
    simulator.start(multi_missions(child_seeds())[0])
    simulator.lights_on()
    shot = simulator.shot()
    for image in (plain(shot, size), marked(shot, simulator.targets(), size)):
        assert (image.width_px, image.height_px) == size


def test_what_is_out_of_sight_wears_nothing() -> None:
    ids = np.zeros((480, 640), np.int32)
    paper = np.full((480, 640, 3), 90, np.uint8)
    drawn = marks.annotated(paper, ids, ("m1",), (Target("m1", "Maze"),))
    assert drawn.rgb == paper.tobytes()
