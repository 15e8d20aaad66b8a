"""Acceptance tests of section 22 of the specification, where no other file has them.

Bursts (22.5) are taken from the past scenes that a player is shown, ray and mask (22.6) are
compared in every pose, and the oracle (22.2) plays every published mission through its env.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.envs.bomb_by_hand import later, lit
from tests.envs.bomb_colours import part_of
from tests.envs.bomb_reading import box_on_module, picture, with_fields

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.bomb import Bomb, Click, TurnBomb, acted, elements, fitted
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, element_at, view
from polyathlon.envs.gptnt.bomb.looks.kit import SURFACE
from polyathlon.envs.gptnt.bomb.missions import MODULES, NEEDY
from polyathlon.envs.gptnt.bomb.modules.morse import DASH_UNITS, LETTER_GAP_UNITS, MorseModule
from polyathlon.envs.gptnt.bomb.modules.simon import BY_PLACE, SimonModule
from polyathlon.envs.gptnt.bomb.poses import TURNS, Pose
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp
from polyathlon.envs.gptnt.bomb.rulebook.morse import ALPHABET, Morse
from polyathlon.envs.gptnt.bomb.rulebook.simon import Simon
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.simulator import FRAME_US, MAX_FRAMES, LocalSimulator, Snapshot

STEP_US = 3 * SECOND_US
DARK = "."
LIT, LIT_KEY = 110, 200
"""Brightness, 0 to 255, above which a lamp is lit."""

SEQUENCES: tuple[tuple[Lamp, ...], ...] = (
    ("red", "red", "red", "red", "red"),
    ("red", "blue", "blue", "green", "red"),
    ("yellow", "green", "yellow", "yellow", "blue"),
)


def bursts(bomb: Bomb, quarters: int) -> Iterator[tuple[Bomb, ...]]:
    """What the sixteen newest frames show at every quarter second after opening a new bomb."""
    simulator = LocalSimulator()
    simulator.restore(Snapshot(bomb, (bomb,)))
    simulator.act(Click("m1"))
    for number in range(1, quarters):
        simulator.advance_to(number * FRAME_US)
        shots = (*simulator.past(MAX_FRAMES - 1), simulator.shot())
        assert len(shots) <= MAX_FRAMES
        yield tuple(shot.bomb for shot in shots)


def morse_lamp(bomb: Bomb) -> str:
    module = fitted(bomb, "m1").module
    assert isinstance(module, MorseModule)
    return "#" if module.lit(bomb.time_us) else DARK


def simon_lamp(bomb: Bomb) -> str:
    module = fitted(bomb, "m1").module
    assert isinstance(module, SimonModule)
    lamp = module.lamp(bomb.time_us)
    return lamp[0] if lamp else DARK


def blinking(word: str) -> Bomb:
    return with_fields(lit("Morse Code", back_placement=False), "m1", puzzle=Morse(word))


def flashing(flashes: tuple[Lamp, ...], stage: int) -> Bomb:
    bomb = lit("Simon Says", back_placement=False)
    return with_fields(bomb, "m1", puzzle=Simon(flashes), stage=stage)


@pytest.mark.parametrize("word", book(0).morse.frequencies_khz)
def test_some_burst_shows_each_letter_of_a_word_with_the_gap_after_it(word: str) -> None:
    seen = {"".join(map(morse_lamp, burst)) for burst in bursts(blinking(word), 300)}
    for letter in word:
        units = DARK.join("#" * (DASH_UNITS if mark == "-" else 1) for mark in ALPHABET[letter])
        assert any(units + DARK * LETTER_GAP_UNITS in burst for burst in seen), letter


@pytest.mark.parametrize(("flashes", "stage"), [*product(SEQUENCES, range(1, 6))])
def test_some_burst_shows_the_whole_sequence_and_where_it_begins(
    flashes: tuple[Lamp, ...], stage: int
) -> None:
    """Two dark frames in a row are only between two loops."""
    loop = DARK.join(2 * lamp[0] for lamp in flashes[:stage])
    seen = {"".join(map(simon_lamp, burst)) for burst in bursts(flashing(flashes, stage), 60)}
    assert any(2 * DARK + loop in burst for burst in seen)


def test_the_lamps_of_a_burst_can_be_told_from_its_pixels() -> None:
    *_, burst = bursts(blinking("vector"), 20)
    assert "".join(map(morse_lit, burst)) == "".join(map(morse_lamp, burst))
    *_, burst = bursts(flashing(SEQUENCES[1], 5), 20)
    assert "".join(map(simon_lit, burst)) == "".join(map(simon_lamp, burst))


def morse_lit(bomb: Bomb) -> str:
    """The lamp by the brightness of its rim."""
    box = box_on_module(bomb, fitted(bomb, "m1"), (-0.36, 0.72, -0.24, 0.78), 0.1 + SURFACE)
    seen = picture(bomb)
    left, top, right, bottom = map(round, box * np.tile(seen.size, 2))
    rim = np.asarray(seen.crop((left, top, right, bottom)))
    return "#" if rim.mean() > LIT else DARK


def simon_lit(bomb: Bomb) -> str:
    """The lamp that is brightest, if it is bright."""
    seen = np.asarray(picture(bomb)).max(axis=2)
    bright = {lamp: np.median(seen[np.asarray(part_of(bomb, lamp)) > 0]) for lamp in BY_PLACE}
    lamp = max(bright, key=bright.__getitem__)
    return lamp[0] if bright[lamp] > LIT_KEY else DARK


@pytest.mark.slow
@pytest.mark.parametrize("level", registry.env_spec("gptnt/defusal-v0").levels)
def test_the_oracle_solves_every_mission_by_a_defusers_actions(level: str) -> None:
    """One action a turn of three seconds, within the mission's time, without a strike."""
    oracle = registry.policy("gptnt/defusal-v0", "oracle")
    assert oracle is not None
    for seed in range(10):
        env: Any = registry.make("gptnt/defusal-v0", level)
        env.reset(seed)
        rng = stream(seed, "oracle")
        while env.outcome() is None:
            action = oracle(env.state(), "defuser", rng)
            seen = env.observe("defuser")
            sent = seen.actions.parse(seen.actions.write(action))
            assert env.act("defuser", sent).status != "malformed"
            env.advance_to(seen.time_us + STEP_US)
        metrics = env.metrics()
        assert (metrics["solved"], metrics["strikes"]) == (1.0, 0.0), (level, seed)


@pytest.mark.slow
@pytest.mark.parametrize("needy", [False, True])
def test_what_is_marked_is_pressed_in_every_pose_and_every_module(needy: bool) -> None:
    bomb = lit("Wires", needy=tuple(NEEDY) * 3) if needy else lit(*MODULES)
    poses = reachable(bomb)
    assert len(poses) == 16
    tested = set()
    for turned in poses.values():
        opened_up = [later(acted(turned, Click(name)).bomb) for name in elements(turned)]
        for shown in (turned, *opened_up):
            shot = Shot(shown)
            seen = view(shot)
            for element in seen.elements:
                place = seen.centroid(element)
                assert place is not None, element
                assert element_at(shot, *place) == element
                tested.add(element)
    assert len({name.partition("/")[0] for name in tested}) == len(bomb.modules)


def reachable(bomb: Bomb) -> dict[Pose, Bomb]:
    """The bomb in every pose there is a way to."""
    found, waiting = {bomb.grip.pose: bomb}, [bomb]
    while waiting:
        bomb = waiting.pop()
        for turn in TURNS:
            turned = later(acted(bomb, TurnBomb(turn)).bomb, 1)
            if turned.grip.pose not in found:
                found[turned.grip.pose] = turned
                waiting.append(turned)
    return found
