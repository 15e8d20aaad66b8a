import itertools
import math
from typing import get_args

import pytest

from polyathlon.envs.gptnt.bomb import symbols
from polyathlon.envs.gptnt.bomb.casing import (
    LABELS,
    LETTERS,
    PORT_GROUPS,
    BatteryHolder,
    Indicator,
    PortPlate,
    SerialNumber,
)
from polyathlon.envs.gptnt.bomb.looks import atlas, kit, timer, widgets
from polyathlon.envs.gptnt.bomb.looks.palette import COLOURS
from polyathlon.envs.gptnt.bomb.looks.turning import between, product, transposed
from polyathlon.envs.gptnt.bomb.poses import ALL, TURNS
from polyathlon.envs.gptnt.bomb.rulebook.book import ButtonLabel
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.media.raster import Camera, render


@pytest.mark.parametrize("rule_seed", [0, 1, 7])
def test_every_word_of_the_rules_can_be_written(rule_seed: int) -> None:
    rules = book(rule_seed)
    words = {*rules.words.read, *itertools.chain(*rules.words.groups), *rules.password.words}
    words |= {*rules.morse.frequencies_khz, *get_args(ButtonLabel), *LABELS, LETTERS}
    for word in words:
        assert set(word) | set(word.upper()) <= atlas.glyphs().keys(), word
    for column in rules.keypad.columns:
        for name in column:
            assert kit.symbol(name, 0.3).layers.max() < atlas.textures().count


def test_letters_and_symbols_lie_apart_in_the_texture() -> None:
    places = [glyph.uv for glyph in atlas.glyphs().values()]
    assert min(min(place) for place in places) >= 0
    assert max(max(place) for place in places) <= 1
    for (l0, t0, r0, b0), (l1, t1, r1, b1) in itertools.combinations(places, 2):
        assert r0 <= l1 or r1 <= l0 or b0 <= t1 or b1 <= t0
    assert len({atlas.symbol_place(name) for name in symbols.NAMES}) == len(symbols.NAMES)


def test_text_is_as_wide_as_its_letters_but_at_most_so_wide() -> None:
    def width(text: str, most: float = math.inf) -> float:
        x = kit.printed(text, 0.2, "white", most).vertices[:, 0]
        assert abs(x.max() + x.min()) < 1e-9
        return float(x.max() - x.min())

    assert width("MM") == pytest.approx(2 * width("M"))
    assert width("DETONATE", 0.5) == pytest.approx(0.5)
    assert width("I", 0.5) < 0.5
    assert len(kit.printed("", 0.2).faces) == 0


def test_colours_differ_in_lightness_so_that_they_differ_without_hue() -> None:
    def lightness(name: str) -> float:
        linear = [(part / 255) ** 2.2 for part in COLOURS[name]]
        y = sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
        return 116 * y ** (1 / 3) - 16

    ladder = [lightness(n) for n in ("black", "blue", "red", "green", "yellow", "white")]
    assert min(b - a for a, b in itertools.pairwise(ladder)) > 4


@pytest.mark.parametrize(
    "widget",
    [
        SerialNumber("WW8WW8"),
        BatteryHolder("D"),
        BatteryHolder("AA"),
        Indicator("MSA", True),
        *(PortPlate(ports) for ports in PORT_GROUPS),
        PortPlate(()),
    ],
)
def test_a_widget_stays_in_its_place(widget: widgets.Mounted | SerialNumber) -> None:
    x, y, z = widgets.mesh(widget).vertices.T
    assert abs(x).max() <= widgets.WIDTH / 2 + 1e-9
    assert abs(y).max() <= widgets.HEIGHT / 2 + 1e-9
    assert z.max() < 0.6


def test_a_lit_lamp_is_much_brighter_than_a_dark_one() -> None:
    camera = Camera((0, 0, 3), yaw_deg=-90, fov_deg=40, width_px=160, height_px=120)

    def brightness(lit: bool) -> float:
        drawn = render(widgets.mesh(Indicator("FRK", lit)), camera, atlas.textures())
        return float(drawn.colour[55:65, 45:60].mean())

    assert brightness(True) > 3 * brightness(False)


@pytest.mark.parametrize("limit", [1, 3, 8])
def test_strikes_fit_above_the_clock(limit: int) -> None:
    left, bottom, right, top = timer.READOUT
    x, y, _ = timer.readout("88:88", limit, limit).vertices.T
    assert left < x.min()
    assert x.max() < right
    assert bottom < y.min()
    assert y.max() < top


def test_a_turn_goes_from_one_pose_to_the_next() -> None:
    for pose in ALL:
        for turn in TURNS.values():
            start, end = pose.matrix, turn(pose).matrix
            assert between(start, end, 1.0) == end
            for share in (0.0, 0.3, 0.7):
                rows = between(start, end, share)
                unit = product(rows, transposed(rows))
                for i, j in itertools.product(range(3), repeat=2):
                    assert unit[i][j] == pytest.approx(float(i == j), abs=1e-9)
                    if share == 0:
                        assert rows[i][j] == pytest.approx(start[i][j], abs=1e-9)
            near = between(start, end, 0.999)
            assert all(
                abs(near[i][j] - end[i][j]) < 0.01 for i, j in itertools.product(range(3), repeat=2)
            )
