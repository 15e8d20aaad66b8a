"""The 640 picture questions: how many there are, what they show, and the env around them."""

import json
import time
from collections import Counter
from functools import cache
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.world import Env
from polyathlon.envs.gptnt.bomb.bomb import Bomb, elements, fitted
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, frame, view
from polyathlon.envs.gptnt.bomb.modules.base import CUT_US
from polyathlon.envs.gptnt.bomb.questions import LETTERS, Choices
from polyathlon.envs.gptnt.bomb.trajectories import MOST_PICTURES, album
from polyathlon.envs.gptnt.simulator_vqa import SPEC, bank

COUNTS = {"reading": 152, "colour": 61, "counting": 205, "ambiguity": 91, "hallucination": 131}
SUBJECTS = sorted({subject for counts in bank.ALLOCATION.values() for subject in counts})
ALLOCATED = {
    "Wires": (0, 15, 30, 14, 12),
    "Button": (16, 14, 0, 0, 11),
    "Keypad": (0, 0, 12, 10, 12),
    "Simon Says": (0, 10, 8, 7, 12),
    "Who's On First": (34, 0, 22, 12, 12),
    "Memory": (26, 0, 25, 10, 12),
    "Maze": (0, 0, 25, 0, 12),
    "Morse Code": (14, 0, 0, 0, 12),
    "Complicated Wires": (0, 12, 33, 14, 12),
    "Wire Sequence": (14, 10, 25, 12, 12),
    "Passwords": (22, 0, 0, 12, 12),
    "Timer": (14, 0, 0, 0, 0),
    "Serial Number": (12, 0, 0, 0, 0),
    "Strikes": (0, 0, 25, 0, 0),
}
MANY_PIXELS = 60


@cache
def every_item() -> tuple[bank.Item, ...]:
    return tuple(
        item
        for category in bank.CATEGORIES
        for subject in bank.ALLOCATION[category]
        for item in bank.items(category, subject)
    )


def env(level: str, seed: int = 0, **options: object) -> Env:
    made = registry.make(SPEC.id, level, options)
    made.reset(seed)
    return made


def test_counts_and_allocation() -> None:
    assert tuple(COUNTS) == SPEC.levels == bank.CATEGORIES
    found = Counter((item.question.module, item.question.category) for item in every_item())
    for subject, counts in ALLOCATED.items():
        assert tuple(found[subject, category] for category in COUNTS) == counts
    for category, count in COUNTS.items():
        assert sum(n for (_, made), n in found.items() if made == category) == count
    assert sum(found.values()) == 640


@pytest.mark.slow
def test_the_bank_is_made_in_seconds() -> None:
    bank.items.cache_clear()
    album.cache_clear()
    every_item.cache_clear()
    began = time.process_time()
    assert len(every_item()) == 640
    assert time.process_time() - began < 30


def test_seeds_ask_every_item_once() -> None:
    for level, count in COUNTS.items():
        asked = env(level)
        seen = set()
        for seed in range(count):
            asked.reset(seed)
            seen.add(json.dumps(asked.state(), sort_keys=True))
        assert len(seen) == count
        asked.reset(count)
        assert json.dumps(asked.state(), sort_keys=True) in seen


def test_no_question_is_asked_twice_about_one_picture() -> None:
    assert len({(item.question.text, item.moment.bomb) for item in every_item()}) == 640


@pytest.mark.parametrize("subject", SUBJECTS)
def test_pictures_come_from_many_games_and_are_few(subject: str) -> None:
    moments = album(subject)
    used = {i.moment.bomb for i in every_item() if i.question.module == subject}
    assert len(used) <= len(moments) <= MOST_PICTURES
    assert len(used) >= min(10, max(ALLOCATED[subject]))
    assert len({moment.bomb.plan.mission.name for moment in moments}) >= 5
    assert {len(moment.bomb.modules) > 1 for moment in moments} == {True, False}


