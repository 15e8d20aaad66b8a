"""What a bomb sounds like follows from what happened to it, however it is listened to."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.envs.gptnt.bomb import sounds
from polyathlon.envs.gptnt.bomb.bomb import Bomb, Click, TurnBomb
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator
from polyathlon.envs.gptnt.bomb.sounds import Cue, Heard, Sounded, played, told
from polyathlon.media.sound import RATE_HZ, samples

SECOND_US = 1_000_000


def lit(*modules: str, limit_s: int = 300, needy: tuple[str, ...] = ()) -> LocalSimulator:
    simulator = LocalSimulator()
    simulator.start(MissionSpec("heard", 3, limit_s, modules, needy=needy))
    simulator.lights_on()
    return simulator


def cues(simulator: LocalSimulator, since_us: int) -> list[tuple[float, Cue]]:
    """What begins in an interval up to now, in seconds from its start."""
    new = begun(simulator.heard(since_us))
    return [((cue.time_us - since_us) / SECOND_US, cue.cue) for cue in new]


def begun(heard: Heard) -> list[Sounded]:
    return [cue for cue in heard.cues if cue.time_us >= heard.since_us]


def open_first(simulator: LocalSimulator) -> Bomb:
    simulator.act(Click("m1"))
    return simulator.bomb


def test_the_timer_beeps_with_the_countdown() -> None:
    simulator = lit("Wires")
    simulator.advance_to(3 * SECOND_US)
    assert cues(simulator, 0) == [(0.0, "beep"), (1.0, "beep"), (2.0, "beep")]


def test_the_timer_hurries_near_the_end_and_then_the_bomb_explodes() -> None:
    simulator = lit("Wires", limit_s=33)
    simulator.advance_to(4 * SECOND_US)
    assert [cue for _, cue in cues(simulator, 0)] == ["beep"] * 3 + ["hurry"] * 2
    simulator.advance_to(60 * SECOND_US)
    assert simulator.time_us == 33 * SECOND_US
    late = cues(simulator, 32 * SECOND_US)
    assert [cue for _, cue in late] == ["hurry", "hurry", "explosion"]
    assert simulator.heard(32 * SECOND_US).until_us == 33 * SECOND_US + sounds.TAIL_US


def test_a_defused_bomb_says_so() -> None:
    simulator = lit("Wires")
    open_first(simulator)
    while simulator.phase == "lights_on":
        simulator.act(Click(simulator.elements()[0]))
    names = {cue for _, cue in cues(simulator, 0)}
    wanted = {"solved": "defused", "exploded_strikes": "explosion"}[simulator.phase]
    assert names & {"defused", "explosion"} == {wanted}


def test_a_strike_buzzes_and_the_timer_runs_faster() -> None:
    simulator = lit("Wires")
    open_first(simulator)
    simulator.advance_to(SECOND_US)
    wires = simulator.elements()
    reply = next(reply for wire in wires if (reply := simulator.act(Click(wire))).verdict != "done")
    assert reply.verdict in ("strike", "solved")
    simulator.advance_to(3 * SECOND_US)
    names = [cue for _, cue in cues(simulator, SECOND_US)]
    assert names[0] == "snip" or "snip" in names[:4]
    assert ("strike" in names) == (reply.verdict == "strike")


def test_simon_hums_when_it_is_looked_at_and_pressed() -> None:
    simulator = lit("Simon Says")
    simulator.advance_to(4 * SECOND_US)
    hums = set(sounds.HUMS_HZ)
    assert not hums & {cue for _, cue in cues(simulator, 0)}
    open_first(simulator)
    simulator.advance_to(6 * SECOND_US)
    flashes = simulator.bomb.modules[0].module.puzzle.flashes
    heard = [cue for _, cue in cues(simulator, 4 * SECOND_US) if cue in hums]
    assert heard == [flashes[0]]
    simulator.act(Click("m1/red"))
    simulator.advance_to(6 * SECOND_US + 100)
    assert "red" in {cue for _, cue in cues(simulator, 6 * SECOND_US)}


@pytest.mark.parametrize("kind", ["Vent", "Discharge", "Knob"])
def test_a_needy_module_alarms_when_it_wakes_and_before_it_strikes(kind: str) -> None:
    simulator = lit("Wires", needy=(kind,))
    heard: list[tuple[int, Cue]] = []
    while not simulator.bomb.strikes:
        since_us = simulator.time_us
        simulator.advance_to(since_us + SECOND_US)
        new = begun(simulator.heard(since_us))
        heard += [(cue.time_us, cue.cue) for cue in new if cue.cue in ("wakes", "warning")]
        assert simulator.time_us < 120 * SECOND_US
    struck_us = simulator.bomb.strikes[0].time_us
    assert [cue for _, cue in heard] == ["wakes"] + ["warning"] * sounds.WARNING_S
    assert [struck_us - time_us for time_us, _ in heard[1:]] == [
        second * SECOND_US for second in range(sounds.WARNING_S, 0, -1)
    ]


@given(
    steps=st.lists(st.tuples(st.integers(1, 2_500), st.integers(0, 20)), max_size=12),
    cut=st.floats(0.0, 1.0, exclude_max=True),
)
def test_nothing_is_missed_or_heard_twice_however_one_listens(
    steps: list[tuple[int, int]], cut: float
) -> None:
    """Listening after every step brings what listening once, or twice, to it all brings."""
    simulator = lit("Wires", "Simon Says", needy=("Discharge",))
    history, live = [simulator.bomb], []
    for pause_ms, choice in steps:
        if simulator.phase != "lights_on":
            break
        since_us = simulator.time_us
        simulator.advance_to(since_us + pause_ms * 1_000)
        live += begun(simulator.heard(since_us))
        elements = simulator.elements()
        act = Click(elements[choice % len(elements)]) if elements else TurnBomb("flip")
        if simulator.act(act).verdict != "nothing":
            history.append(simulator.bomb)
    if simulator.phase != "lights_on":
        live += begun(simulator.heard(simulator.time_us))
    until_us = simulator.time_us
    middle_us = int(until_us * cut)  # who listens until the end itself hears it ring out
    assert live == begun(sounds.heard(history, 0, until_us))
    halves = [sounds.heard(history, 0, middle_us), sounds.heard(history, middle_us, until_us)]
    assert live == [cue for half in halves for cue in begun(half)]


def test_a_sound_lasts_as_long_as_its_interval_and_goes_on_in_the_next() -> None:
    scene = Heard(0, SECOND_US, (Sounded(900_000, "strike"),))
    following = Heard(SECOND_US, 2 * SECOND_US, (Sounded(900_000, "strike"),))
    assert played(scene).duration_s == 1.0
    whole = samples(played(Heard(0, 2 * SECOND_US, scene.cues)))
    parts = np.concatenate([samples(played(scene)), samples(played(following))])
    assert np.array_equal(parts, whole)
    assert np.abs(whole[RATE_HZ : int(1.5 * RATE_HZ)]).max() > 0.1
    assert told(following) == "Nothing is to be heard."
    assert told(scene) == "0.90 s: a harsh buzz"


@pytest.mark.parametrize("cue", get_args(Cue))
def test_every_sound_has_words_fits_and_is_like_no_other(cue: Cue) -> None:
    scene = Heard(0, 2 * SECOND_US, (Sounded(0, cue),))
    sound = played(scene)
    assert told(scene) == f"0.00 s: {sounds.WORDS[cue]}"
    assert len(set(sounds.WORDS.values())) == len(get_args(Cue))
    assert np.abs(samples(sound)).max() > 0.1
    assert np.abs(samples(sound)[-100:]).max() < 0.01
    sounds._sample.cache_clear()
    assert played(scene).digest == sound.digest
    others = {
        played(Heard(0, 2 * SECOND_US, (Sounded(0, other),))).digest for other in sounds.WORDS
    }
    assert len(others) == len(sounds.WORDS)
