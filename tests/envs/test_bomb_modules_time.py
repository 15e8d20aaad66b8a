"""What modules do by the clock: lamps, the pauses of Simon Says, and changes to wait for."""

from __future__ import annotations

from typing import Any

import pytest
from tests.envs.bomb_by_hand import answer, answered, later, lit, opened, state, tapped, tried

from polyathlon.envs.gptnt.bomb.bomb import Bomb, ZoomOut, acted, advanced, fitted
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.morse import UNIT_US, MorseModule, blinking
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.rulebook import morse
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp
from polyathlon.envs.gptnt.bomb.rulebook.simon import Simon
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

FRAME_US = 250_000
FRAMES = 16


def runtime(bomb: Bomb) -> dict[str, Any]:
    found: dict[str, Any] = state(bomb)["runtime"]
    return found


def simon(bomb: Bomb) -> SimonModule:
    module = fitted(bomb, "m1").module
    assert isinstance(module, SimonModule)
    return module


def at_stage(stage: int) -> Bomb:
    """A Simon Says of five flashes at a stage, its lamps not yet flashing."""
    seed = next(s for s in range(99) if len(simon(lit("Simon Says", seed=s)).puzzle.flashes) == 5)
    bomb = opened(lit("Simon Says", seed=seed))
    for reaction in answered(bomb):
        if simon(bomb).stage == stage:
            break
        bomb = reaction.bomb
    return bomb


def lamps(module: SimonModule, since_us: int, frames: int = FRAMES) -> list[Lamp | None]:
    return [module.lamp(since_us + frame * FRAME_US) for frame in range(frames)]


def test_lamps_flash_half_a_second_with_dark_between() -> None:
    module = SimonModule(Simon(("red", "red", "blue")), stage=3, loop_us=0)
    loop = ["red", "red", None, "red", "red", None, "blue", "blue", None, None, None, None]
    assert lamps(module, 0, 30) == (loop * 3)[:30]
    assert module.lamp(-1) is None


