"""Whispered Pathfinding: what is seen, heard and read, and the lies of each channel."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.chance import stream
from polyathlon.core.parts import Image, Text
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.pathfinding import SPEC, directions, figures, guidance, view
from polyathlon.envs.omniplay.pathfinding.directions import SECTORS
from polyathlon.envs.omniplay.pathfinding.maze import START, centre, leg_end, route
from polyathlon.envs.omniplay.pathfinding.moves import MOVES, Move
from polyathlon.envs.omniplay.pathfinding.rules import ROLE, Rules
from polyathlon.media.speech import Spoken

BEARING = st.floats(-180, 180, exclude_min=True)
TURNED = {"ahead": "behind", "behind": "ahead", "left": "right", "right": "left"}
ALONG = {(1, 0): 0.0, (0, 1): 90.0, (-1, 0): 180.0, (0, -1): 270.0}


def game(level: str = "hard", seed: int = 0, **options: object) -> Rules:
    rules = Rules(level, **SPEC.configure(options))
    rules.reset(seed)
    return rules


def before_the_beacon(level: str = "easy") -> Rules:
    """Two cells before the beacon, in its line."""
    for seed in range(50):
        rules = game(level, seed)
        here, link, target = list(route(rules.rows, START))[-3:]
        step = link[0] - here[0], link[1] - here[1]
        if (target[0] - link[0], target[1] - link[1]) == step:
            rules.position, rules.heading = centre(here), ALONG[step]
            return rules
    raise AssertionError("no such maze")


def percepts(rules: Rules) -> dict[str, Percept]:
    return {percept.channel: percept for percept in view.percepts(rules, ROLE)}


def moments(count: int = 60) -> list[Rules]:
    """Poses of random play on all levels."""
    found = []
    for number in range(count):
        rules, rng = game(SPEC.levels[number % 3], number), stream(number, "test")
        for _ in range(number % 20):
            rules.act(ROLE, MOVES.sample(rng))
        if rules.pending():
            found.append(rules)
    return found


def painted(percept: Percept) -> np.ndarray:
    part = percept.render()
    assert isinstance(part, Image)
    return np.frombuffer(part.rgb, np.uint8).reshape(480, 640, 3).astype(int)


@pytest.mark.parametrize(
    ("bearing", "quarter", "sector"),
    [
        (0, "ahead", "straight ahead"),
        (22, "ahead", "straight ahead"),
        (44, "ahead", "slightly right"),
        (-46, "left", "slightly left"),
        (90, "right", "on the right"),
        (-112, "left", "on the left"),
        (-114, "left", "back left"),
        (136, "behind", "back right"),
        (180, "behind", "behind you"),
        (-158, "behind", "behind you"),
    ],
)
def test_directions_in_words(bearing: float, quarter: str, sector: str) -> None:
    assert directions.quarter(bearing) == quarter
    assert directions.sector(bearing) == sector


@given(BEARING)
def test_the_opposite_direction_has_the_opposite_words(bearing: float) -> None:
    turned = directions.wrapped(bearing + 180)
    assert -180 < turned <= 180
    there, back = (SECTORS.index(directions.sector(each)) for each in (bearing, turned))
    assert (there - back) % 8 == 4
    assert directions.opposite(directions.quarter(bearing)) == directions.quarter(turned)


def test_the_voice_tells_distance_side_and_turn() -> None:
    rules = game(seed=0)
    rules.heading = 0.0
    assert leg_end(rules.rows, START) == centre((3, 1))
    heard = percepts(rules)["guidance"]
    assert heard.meaning == "Goal in 11.3 metres, slightly right. Go straight on."
    assert heard.facts == {"words": heard.meaning, "suggests": "ahead"}
    lie = heard.counterfactuals["opposite"]
    assert lie.meaning == "Goal in 11.3 metres, back left. Turn around."
    assert lie.facts["suggests"] == "behind"
    rules.act(ROLE, Move(0.0, 90.0))
    assert percepts(rules)["guidance"].meaning == ("Exit in 11.3 metres, slightly left. Turn left.")


def test_what_is_said_is_understood() -> None:
    for rules in moments():
        heard = percepts(rules)["guidance"]
        for each in (heard, *heard.counterfactuals.values()):
            assert each.scene.words == each.facts["words"] == each.meaning
            assert guidance.understood(str(each.meaning)) == each.facts["suggests"]
    assert guidance.understood("hum") is None


def test_the_voice_comes_from_the_side_of_the_target_if_asked() -> None:
    rules = game(spatial=True, voice="piper")
    for heading, pan in ((45.0, 0.0), (315.0, 1.0), (135.0, -1.0)):
        rules.heading = heading
        heard = percepts(rules)["guidance"]
        assert isinstance(heard.scene, Spoken)
        assert heard.scene.voice == "piper"
        assert heard.scene.pan == pytest.approx(pan, abs=1e-3)
        assert heard.counterfactuals["opposite"].scene.pan == pytest.approx(-pan, abs=1e-3)
    assert percepts(game())["guidance"].scene.pan == 0.0


def test_the_state_block_has_five_lines() -> None:
    rules = game(seed=0)
    rules.heading = 0.0
    read = percepts(rules)["state"]
    assert read.render() == Text(str(read.meaning))
    assert str(read.meaning).splitlines() == [
        "Current position: x=1.50, y=1.50",
        "Current orientation: 0.00°",
        "Distance to target: 11.31m",
        "Direction to target: 45.00°",
        "Distance to walls: front=2.50m, right=0.50m, back=0.50m, left=0.50m",
    ]


def test_the_inverted_state_turns_two_figures_and_no_other() -> None:
    for rules in moments():
        read = percepts(rules)["state"]
        lie = read.counterfactuals["inverted"]
        truth, told = figures.read(str(read.meaning)), figures.read(str(lie.meaning))
        assert (told.orientation_deg - truth.orientation_deg) % 360 == pytest.approx(180, abs=0.02)
        assert (told.direction_deg - truth.direction_deg) % 360 == pytest.approx(180, abs=0.02)
        assert (told.x_m, told.y_m, told.distance_m, told.walls_m) == (
            truth.x_m, truth.y_m, truth.distance_m, truth.walls_m,
        )  # fmt: skip
        assert lie.facts["suggests"] == TURNED[str(read.facts["suggests"])]
        assert truth.direction_deg == pytest.approx(read.scene.direction_deg, abs=0.006)


def test_the_arrow_never_contradicts_the_voice_and_its_lie_always_does() -> None:
    drawn = 0
    for rules in moments():
        seen = percepts(rules)
        arrow, turn = seen["view"].scene.arrow, seen["guidance"].facts["suggests"]
        straight = directions.quarter(seen["state"].scene.direction_deg)
        assert (arrow is not None) == (straight == turn)
        if arrow is None:
            assert "suggests" not in seen["view"].facts
            assert not seen["view"].counterfactuals
            continue
        drawn += 1
        assert arrow == turn == seen["view"].facts["suggests"]
        lie = seen["view"].counterfactuals["opposite"]
        assert lie.scene.arrow == lie.facts["suggests"] == TURNED[arrow]
        assert lie.scene.rows == seen["view"].scene.rows
    assert 10 < drawn < 60


def test_the_mini_map_shows_what_has_been_seen_within_three_cells() -> None:
    rules = game(seed=0)
    rules.heading = 0.0
    rules.reset(0)
    chart = percepts(rules)["view"].scene.mini_map()
    assert len(chart) == 7
    assert {len(row) for row in chart} == {7}
    assert chart[3][3] == "."
    assert chart[2][2:5] == "###"
    assert [row[:2] for row in chart] == ["??"] * 7


def test_the_words_of_the_view() -> None:
    rules = before_the_beacon()
    rules.last = Move(1.25, 35.0)
    lines = str(percepts(rules)["view"].meaning).splitlines()
    assert lines[0].startswith("free view from the left edge to the right in metres: 0.")
    assert lines[1:4] == [
        "beacon: in view at +0° (right is positive)",
        "arrow: ahead",
        "last move: turn +35.00°  advance 1.25 m",
    ]
    rules.heading = (rules.heading + 180) % 360
    assert "beacon: not in view" in str(percepts(rules)["view"].meaning)


def test_the_beacon_is_drawn_in_line_of_sight_only() -> None:
    def cyan(percept: Percept) -> int:
        red, green, blue = painted(percept)[100:380, 200:440].reshape(-1, 3).T
        return int(((green > red + 50) & (blue > red + 50)).sum())

    rules = before_the_beacon()
    assert cyan(percepts(rules)["view"]) > 300
    for heading in (90.0, 180.0, 270.0):
        rules.heading = (rules.heading + 90.0) % 360
        assert cyan(percepts(rules)["view"]) == 0, heading


def test_the_opposite_arrow_changes_nothing_but_the_arrow() -> None:
    seen = percepts(before_the_beacon())["view"]
    differs = (painted(seen) != painted(seen.counterfactuals["opposite"])).any(axis=2)
    rows, columns = np.nonzero(differs)
    assert len(rows) > 500
    assert rows.min() >= 480 - 118
    assert 268 <= columns.min() <= columns.max() < 372


def test_scenes_travel_to_other_processes() -> None:
    for percept in view.percepts(game(), ROLE):
        assert pickle.loads(pickle.dumps(percept)) == percept
