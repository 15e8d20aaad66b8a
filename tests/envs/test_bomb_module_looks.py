"""What modules look like: every part is seen, colours can be told apart, nothing is built twice.

Pictures are taken from about where a player is who has zoomed in, at two thirds of a small frame.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray
from tests.envs.bomb_by_hand import answered, later, lit, opened, tapped

from polyathlon.envs.gptnt.bomb.bomb import fitted
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks import atlas, kit, stage
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, frame
from polyathlon.envs.gptnt.bomb.looks.modules import mesh, parts
from polyathlon.envs.gptnt.bomb.looks.palette import COLOURS, GLOWS
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.modules.base import CUT_US, Module
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.discharge import FULL_US, DischargeModule
from polyathlon.envs.gptnt.bomb.modules.keypad import WRONG_US, KeypadModule
from polyathlon.envs.gptnt.bomb.modules.knob import KnobModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import LETTER_US, PasswordModule
from polyathlon.envs.gptnt.bomb.modules.sequence import PANEL_US, SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.vent import QUESTIONS, VentModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.rulebook.book import ButtonColour, Cell, SequenceColour
from polyathlon.envs.gptnt.bomb.rulebook.button import COLOURS as CAPS
from polyathlon.envs.gptnt.bomb.rulebook.button import Button
from polyathlon.envs.gptnt.bomb.rulebook.complicated import (
    COLOURINGS,
    Colouring,
    Complicated,
    ComplicatedWire,
)
from polyathlon.envs.gptnt.bomb.rulebook.maze import SIZE, Maze
from polyathlon.envs.gptnt.bomb.rulebook.sequence import ENDS, SequenceWire, WireSequence
from polyathlon.envs.gptnt.bomb.rulebook.simon import Simon
from polyathlon.envs.gptnt.bomb.rulebook.wires import COLOURS as WIRES
from polyathlon.envs.gptnt.bomb.rulebook.wires import Wires
from polyathlon.media.raster import Camera, Frame, Mesh, merged, render

CAMERA = Camera.looking_at((0.6, 0.8, 5.9), (0.6, 0.0, 0.1), 30.0, width_px=448, height_px=336)
NOW_US = 60 * SECOND_US
LEAST_PX = 150
MOST_FACES = 500

Pixels = NDArray[np.uint8]


def module_of(kind: str, seed: int) -> Any:
    return fitted(lit(kind, seed=seed), "m1").module


def asleep() -> tuple[Module, ...]:
    later_us = NOW_US + 30 * SECOND_US
    return VentModule(later_us), DischargeModule(later_us), KnobModule(later_us)


def awake() -> tuple[Module, ...]:
    due_us = NOW_US + 12 * SECOND_US
    return (
        *(VentModule(due_us, question) for question in QUESTIONS),
        DischargeModule(0, charge_us=FULL_US // 2, since_us=NOW_US),
        DischargeModule(0, charge_us=FULL_US // 2, since_us=NOW_US, held=True),
        KnobModule(due_us, leds=(True, False) * 6, quarters=3),
    )


def examples() -> list[Module]:
    return [*(module_of(kind, seed) for kind in MODULES for seed in range(2)), *asleep(), *awake()]


def shot(module: Module, time_us: int = NOW_US) -> Frame:
    """The module on its plate."""
    whole = merged([mesh(module, time_us), kit.status_led("off"), kit.plate()])
    return render(whole, CAMERA, atlas.textures(), light=stage.LIGHT, samples=1)


def part_pixels(module: Module, part: str, time_us: int = NOW_US) -> Pixels:
    """The colours (n, 3) of what is seen of a part."""
    frame = shot(module, time_us)
    return frame.colour[frame.ids == parts(module).index(part) + 1]


def seen_parts(module: Module, time_us: int) -> set[str]:
    """The parts of which a fair piece is seen."""
    names = parts(module)
    counts = np.bincount(shot(module, time_us).ids.ravel(), minlength=len(names) + 1)
    return {names[number - 1] for number in np.flatnonzero(counts[1:] >= LEAST_PX) + 1}


def named_parts(module: Module, time_us: int) -> set[str]:
    """The parts that the mesh has ids for."""
    return {parts(module)[number - 1] for number in set(mesh(module, time_us).ids.tolist()) - {0}}


def shining(frame: Frame, glow: str) -> NDArray[np.bool_]:
    """Where a light of just that colour is seen."""
    return np.asarray((np.abs(frame.colour.astype(int) - GLOWS[glow]) <= 8).all(axis=2))


def middle(where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Column and row of the middle of what is marked."""
    rows, columns = np.nonzero(where)
    return np.array([columns.mean(), rows.mean()])


