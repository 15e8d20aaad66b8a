"""Whether all that the rules ask for can be recovered from real frames, also from small ones.

Words and figures are read by tesseract, colours by the nearest name, the clock by its segments,
symbols and ports by likeness. `python scripts/bomb_legibility.py` prints the figures.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from tests.envs import bomb_colours, bomb_reading
from tests.envs.bomb_by_hand import later, lit, opened
from tests.envs.bomb_reading import (
    SIZES,
    Size,
    edge_shown,
    filled,
    picture,
    projected,
    read,
    resized,
    right,
    with_fields,
)

from polyathlon.envs.gptnt.bomb import symbols
from polyathlon.envs.gptnt.bomb.bomb import Bomb, Fitted, Hold, acted, advanced, fitted
from polyathlon.envs.gptnt.bomb.casing import PORT_GROUPS, Edge, Mount, PortPlate
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.layout import TIMER_SLOT
from polyathlon.envs.gptnt.bomb.looks import casing, timer, widgets
from polyathlon.envs.gptnt.bomb.looks.kit import SURFACE
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.poses import Side
from polyathlon.envs.gptnt.bomb.rulebook.keypad import Keypad

LEAST_RIGHT, LEAST_RIGHT_OF_A_KIND = 0.98, 0.93
EDGES: tuple[Edge, ...] = ("left", "right", "top", "bottom")

SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg",
    "5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg",
}  # fmt: skip
MIDDLES = {
    "a": (0.5, 1), "b": (1, 0.75), "c": (1, 0.25), "d": (0.5, 0),
    "e": (0, 0.25), "f": (0, 0.75), "g": (0.5, 0.5),
}  # fmt: skip
FIGURE, BREADTH, PITCH, DOT_PITCH = 0.44, 0.46, 0.74, 0.34
LIT_RED = 128

SYMBOLS = ((-0.4, 0.14), (0.32, 0.14), (-0.4, -0.58), (0.32, -0.58))
KEY_HEIGHT, SYMBOL_SIDE, SYMBOL_POINTS = SURFACE + 0.2, 0.48, 32


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("tesseract"), reason="needs tesseract")
def test_words_and_figures_can_be_read_at_every_size() -> None:
    read_right = dict.fromkeys(SIZES, (0, 0))
    for name, kind in bomb_reading.KINDS.items():
        texts = list(kind.texts())
        for size in SIZES:
            good, total = right(read(kind, texts, size))
            assert good >= LEAST_RIGHT_OF_A_KIND * total, (name, size, good, total)
            read_right[size] = read_right[size][0] + good, read_right[size][1] + total
    for size, (good, total) in read_right.items():
        assert good >= LEAST_RIGHT * total, (size, good, total)


@pytest.mark.slow
@pytest.mark.parametrize("kind", bomb_colours.KINDS)
def test_colours_can_be_told_at_every_size(kind: str) -> None:
    for patch in bomb_colours.KINDS[kind]():
        for size in SIZES:
            assert patch.told(size) == patch.is_, size


@pytest.mark.slow
def test_the_clock_can_be_read_beside_every_module_of_its_face() -> None:
    read_there = set()
    bomb = filled("Button")
    for step in range(1, 60):
        home = bomb.modules[step % len(bomb.modules)].placed.id
        seen_bomb = opened(advanced(bomb, round(61.03 * SECOND_US * step - 5.7 * SECOND_US)), home)
        display = seen_bomb.clock.display(seen_bomb.time_us)
        for size in SIZES:
            assert clock(seen_bomb, size) == display
        read_there |= set(enumerate(display))
    assert {digit for place, digit in read_there if place == 4} == set("0123456789")


def test_strip_and_clock_are_legible_together_while_the_button_is_held() -> None:
    for home in filled("Button").modules[::2]:
        bomb = opened(filled("Button"), home.placed.id)
        bomb = later(acted(bomb, Hold(f"{home.placed.id}/button")).bomb, 1)
        module = fitted(bomb, home.placed.id).module
        assert isinstance(module, ButtonModule)
        assert home.placed.slot.face == TIMER_SLOT.face
        patch = bomb_colours.strip(bomb, home)
        for size in SIZES:
            assert clock(bomb, size) == bomb.clock.display(bomb.time_us)
            assert patch.told(size) == module.strip


def test_strikes_can_be_counted() -> None:
    for strikes in range(3):
        bomb = lit("Wires", strike_limit=3)
        struck = replace(bomb, strikes=(None,) * strikes)
        middles = [(0.3 * (number - 1), timer.STRIKES_Y) for number in range(3)]
        lit_up = reds(struck, SIZES[-1], [on_timer(*middle, 0.02) for middle in middles])
        assert (lit_up > LIT_RED).tolist() == [number < strikes for number in range(3)]


@pytest.mark.slow
def test_symbols_can_be_told_at_every_size() -> None:
    bomb = filled("Keypad")
    drawn = {name: 255 - symbols.mask(name, SYMBOL_POINTS).ravel() for name in symbols.NAMES}
    fours = bomb_reading.chunks((*symbols.NAMES, symbols.NAMES[0]), len(SYMBOLS))
    for home, four in zip(bomb.modules, fours, strict=False):
        shown = opened(with_fields(bomb, home.placed.id, puzzle=Keypad(four)), home.placed.id)
        for size in SIZES:
            for name, (x, y) in zip(four, SYMBOLS, strict=True):
                found = on_square(shown, home, (x, y, KEY_HEIGHT), size)
                likeness = {other: np.corrcoef(found, mask)[0, 1] for other, mask in drawn.items()}
                assert max(likeness, key=likeness.__getitem__) == name


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES[1:])
def test_ports_can_be_told_by_their_shapes_on_every_edge(edge: Edge) -> None:
    plates = [
        PortPlate(ports)
        for group in PORT_GROUPS
        for count in range(len(group) + 1)
        for ports in combinations(group, count)
    ]
    known = [plate_seen(plate, Mount("left", 1), SIZES[0]) for plate in plates]
    for place, size in zip(range(3), SIZES, strict=True):
        for number, plate in enumerate(plates):
            found = plate_seen(plate, Mount(edge, place), size)
            likeness = [np.corrcoef(found.ravel(), other.ravel())[0, 1] for other in known]
            assert plates[int(np.argmax(likeness))].ports == plates[number].ports


def plate_seen(plate: PortPlate, mount: Mount, size: Size) -> Any:
    """The brightness of a plate of ports, seen from its side, at 40 x 26 points of it."""
    bomb = lit("Wires", widgets=1)
    made = replace(bomb.plan.casing, widgets=(plate,), mounts=(Mount("front", 0), mount))  # type: ignore[arg-type]
    bomb = edge_shown(replace(bomb, plan=replace(bomb.plan, casing=made)), mount.edge)
    x, y = casing.mount_place(mount)
    points = [
        (x + dx, y + dy, 0.1)
        for dy in np.linspace(widgets.HEIGHT / 2, -widgets.HEIGHT / 2, 26)
        for dx in np.linspace(-widgets.WIDTH / 2, widgets.WIDTH / 2, 40)
    ]
    return sampled(bomb, mount.edge, points, size).mean(axis=1)


def on_square(bomb: Bomb, home: Fitted, middle: tuple[float, float, float], size: Size) -> Any:
    """The brightness of a module's square that a symbol fills, at points of it by rows."""
    x, y, _ = casing.slot_place(home.placed.slot)
    half = SYMBOL_SIDE / 2 * (1 - 1 / SYMBOL_POINTS)
    points = [
        (x + middle[0] + dx, y + middle[1] + dy, middle[2])
        for dy in np.linspace(half, -half, SYMBOL_POINTS)
        for dx in np.linspace(-half, half, SYMBOL_POINTS)
    ]
    return sampled(bomb, home.placed.slot.face, points, size).mean(axis=1)


