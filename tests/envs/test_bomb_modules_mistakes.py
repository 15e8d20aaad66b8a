"""What a mistake costs at each kind of module: one strike, and what the rules take away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from tests.envs.bomb_by_hand import answer, answered, later, lit, opened, state, tapped, tried

from polyathlon.envs.gptnt.bomb.bomb import (
    Bomb,
    Click,
    Hold,
    Reaction,
    Release,
    acted,
    advanced,
    fitted,
)
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.rulebook import button
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

SEEDS = range(8)
TAPPED = sorted(set(MODULES) - {"Button"})


def stages(kind: str, seed: int) -> Iterator[Bomb]:
    """The bomb before each right tap."""
    bomb = opened(lit(kind, seed=seed))
    yield bomb
    for reaction in answered(bomb):
        if reaction.verdict == "done":
            yield later(reaction.bomb)


def mistakes(bomb: Bomb) -> list[Reaction]:
    """Every tap that brings a strike now."""
    verdicts = tried(bomb)
    return [tapped(bomb, part) for part, verdict in verdicts.items() if verdict == "strike"]


def runtime(bomb: Bomb) -> dict[str, Any]:
    found: dict[str, Any] = state(bomb)["runtime"]
    return found


@pytest.mark.parametrize("kind", TAPPED)
def test_a_mistake_strikes_once_and_the_module_can_still_be_solved(kind: str) -> None:
    seen = 0
    for seed in SEEDS:
        for bomb in islice(stages(kind, seed), 3):
            for reaction in mistakes(bomb)[:2]:
                seen += 1
                struck = reaction.bomb
                assert [strike.module_id for strike in struck.strikes] == ["m1"]
                assert struck.clock.strikes_us == (bomb.time_us,)
                assert fitted(struck, "m1").struck_us == bomb.time_us
                *_, last = answered(later(struck))
                assert (last.verdict, len(last.bomb.strikes)) == ("solved", 1)
    assert seen > 5


@pytest.mark.parametrize("kind", ["Wires", "Keypad", "Simon Says", "Who's On First", "Memory"])
def test_only_one_part_is_right(kind: str) -> None:
    for seed in SEEDS:
        for bomb in stages(kind, seed):
            verdicts = tried(bomb)
            assert verdicts.pop(answer(bomb)) in ("done", "solved")
            keys = len(runtime(bomb).get("pressed", ()))
            assert Counter(verdicts.values()) == +Counter(strike=len(verdicts) - keys, nothing=keys)


@pytest.mark.parametrize("kind", ["Wires", "Complicated Wires"])
def test_a_wrong_wire_stays_cut(kind: str) -> None:
    for seed in SEEDS:
        bomb = opened(lit(kind, seed=seed))
        for reaction in mistakes(bomb):
            part = (reaction.element or "").partition("/")[2]
            assert runtime(reaction.bomb)["cut"] == [int(part[-1])]
            assert part not in tried(later(reaction.bomb))
            assert set(tried(bomb)) - {part} == set(tried(later(reaction.bomb)))


def test_the_rules_keep_asking_about_the_wires_there_were() -> None:
    for seed in SEEDS:
        bomb = opened(lit("Wires", seed=seed))
        right = answer(bomb)
        for part in tried(bomb):
            if part != right:
                bomb = later(tapped(bomb, part).bomb)
        assert tapped(bomb, right).verdict == "solved"


def test_a_keypad_keeps_what_was_right() -> None:
    for bomb in islice(stages("Keypad", 1), 1, 4):
        pressed = runtime(bomb)["pressed"]
        for reaction in mistakes(bomb):
            assert runtime(reaction.bomb)["pressed"] == pressed
        for key in pressed:
            assert tapped(bomb, f"key{key}").bomb == bomb


def test_simon_begins_the_stage_again_by_the_next_map() -> None:
    for seed in SEEDS:
        bomb = list(stages("Simon Says", seed))[-1]
        stage, entered = runtime(bomb)["stage"], runtime(bomb)["entered"]
        assert len(entered) == stage - 1 > 0
        for reaction in mistakes(bomb):
            after = runtime(reaction.bomb)
            assert (after["stage"], after["entered"]) == (stage, [])
            assert answer(reaction.bomb) != entered[0]  # the first two maps differ everywhere


def test_words_are_drawn_again_at_the_same_stage() -> None:
    for seed in SEEDS:
        for bomb in stages("Who's On First", seed):
            before = runtime(bomb)
            for reaction in mistakes(bomb):
                after = runtime(reaction.bomb)
                assert after["stage"] == before["stage"]
                assert after["current"] != before["current"]
            once = later(mistakes(bomb)[0].bomb)
            twice = mistakes(once)[0].bomb
            assert runtime(twice)["current"] != runtime(once)["current"]


def test_memory_goes_back_to_the_first_stage_with_other_digits() -> None:
    changed = 0
    for seed in SEEDS:
        bomb = list(stages("Memory", seed))[-1]
        assert runtime(bomb)["stage"] == 5
        for reaction in mistakes(bomb):
            after = runtime(reaction.bomb)
            assert (after["stage"], after["history"]) == (1, [])
            assert state(reaction.bomb)["config"] == state(bomb)["config"]
            changed += after["current"] != state(bomb)["config"]["stages"][0]
            assert len(list(answered(later(reaction.bomb)))) == 5
    assert changed > 2 * len(SEEDS)


def test_a_maze_shows_the_wall_that_was_hit() -> None:
    hit = set()
    for seed in SEEDS:
        bomb = opened(lit("Maze", seed=seed))
        verdicts = tried(bomb)
        row, column = runtime(bomb)["position"]
        around = {
            "up": [[row - 1, column], [row, column]],
            "down": [[row, column], [row + 1, column]],
            "left": [[row, column - 1], [row, column]],
            "right": [[row, column], [row, column + 1]],
        }
        for arrow in verdicts:
            if verdicts[arrow] == "strike":
                hit.add(arrow)
                after = tapped(bomb, arrow).bomb
                assert runtime(after)["position"] == [row, column]
                assert runtime(after)["revealed_walls"] == [around[arrow]]
                again = tapped(later(after), arrow)
                assert again.verdict == "strike"
                assert runtime(again.bomb)["revealed_walls"] == [around[arrow]]
            elif verdicts[arrow] == "nothing":
                beyond = next(cell for cell in around[arrow] if cell != [row, column])
                assert not {0, 7}.isdisjoint(beyond), "only the border just stops it"
                assert runtime(tapped(bomb, arrow).bomb) == runtime(bomb)
            else:
                moved = runtime(tapped(bomb, arrow).bomb)
                assert moved["position"] in around[arrow]
                assert moved["position"] != [row, column]
                assert moved["revealed_walls"] == []
    assert hit == {"up", "down", "left", "right"}


def test_a_sequence_stays_on_its_panel() -> None:
    reasons = set()
    for seed in SEEDS:
        for bomb in stages("Wire Sequence", seed):
            panel = runtime(bomb)["panel"]
            assert (tried(bomb)["down"] == "strike") == (answer(bomb) != "down")
            for reaction in mistakes(bomb):
                reasons.add((reaction.element or "")[3:7])
                after = runtime(reaction.bomb)
                assert after["panel"] == panel
                assert after["panels_done"] == runtime(bomb)["panels_done"]
    assert reasons == {"down", "wire"}


def test_going_back_up_a_sequence_is_free() -> None:
    for seed in SEEDS:
        bomb = list(stages("Wire Sequence", seed))[-1]
        assert runtime(bomb)["panel"] == 4
        cut = runtime(bomb)["cut"]
        for panel in (3, 2, 1):
            reaction = tapped(bomb, "up")
            assert reaction.verdict == "done"
            bomb = later(reaction.bomb)
            assert (runtime(bomb)["panel"], runtime(bomb)["panels_done"]) == (panel, 3)
        assert tapped(bomb, "up").verdict == "nothing"
        *downs, last = answered(bomb)
        assert [runtime(down.bomb)["panels_done"] for down in downs] == [3, 3, 3]
        assert last.verdict == "solved"
        assert runtime(bomb)["cut"] == cut


def test_receiver_and_dials_stay_as_they_are() -> None:
    for seed in SEEDS:
        bomb = opened(lit("Morse Code", "Passwords", seed=seed))
        if bomb != (moved := tapped(bomb, "right").bomb):
            bomb = later(moved)
        if answer(bomb) != "transmit":
            assert runtime(tapped(bomb, "transmit").bomb)["selected"] == runtime(bomb)["selected"]
        words = later(tapped(opened(lit("Passwords", seed=seed)), "up2").bomb)
        assert runtime(words)["indices"] == [0, 5, 0, 0, 0]
        if answer(words) != "submit":
            submitted = tapped(words, "submit")
            assert submitted.verdict == "strike"
            assert runtime(submitted.bomb)["indices"] == [0, 5, 0, 0, 0]


def test_a_receiver_stops_at_both_ends() -> None:
    bomb = opened(lit("Morse Code", seed=2))
    assert tapped(bomb, "left").bomb == bomb
    for _ in range(15):
        reaction = tapped(bomb, "right")
        assert reaction.verdict == "done"
        assert runtime(reaction.bomb)["selected"] > runtime(bomb)["selected"]
        bomb = later(reaction.bomb)
    assert tapped(bomb, "right").verdict == "nothing"
    assert runtime(bomb)["selected"] == 3.6


def test_dials_turn_round() -> None:
    bomb = opened(lit("Passwords"))
    for _ in range(6):
        bomb = later(tapped(bomb, "down3").bomb)
    assert runtime(bomb)["indices"] == [0] * 5
    assert runtime(tapped(bomb, "down3").bomb)["indices"] == [0, 0, 1, 0, 0]
    assert runtime(tapped(bomb, "up3").bomb)["indices"] == [0, 0, 5, 0, 0]


def held(bomb: Bomb) -> Bomb:
    return later(acted(bomb, Hold("m1/button")).bomb, 0.1)


def test_a_button_done_wrong_can_be_tried_again_with_another_strip() -> None:
    asked, strips = set(), []
    for seed in range(16):
        bomb = opened(lit("Button", seed=seed))
        module = fitted(bomb, "m1").module
        assert isinstance(module, ButtonModule)
        rules = book(0).button
        do = button.to_do(rules, module.puzzle, bomb.plan.casing.facts)
        asked.add(do)
        if do == "hold":
            assert acted(bomb, Click("m1/button")).verdict == "strike"
            continue
        strips.append(set())
        for _ in range(3):
            bomb = held(bomb)
            strips[-1].add(runtime(bomb)["strip_colour"])
            reaction = acted(bomb, Release())
            assert reaction.verdict == "strike"
            bomb = later(reaction.bomb)
            assert runtime(bomb) == {
                "solved": False,
                "held": False,
                "held_since_s": None,
                "strip_colour": None,
            }
        assert acted(bomb, Click("m1/button")).verdict == "solved"
    assert asked == {"tap", "hold"}
    assert any(len(colours) > 1 for colours in strips)


def test_instances_draw_apart_in_play() -> None:
    shown = set()
    for number in (1, 2):
        bomb = opened(lit("Memory", "Memory"), f"m{number}")
        after = runtime(mistakes(bomb)[0].bomb)["current"]
        shown.add((after["display"], *after["labels"]))
    assert len(shown) == 2


def test_a_button_released_at_another_digit_strikes() -> None:
    for seed in range(16):
        bomb = held(opened(lit("Button", seed=seed, time_limit_s=300)))
        module = fitted(bomb, "m1").module
        assert isinstance(module, ButtonModule)
        assert module.strip is not None
        rules = book(0).button
        asked = button.to_do(rules, module.puzzle, bomb.plan.casing.facts) == "hold"
        for _ in range(30):
            bomb = advanced(bomb, bomb.clock.changes_us(bomb.time_us))
            right = asked and button.may_release(
                rules, module.strip, bomb.clock.display(bomb.time_us)
            )
            assert acted(bomb, Release()).verdict == ("solved" if right else "strike")