def test_both_collectors_play() -> None:
    moments = [moment for subject in SUBJECTS for moment in album(subject)]
    assert 0.3 < fmean(moment.collector == "optimal" for moment in moments) < 0.9
    assert any(moment.bomb.strikes for moment in moments)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_nothing_moves_in_a_picture(subject: str) -> None:
    """The picture of a moment later differs by the clock and by blinking lamps only."""
    for bomb in (moment.bomb for moment in album(subject)):
        assert bomb.phase == "lights_on"
        assert bomb.time_us - bomb.grip.moved_us >= 600_000
        if bomb.grip.zoomed is None:
            continue
        found = fitted(bomb, bomb.grip.zoomed)
        assert found.struck_us is None or bomb.time_us - found.struck_us >= 1_000_000
        cuts = getattr(found.module, "cut_us", ())
        assert all(bomb.time_us - cut >= CUT_US for cut in cuts)
        assert not getattr(found.module, "changing", lambda now: False)(bomb.time_us)
        assert bomb.time_us - getattr(found.module, "changed_us", -(10**9)) >= 200_000
        assert bomb.time_us - getattr(found.module, "pressed_us", -(10**9)) >= 300_000
        assert bomb.time_us - getattr(found.module, "wrong_us", -(10**9)) >= 1_000_000


def test_every_item_offers_both_ways_to_decline() -> None:
    for item in every_item():
        options = item.question.options
        assert 4 <= len(options) <= 8
        assert options.count(bank.SEVERAL) == options.count(bank.NONE) == 1
        right = {"ambiguity": bank.SEVERAL, "hallucination": bank.NONE}
        chosen = options[item.question.answer]
        assert chosen == right.get(item.question.category, item.ask.fits[:1] and item.ask.fits[0])
        fitting = [option for option in options if option in item.ask.fits]
        assert len(fitting) == {"ambiguity": len(fitting), "hallucination": 0}.get(
            item.question.category, 1
        )
        if item.question.category == "ambiguity":
            assert len(fitting) >= 2


def test_the_place_of_the_right_option_is_no_cue() -> None:
    first = fmean(item.question.answer == 0 for item in every_item())
    last = fmean(i.question.answer == len(i.question.options) - 1 for i in every_item())
    chance = fmean(1 / len(item.question.options) for item in every_item())
    assert abs(first - chance) < 0.06
    assert abs(last - chance) < 0.06
    assert 0.17 < chance < 0.21


def test_answers_vary() -> None:
    for category in ("reading", "colour", "counting"):
        for subject in bank.ALLOCATION[category]:
            right = Counter(i.ask.fits[0] for i in bank.items(category, subject))
            assert max(right.values()) <= 0.5 * right.total(), (category, subject, right)


def seen_parts(item: bank.Item) -> None:
    drawn = view(Shot(item.moment.bomb))
    for part in item.ask.parts:
        element = f"{item.moment.bomb.grip.zoomed}/{part}"
        pixels = (drawn.ids == drawn.elements.index(element) + 1).sum()
        assert pixels >= MANY_PIXELS, (item.question.text, element, pixels)


def test_parts_asked_about_can_be_pressed() -> None:
    for item in every_item():
        zoomed, within = item.moment.bomb.grip.zoomed, elements(item.moment.bomb)
        assert all(f"{zoomed}/{part}" in within for part in item.ask.parts), item


@pytest.mark.parametrize("subject", ["Wires", "Who's On First", "Wire Sequence", "Passwords"])
def test_parts_asked_about_are_seen(subject: str) -> None:
    items = [i for i in every_item() if i.question.module == subject and i.ask.parts]
    for item in items[:3]:
        seen_parts(item)


@pytest.mark.slow
def test_all_parts_asked_about_are_seen() -> None:
    for item in every_item():
        if item.ask.parts:
            seen_parts(item)


def other_clock(bomb: Bomb) -> Bomb:
    return replace(bomb, time_us=bomb.time_us - 1_000_000)