def clock(bomb: Bomb, size: Size) -> str:
    """What the segments of the timer's clock spell."""
    places, left = [], -(4 * PITCH + DOT_PITCH) / 2 * FIGURE
    for pitch in (PITCH, PITCH, DOT_PITCH, PITCH, PITCH):
        places.append(left + pitch / 2 * FIGURE)
        left += pitch * FIGURE
    dot = places.pop(2)
    figures = "".join(figure(bomb, size, place) for place in places)
    (colon,) = reds(bomb, size, [on_timer(dot, timer.CLOCK_Y + 0.2 * FIGURE, 0.05)]) > LIT_RED
    return figures[:2] + (":" if colon else ".") + figures[2:]


def figure(bomb: Bomb, size: Size, x: float) -> str:
    """The digit about a place of the clock."""
    points = [
        on_timer(x + (dx - 0.5) * BREADTH * FIGURE, timer.CLOCK_Y + (dy - 0.5) * FIGURE, 0.05)
        for dx, dy in MIDDLES.values()
    ]
    shining = reds(bomb, size, points) > LIT_RED
    lit_up = {name for name, shines in zip(MIDDLES, shining, strict=True) if shines}
    return next((digit for digit, bars in SEGMENTS.items() if set(bars) == lit_up), "?")


def on_timer(x: float, y: float, z: float) -> tuple[float, float, float]:
    """A point of the timer in the frame of its face."""
    over, up, _ = casing.slot_place(TIMER_SLOT)
    return over + x, up + y, z + SURFACE


def reds(bomb: Bomb, size: Size, points: Sequence[tuple[float, float, float]]) -> Any:
    """How red the frame is at points of the timer's face."""
    return sampled(bomb, TIMER_SLOT.face, points, size)[:, 0]


def sampled(
    bomb: Bomb, side: Side, points: Sequence[tuple[float, float, float]], size: Size
) -> Any:
    """The colours (n, 3) of a frame of a size at points of a side."""
    places = (projected(bomb, side, points) * size).astype(int)
    pixels = np.asarray(resized(picture(bomb), size))
    return pixels[places[:, 1], places[:, 0]].astype(float)