def colours_of(pixels: Pixels, names: Iterable[str]) -> list[str]:
    """The colours of at least a tenth of the pixels, the most frequent first.

    Told by hue, whatever the light; what is very dark is black, if that is among the names.
    """
    names = tuple(names)
    brightest = pixels.max(axis=1).astype(float)
    hues = pixels / np.maximum(brightest, 1)[:, None]
    wanted = np.array([COLOURS[name] for name in names], float)
    off = np.abs(hues[:, None] - wanted / wanted.max(axis=1, keepdims=True)).sum(axis=2)
    if "black" in names:
        off[:, names.index("black")] = np.where(brightest < 60, -1, np.inf)
    found = Counter(names[index] for index in off.argmin(axis=1))
    return [name for name, count in found.most_common() if count > len(pixels) / 10]


@pytest.mark.parametrize("module", examples(), ids=lambda module: type(module).__name__)
def test_meshes_stay_within_their_plate_and_off_the_status_led(module: Module) -> None:
    drawn = mesh(module, NOW_US)
    x, y, z = drawn.vertices.T
    assert np.abs(drawn.vertices[:, :2]).max() <= kit.SPAN + 0.001
    assert z.min() >= kit.SURFACE - 0.001
    assert z.max() < 0.6
    assert not ((x > kit.LED_CORNER) & (y > kit.LED_CORNER)).any()
    assert len(drawn.faces) <= MOST_FACES
    assert np.isfinite(drawn.normals).all()


@pytest.mark.parametrize("module", examples(), ids=lambda module: type(module).__name__)
def test_every_part_of_a_fresh_module_is_seen(module: Module) -> None:
    assert set(module.parts()) <= set(parts(module))
    assert seen_parts(module, NOW_US) == set(module.parts()) == named_parts(module, NOW_US)


@given(
    st.sampled_from(sorted(MODULES)),
    st.integers(0, 999),
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 3)), max_size=6),
)
def test_whatever_is_pressed_just_the_parts_that_are_left_are_seen(
    kind: str, seed: int, presses: list[tuple[int, int]]
) -> None:
    bomb = opened(lit(kind, seed=seed))
    for choice, seconds in presses:
        left = fitted(bomb, "m1").module.parts()
        bomb = tapped(bomb, left[choice % len(left)]).bomb if left else bomb
        module = fitted(bomb, "m1").module
        if not (isinstance(module, SequenceModule) and module.changing(bomb.time_us)):
            assert named_parts(module, bomb.time_us) == set(module.parts())
        bomb = later(bomb, seconds)
    bomb = later(bomb)
    module = fitted(bomb, "m1").module
    assert seen_parts(module, bomb.time_us) == set(module.parts())


@pytest.mark.parametrize("module", examples(), ids=lambda module: type(module).__name__)
def test_a_module_that_looks_the_same_is_not_built_again(module: Any) -> None:
    assert mesh(module, NOW_US) is mesh(replace(module), NOW_US)
    if not isinstance(module, MorseModule | SimonModule):
        assert mesh(module, NOW_US) is mesh(module, NOW_US + 1)


@pytest.mark.parametrize("colour", WIRES)
def test_wires_have_their_colours(colour: Any) -> None:
    others = [other for other in WIRES if other != colour]
    module = WiresModule(Wires((colour, *others)))
    assert colours_of(part_pixels(module, "wire1"), WIRES)[0] == colour