def other_serial(bomb: Bomb) -> Bomb:
    casing = bomb.plan.casing
    serial = replace(casing.serial, value="AB1CD2")
    return replace(bomb, plan=replace(bomb.plan, casing=replace(casing, serial=serial)))


def fewer_strikes(bomb: Bomb) -> Bomb:
    return replace(bomb, strikes=bomb.strikes[:-1])


@pytest.mark.parametrize(
    ("subject", "changed"),
    [("Timer", other_clock), ("Serial Number", other_serial), ("Strikes", fewer_strikes)],
)
def test_what_is_no_part_is_in_the_picture(subject: str, changed) -> None:  # type: ignore[no-untyped-def]
    for moment in album(subject)[::16]:
        there, without = frame(Shot(moment.bomb)), frame(Shot(changed(moment.bomb)))
        differing = sum(a != b for a, b in zip(there.rgb, without.rgb, strict=True))
        assert differing > 300


@pytest.mark.parametrize("level", SPEC.levels)
def test_the_oracle_is_right_and_chance_is_chance(level: str) -> None:
    oracle, random = registry.policy(SPEC.id, "oracle"), registry.policy(SPEC.id, "random")
    assert oracle is not None
    assert random is not None
    rng = stream(5, "test")
    right, guessed, chance = [], [], []
    for seed in range(COUNTS[level]):
        asked = env(level, seed)
        asked.act("observer", oracle(asked.state(), "observer", rng))
        right.append(asked.metrics()["correct"])
        chance.append(asked.metrics()["chance"])
        for _ in range(10):
            asked.reset(seed)
            asked.act("observer", random(asked.observe("observer"), rng))
            guessed.append(asked.metrics()["correct"])
    assert fmean(right) == 1
    assert abs(fmean(guessed) - fmean(chance)) < 0.06


def test_declining_is_counted() -> None:
    asked = env("ambiguity")
    several = registry.policy(SPEC.id, "several")
    none = registry.policy(SPEC.id, "none")
    assert several is not None
    assert none is not None
    asked.act("observer", several(asked.observe("observer"), stream(0, "x")))
    found = asked.metrics()
    assert (found["correct"], found["said_several"], found["said_none"]) == (1, 1, 0)
    asked.reset(0)
    asked.act("observer", none(asked.observe("observer"), stream(0, "x")))
    found = asked.metrics()
    assert (found["correct"], found["said_several"], found["said_none"]) == (0, 0, 1)


def test_an_unusable_answer_is_wrong() -> None:
    asked = env("reading")
    assert asked.act("observer", Malformed("nothing")).status == "malformed"
    assert asked.outcome() is not None
    assert asked.metrics()["answered"] == asked.metrics()["raw_score"] == 0


def test_one_subject_alone() -> None:
    asked = env("counting", module="Strikes")
    texts = set()
    for seed in range(25):
        asked.reset(seed)
        texts.add(json.dumps(asked.state(), sort_keys=True))
    assert len(texts) == 25
    with pytest.raises(UserError, match="no colour items about Maze: choose among Wires"):
        registry.make(SPEC.id, "colour", {"module": "Maze"})


def test_the_picture_has_the_size_asked_for() -> None:
    asked = env("colour", size="448x448", props=False)
    picture = asked.observe("observer").percepts[0].render()
    assert (picture.width_px, picture.height_px) == (448, 448)  # type: ignore[union-attr]


@given(st.text())
def test_any_reply_is_read(text: str) -> None:
    for item in every_item()[::160]:
        space = Choices(item.question.options)
        answer = space.parse(text)
        assert isinstance(answer, Malformed) or answer in space.letters


def test_an_options_own_words_are_an_answer() -> None:
    for item in every_item():
        space = Choices(item.question.options)
        for letter, words in zip(LETTERS, item.question.options, strict=False):
            assert space.parse(words) == space.parse(letter) == letter