@pytest.mark.parametrize("stage", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("flashes", [("red",) * 5, ("red", "blue", "blue", "green", "red")])
def test_some_burst_of_sixteen_frames_shows_the_whole_sequence(
    stage: int, flashes: tuple[Lamp, ...]
) -> None:
    module = SimonModule(Simon(flashes), stage=stage, loop_us=3)
    dark, pause = " ", " " * 4
    wanted = "".join(lamp[0] for lamp in flashes[:stage])
    found = set()
    for first in range(40):
        burst = "".join(lamp[0] if lamp else dark for lamp in lamps(module, first * FRAME_US))
        loops = [loop.split(dark) for loop in f"{pause}{burst}{pause}".split(pause)]
        found |= {"".join(flash[:1] for flash in loop) for loop in loops}
    assert wanted in found


def test_an_entry_at_one_press_a_turn_is_never_interrupted() -> None:
    bomb = at_stage(5)
    for pressed in range(5):
        assert len(runtime(bomb)["entered"]) == pressed
        reaction = tapped(bomb, answer(bomb))
        after = simon(reaction.bomb)
        assert not any(
            after.lamp(bomb.time_us + ms * 1_000) for ms in range(0, 3_000 if pressed < 4 else 9, 9)
        )
        bomb = later(reaction.bomb)
    assert reaction.verdict == "solved"


def test_a_half_entered_sequence_is_dropped_when_the_lamps_resume() -> None:
    bomb = at_stage(3)
    once = tapped(bomb, answer(bomb)).bomb
    assert len(runtime(later(once, 4.999_999))["entered"]) == 1
    assert simon(once).lamp(later(once, 4.999_999).time_us) is None
    resumed = later(once, 5)
    assert runtime(resumed)["entered"] == []
    assert runtime(resumed)["lamp"] == simon(once).puzzle.flashes[0]
    again = tapped(resumed, answer(resumed)).bomb
    assert len(runtime(again)["entered"]) == 1


def test_a_half_entered_sequence_is_dropped_on_zooming_out() -> None:
    bomb = at_stage(3)
    once = tapped(bomb, answer(bomb)).bomb
    left = acted(once, ZoomOut()).bomb
    assert simon(left).entered == ()
    back = opened(left)
    assert runtime(back)["entered"] == []
    assert tapped(back, answer(back)).verdict == "done"


def test_the_pauses_of_the_benchmark() -> None:
    first = lit("Simon Says")
    assert loop_begins(first) == SECOND_US
    bomb = opened(first)
    assert loop_begins(bomb) == SECOND_US // 2  # opened at 0
    struck = tapped(bomb, next(part for part, v in tried(bomb).items() if v == "strike"))
    assert loop_begins(struck.bomb) - bomb.time_us == SECOND_US
    stage = tapped(bomb, answer(bomb)).bomb
    assert loop_begins(stage) - bomb.time_us == SECOND_US
    entry = tapped(stage, answer(stage)).bomb
    assert loop_begins(entry) - stage.time_us == 5 * SECOND_US


def loop_begins(bomb: Bomb) -> int:
    """When the lamps of a module next begin with their first flash."""
    module = simon(bomb)
    assert module.lamp(module.loop_us) == module.puzzle.flashes[0]
    assert module.lamp(module.loop_us - 1) is None
    return module.loop_us


def test_the_sequence_restarts_whenever_it_is_zoomed_into() -> None:
    bomb = later(acted(at_stage(4), ZoomOut()).bomb, 2.7)
    assert loop_begins(opened(bomb)) == bomb.time_us + SECOND_US // 2


def test_lamps_are_dark_once_solved() -> None:
    *_, simon_solved = answered(opened(lit("Simon Says", "Wires")))
    solved = simon(simon_solved.bomb)
    assert not any(lamps(solved, simon_solved.bomb.time_us, 99))
    *_, morse_solved = answered(opened(lit("Morse Code", "Wires")))
    sent = fitted(morse_solved.bomb, "m1").module
    assert isinstance(sent, MorseModule)
    assert not any(sent.lit(i * UNIT_US) for i in range(99))


@pytest.mark.parametrize("rule_seed", [0, 1])
def test_every_word_can_be_read_from_its_lamp(rule_seed: int) -> None:
    letters = {code: letter for letter, code in morse.ALPHABET.items()}
    for word in book(rule_seed).morse.frequencies_khz:
        module = MorseModule(morse.Morse(word), ())
        seen = "".join("#" if module.lit(frame * FRAME_US) else " " for frame in range(400))
        assert seen.startswith("#")
        (read,) = set(seen.split(" " * 10)[:2])
        codes = [
            "".join("-" if mark == "###" else "." for mark in letter.split(" "))
            for letter in read.split(" " * 5)
        ]
        assert "".join(letters[code] for code in codes) == word


def test_a_burst_holds_every_letter_with_the_gap_after_it() -> None:
    assert max(len(blinking(letter)) - 10 + 5 for letter in "shellbombsvectorcox") == FRAMES
    assert blinking("e") == (True, *(False,) * 10)
    assert blinking("ee") == (True, *(False,) * 5, True, *(False,) * 10)


def test_the_lamp_of_the_export_is_the_lamp() -> None:
    bomb = opened(lit("Morse Code"))
    module = fitted(bomb, "m1").module
    assert isinstance(module, MorseModule)
    for step in range(40):
        bomb = later(bomb, 0.13)
        assert runtime(bomb)["lamp"] == module.lit(bomb.time_us), step
    period_s = len(blinking(module.puzzle.word)) / 4
    assert runtime(bomb)["phase_s"] == pytest.approx(bomb.time_us / SECOND_US % period_s)


@pytest.mark.parametrize(
    ("kind", "change_us"),
    [("Who's On First", 2_500_000), ("Memory", 1_500_000), ("Wire Sequence", 1_500_000)],
)
def test_presses_do_nothing_while_a_stage_changes(kind: str, change_us: int) -> None:
    bomb = opened(lit(kind, seed=3))
    for reaction in answered(bomb):
        if reaction.element == "m1/down" or kind != "Wire Sequence":
            break
    changed = reaction.bomb
    for part in tried(changed):
        last = tapped(advanced(changed, changed.time_us + change_us - 1), part)
        assert (last.verdict, last.element) == ("nothing", f"m1/{part}")
        assert last.bomb.modules == changed.modules
    ready = advanced(changed, changed.time_us + change_us)
    assert tapped(ready, answer(ready)).verdict == "done"


@pytest.mark.parametrize("kind", ["Who's On First", "Memory"])
def test_a_stage_drawn_again_changes_as_slowly(kind: str) -> None:
    bomb = opened(lit(kind, seed=3))
    wrong = next(part for part, verdict in tried(bomb).items() if verdict == "strike")
    struck = tapped(bomb, wrong).bomb
    assert set(tried(struck).values()) == {"nothing"}
    assert runtime(struck)["animating"]
    assert not runtime(later(struck))["animating"]