@pytest.mark.parametrize("colouring", COLOURINGS)
@pytest.mark.parametrize("led", [False, True])
def test_complicated_wires_show_both_their_colours(colouring: Colouring, led: bool) -> None:
    wires = tuple(ComplicatedWire(colouring, star, led) for star in (False, True))
    module = ComplicatedModule(Complicated(wires * 2))
    found = colours_of(part_pixels(module, "wire2"), ("red", "blue", "white"))
    assert sorted(found) == sorted(colouring.split("+"))
    assert shining(shot(module), "yellow").any() == led


def test_a_star_is_seen_below_its_wire() -> None:
    fields = [
        shot(ComplicatedModule(Complicated((ComplicatedWire("red", star, False),) * 4))).colour
        for star in (False, True)
    ]
    rows, columns = np.nonzero((fields[0] != fields[1]).any(axis=2))
    assert len(rows) > 4 * 100
    assert rows.min() > CAMERA.height_px / 2
    assert columns.std() > 30


@pytest.mark.parametrize("colour", ["red", "blue", "black"])
@pytest.mark.parametrize("end", ENDS)
def test_wires_of_a_sequence_have_their_colours(colour: SequenceColour, end: Any) -> None:
    panel = tuple(SequenceWire(colour, end) for _ in range(3))
    module = SequenceModule(WireSequence((panel,) * 4))
    for number in (1, 2, 3):
        pixels = part_pixels(module, f"wire{number}")
        assert len(pixels) >= LEAST_PX
        assert set(colours_of(pixels, ("red", "blue", "black"))) == {colour}


@pytest.mark.parametrize("colour", CAPS)
def test_a_held_button_is_down_and_its_strip_lit(colour: ButtonColour) -> None:
    module = ButtonModule(Button(colour, "hold"))
    held = replace(module, held_us=0, strip=colour)
    up, down = shot(module), shot(held)
    assert colours_of(part_pixels(module, "button"), CAPS)[0] == colour
    assert (down.ids == 1).sum() < (up.ids == 1).sum()
    assert (shining(down, colour) & (down.ids == 0)).sum() > 800
    assert not (shining(up, colour) & (up.ids == 0)).any()


def test_keys_show_whether_they_were_right() -> None:
    module = KeypadModule(module_of("Keypad", 0).puzzle)
    green = [
        shining(shot(replace(module, pressed=(3, 0, 1, 2)[:n])), "green").sum() for n in range(5)
    ]
    assert green[0] == 0
    assert all(after - before > 50 for before, after in itertools.pairwise(green))
    wrong = replace(module, wrong=1, wrong_us=NOW_US)
    assert shining(shot(wrong, NOW_US), "red").sum() > 50
    assert not shining(shot(wrong, NOW_US + WRONG_US), "red").any()


@pytest.mark.parametrize("lamp", ["red", "blue", "green", "yellow"])
def test_a_lit_lamp_is_far_brighter_and_dark_ones_keep_their_colour(lamp: Any) -> None:
    module = SimonModule(Simon((lamp,) * 3), loop_us=NOW_US)
    dark = part_pixels(module, lamp, NOW_US - 1)
    assert set(colours_of(dark, ("red", "blue", "green", "yellow"))) == {lamp}
    assert part_pixels(module, lamp, NOW_US).mean() > 1.5 * dark.mean()
    pressed = replace(module, loop_us=2 * NOW_US, pressed=lamp, pressed_us=NOW_US)
    assert part_pixels(pressed, lamp, NOW_US).mean() > 1.5 * dark.mean()
    assert part_pixels(pressed, lamp, NOW_US + SECOND_US).mean() == dark.mean()


@pytest.mark.parametrize("kind", ["Who's On First", "Memory"])
def test_nothing_can_be_read_while_a_stage_changes(kind: str) -> None:
    one, other = (replace(module_of(kind, seed), changed_us=NOW_US) for seed in (1, 2))
    for passed_us in (0, SECOND_US // 10, SECOND_US):
        assert same(mesh(one, NOW_US + passed_us), mesh(other, NOW_US + passed_us))
    assert not same(mesh(one, 2 * NOW_US), mesh(other, 2 * NOW_US))


def same(one: Mesh, other: Mesh) -> bool:
    return np.array_equal(one.vertices, other.vertices) and np.array_equal(one.uv, other.uv)


def stages_of(kind: str) -> list[Any]:
    """A module at all its stages, all of them changing, so that only lamps shine green."""
    module = replace(module_of(kind, 1), changed_us=NOW_US)
    if isinstance(module, WordsModule):
        return [replace(module, stage=stage) for stage in (1, 2, 3, 4)]
    if isinstance(module, MemoryModule):
        return [replace(module, history=(None,) * done) for done in range(6)]
    return [replace(module, done=done) for done in range(5)]


@pytest.mark.parametrize("kind", ["Who's On First", "Memory", "Wire Sequence"])
def test_a_lamp_is_lit_for_every_stage_behind(kind: str) -> None:
    lamps = [
        shining(shot(module, NOW_US + SECOND_US // 2), "green").sum() for module in stages_of(kind)
    ]
    assert lamps[0] == 0
    assert all(after - before > 20 for before, after in itertools.pairwise(lamps))


def test_shutters_hide_the_panel_while_it_changes() -> None:
    one, other = (
        replace(module_of("Wire Sequence", seed), panel=1, done=1, changed_us=NOW_US)
        for seed in (1, 2)
    )
    closed = [shot(module, NOW_US + PANEL_US // 2).colour for module in (one, other)]
    assert np.array_equal(*closed)
    at_first, at_last = (mesh(one, time_us) for time_us in (NOW_US, NOW_US + PANEL_US))
    assert same(at_last, mesh(replace(one, changed_us=0), NOW_US))
    before = mesh(replace(one, panel=0, changed_us=0), NOW_US).vertices
    assert np.array_equal(at_first.vertices[: len(before)], before)


def test_the_wire_that_defuses_the_bomb_is_seen_cut_although_time_stands_still() -> None:
    bomb = opened(lit("Wires", back_placement=False))
    *_, last = answered(bomb)
    found = fitted(last.bomb, "m1")
    cut_long_ago = replace(found, module=replace(found.module, cut_us=(0,)))  # type: ignore[type-var]
    assert last.bomb.phase == "solved"
    shown = frame(Shot(last.bomb, 320, 240))
    assert shown == frame(Shot(replace(last.bomb, modules=(cut_long_ago,)), 320, 240))


@pytest.mark.parametrize("kind", ["Wires", "Complicated Wires"])
def test_the_ends_of_a_cut_wire_part_and_stay_apart(kind: str) -> None:
    module = module_of(kind, 3)
    cut = replace(module, cut=(1,), cut_us=(NOW_US,))
    still, parted = mesh(cut, NOW_US + CUT_US), mesh(cut, NOW_US + 10 * CUT_US)
    assert still is parted
    whole = shot(module).colour
    for passed_us in (CUT_US // 2, CUT_US):
        assert (shot(cut, NOW_US + passed_us).colour != whole).any(axis=2).sum() > 100
    assert not same(mesh(cut, NOW_US + CUT_US // 2), still)


def maze(light: Cell, goal: Cell, marker: Cell, **state: Any) -> MazeModule:
    return MazeModule(Maze((marker, marker), light, goal), light, **state)


CELLS = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))


@settings(max_examples=6)
@given(CELLS, CELLS)
def test_light_triangle_and_markers_stand_where_the_cells_are(one: Cell, other: Cell) -> None:
    assume(one != other)
    frame, swapped = shot(maze(one, other, other)), shot(maze(other, one, one))
    for here, there in (
        (shining(frame, "white"), shining(swapped, "green")),
        (shining(frame, "white"), shining(swapped, "red")),
        (shining(frame, "green"), shining(frame, "red")),
    ):
        assert np.abs(middle(here) - middle(there)).max() < 2.5
    assert not shining(frame, "orange").any()


def test_a_wall_shows_between_its_cells_once_it_was_hit() -> None:
    cells = ((2, 3), (3, 3))
    wall = shining(shot(maze((0, 0), (5, 5), (4, 1), revealed=(cells,))), "orange")
    lights = [middle(shining(shot(maze(cell, (5, 5), (4, 1))), "white")) for cell in cells]
    assert np.abs(middle(wall) - (lights[0] + lights[1]) / 2).max() < 2


def test_the_morse_lamp_is_lit_or_dark_and_every_frequency_looks_different() -> None:
    module = module_of("Morse Code", 0)
    on = next(us for us in range(0, 9 * SECOND_US, 250_000) if module.lit(us))
    off = next(us for us in range(0, 9 * SECOND_US, 250_000) if not module.lit(us))
    assert shining(shot(module, on), "orange").sum() > 500
    assert not shining(shot(module, off), "orange").any()
    choices = range(len(module.frequencies_khz))
    assert len({id(mesh(replace(module, index=index), off)) for index in choices}) == len(choices)


def test_a_letter_rolls_into_its_window() -> None:
    module = PasswordModule(module_of("Passwords", 0).puzzle, changed=2, changed_us=NOW_US)
    settled = shot(module, NOW_US + LETTER_US).colour
    rolling = (shot(module, NOW_US + LETTER_US // 2).colour != settled).any(axis=2)
    arrow = middle(shot(module).ids == parts(module).index("up3") + 1)
    assert rolling.any()
    assert abs(middle(rolling)[0] - arrow[0]) < 8


def test_needy_modules_are_dark_while_they_sleep() -> None:
    for module in asleep():
        frame = shot(module)
        assert not any(shining(frame, glow).any() for glow in ("green", "orange", "yellow", "red"))
    for module in awake():
        assert shining(shot(module), "red").any()


def test_the_countdown_of_a_needy_module_goes_down_in_whole_seconds() -> None:
    module = VentModule(NOW_US, "OPEN VENT?")
    readings = [mesh(module, NOW_US - left_us) for left_us in (2_000_000, 1_000_001, 1_000_000)]
    assert readings[0] is readings[1]
    assert readings[1] is not readings[2]


def test_the_capacitor_fills_and_its_lever_goes_down() -> None:
    levels = [
        shining(
            shot(DischargeModule(0, charge_us=share * FULL_US // 4, since_us=NOW_US)), "green"
        ).sum()
        for share in (0, 1, 2)
    ]
    assert levels[0] < levels[1] < levels[2]
    module = DischargeModule(0, charge_us=0, since_us=NOW_US)
    up, down = (middle(shot(replace(module, held=held)).ids == 1) for held in (False, True))
    assert down[1] - up[1] > 40


@pytest.mark.parametrize(
    ("quarters", "way"), [(0, (0, -1)), (1, (1, 0)), (2, (0, 1)), (7, (-1, 0))]
)
def test_the_dial_points_where_it_was_turned(quarters: int, way: tuple[int, int]) -> None:
    frame = shot(KnobModule(NOW_US, quarters=quarters))
    dial = frame.ids == 1
    pointer = dial & (frame.colour.min(axis=2) > 150)
    off = middle(pointer) - middle(dial)
    assert off @ way > 10
    assert abs(off @ (way[1], way[0])) < 8


def test_as_many_lamps_shine_over_the_dial_as_are_lit() -> None:
    lit_px = [
        shining(
            shot(KnobModule(2 * NOW_US, leds=(True,) * n + (False,) * (12 - n))), "orange"
        ).sum()
        for n in (0, 1, 6, 12)
    ]
    assert lit_px[0] == 0
    assert np.allclose(np.array(lit_px[2:]) / lit_px[1], (6, 12), rtol=0.25)
