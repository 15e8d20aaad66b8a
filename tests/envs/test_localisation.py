"""The 665 instructions: how many there are, that they can be followed, and the env around them."""

import json
from collections import Counter
from functools import cache
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.hidden import Hidden
from polyathlon.core.world import Env
from polyathlon.envs.gptnt.bomb.bomb import elements
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, view
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.play.actions import Mark, Point, marks
from polyathlon.envs.gptnt.localisation import SPEC, bank
from polyathlon.envs.gptnt.localisation.answers import NONE, Coordinates, Letters
from polyathlon.envs.gptnt.localisation.phrases.wording import ANSWERABLE

COUNTS = {
    "reading": 71,
    "colour": 60,
    "counting": 72,
    "element": 66,
    "position": 128,
    "ambiguity": 130,
    "hallucination": 138,
}
SCORED = (28, 22, 53, 21, 54, 22, 35, 32, 50, 46, 34)
"""By module, as Table 10 of the paper implies."""
PARADIGMS = ("markers", "absolute", "scaled", "relative")
MANY_PIXELS = 60


@cache
def every_item() -> tuple[bank.Item, ...]:
    return tuple(
        item
        for category in bank.CATEGORIES
        for module in bank.ALLOCATION[category]
        for item in bank.items(category, module)
    )


def env(level: str, seed: int = 0, **options: object) -> Env:
    made = registry.make(SPEC.id, level, options)
    made.reset(seed)
    return made


def metrics(level: str, answer: str, seed: int = 0, **options: object) -> dict[str, float]:
    asked = env(level, seed, **options)
    asked.act("pointer", asked.observe("pointer").actions.parse(answer))
    return dict(asked.metrics())


def test_counts_and_allocation() -> None:
    assert tuple(COUNTS) == SPEC.levels == bank.CATEGORIES
    assert Counter(item.category for item in every_item()) == COUNTS
    scored = Counter(item.module for item in every_item() if item.category in ANSWERABLE)
    assert tuple(scored[module] for module in MODULES) == SCORED
    assert sum(SCORED) == 397
    assert len(every_item()) == 665


def test_seeds_give_every_instruction_once() -> None:
    for level, count in COUNTS.items():
        asked = env(level)
        seen = set()
        for seed in range(count):
            asked.reset(seed)
            seen.add(json.dumps(asked.state(), sort_keys=True))
        assert len(seen) == count


def test_no_instruction_is_given_twice_about_one_picture() -> None:
    assert len({(item.phrase.text, item.moment.bomb) for item in every_item()}) == 665


def test_targets_can_be_pressed_and_only_one_fits() -> None:
    for item in every_item():
        within = elements(item.moment.bomb)
        fits = [f"{item.moment.bomb.grip.zoomed}/{part}" for part in item.phrase.fits]
        assert set(fits) <= set(within)
        if item.category in ANSWERABLE:
            assert fits == [item.target]
        else:
            assert item.target is None
            assert (len(fits) > 1) == (item.category == "ambiguity")


def test_targets_vary() -> None:
    for module in MODULES:
        targets = [i.target for i in every_item() if i.module == module and i.target]
        parts = Counter(target.partition("/")[2] for target in targets)
        if module != "Button":
            assert max(parts.values()) <= 0.5 * len(targets), (module, parts)


def seen(item: bank.Item) -> None:
    drawn = view(Shot(item.moment.bomb))
    for part in item.phrase.fits:
        number = drawn.elements.index(f"{item.moment.bomb.grip.zoomed}/{part}") + 1
        assert (drawn.ids == number).sum() >= MANY_PIXELS, item.text


@pytest.mark.parametrize("category", bank.CATEGORIES)
def test_targets_are_seen(category: bank.Category) -> None:
    module = next(iter(bank.ALLOCATION[category]))
    for item in bank.items(category, module)[:2]:
        seen(item)


@pytest.mark.slow
def test_all_targets_are_seen() -> None:
    for item in every_item():
        seen(item)


def oracle_rate(level: str, paradigm: str, seeds: range, size: str = "640x480") -> float:
    policy = registry.policy(SPEC.id, "oracle")
    assert policy is not None
    right = []
    asked = env(level, paradigm=paradigm, size=size)
    for seed in seeds:
        asked.reset(seed)
        space = asked.observe("pointer").actions
        answer = policy(asked.state(), "pointer", stream(0, "x"))
        assert space.parse(space.write(answer)) == answer
        asked.act("pointer", answer)
        right.append(asked.metrics()["correct"])
        assert asked.metrics()["distance"] == 0
    return fmean(right)


@pytest.mark.parametrize("level", SPEC.levels)
def test_the_oracle_is_always_right_by_markers(level: str) -> None:
    assert oracle_rate(level, "markers", range(COUNTS[level])) == 1


@pytest.mark.parametrize("paradigm", PARADIGMS[1:])
def test_the_oracle_is_right_by_coordinates(paradigm: str) -> None:
    assert oracle_rate("position", paradigm, range(3)) == 1
    assert oracle_rate("colour", paradigm, range(2), "448x448") == 1
    assert oracle_rate("ambiguity", paradigm, range(10)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("paradigm", PARADIGMS[1:])
@pytest.mark.parametrize("level", SPEC.levels)
def test_the_oracle_is_always_right_by_coordinates(level: str, paradigm: str) -> None:
    assert oracle_rate(level, paradigm, range(COUNTS[level]), "448x448") == 1


def test_random_markers_score_near_chance() -> None:
    random = registry.policy(SPEC.id, "random")
    assert random is not None
    rng = stream(3, "test")
    for level in SPEC.levels:
        asked = env(level)
        guessed, chance = [], []
        for seed in range(COUNTS[level]):
            for _ in range(5):
                asked.reset(seed)
                asked.act("pointer", random(asked.observe("pointer"), rng))
                guessed.append(asked.metrics()["correct"])
                chance.append(1 / (asked.metrics()["elements"] + 1))
        assert abs(fmean(guessed) - fmean(chance)) < 0.08


def test_a_label_that_does_not_exist_is_wrong_and_counted() -> None:
    found = metrics("colour", "Z")
    assert (found["correct"], found["unknown_label"], found["answered"]) == (0, 1, 1)
    found = metrics("ambiguity", "Z")
    assert (found["correct"], found["unknown_label"]) == (0, 1)


def test_none_is_right_where_nothing_or_too_much_fits() -> None:
    for level in SPEC.levels:
        found = metrics(level, "none")
        assert found["said_none"] == 1
        assert found["correct"] == (level not in ANSWERABLE)


def test_a_point_beside_everything_has_a_distance() -> None:
    found = metrics("position", "(1, 1)", paradigm="scaled")
    assert (found["correct"], found["beside"]) == (0, 1)
    assert 0.1 < found["distance"] < 1
    found = metrics("hallucination", "0, 0", paradigm="absolute")
    assert (found["correct"], found["distance"]) == (0, 1)


@pytest.mark.parametrize("answer", ["", "the left one", "A and B", "A, B", "12, 13"])
def test_unusable_labels_are_wrong(answer: str) -> None:
    found = metrics("colour", answer)
    assert (found["correct"], found["answered"], found["distance"]) == (0, 0, 1)


@pytest.mark.parametrize("answer", ["", "A", "5", "700, 20", "-1, 4", "1, 2, 3", "nan, nan"])
def test_unusable_points_are_wrong(answer: str) -> None:
    found = metrics("colour", answer, paradigm="absolute")
    assert (found["correct"], found["answered"]) == (0, 0)


def test_the_same_instructions_for_all_paradigms() -> None:
    for seed in range(5):
        told = {
            env("counting", seed, paradigm=paradigm).observe("pointer").percepts[1].meaning
            for paradigm in PARADIGMS
        }
        assert len(told) == 1


def test_answers_of_another_paradigm_are_illegal() -> None:
    assert env("colour").act("pointer", Point(1, 1)).status == "illegal"
    asked = env("colour", paradigm="relative")
    assert asked.act("pointer", Mark("A", "m1/wire1")).status == "illegal"
    assert env("colour", paradigm="relative").act("pointer", Point(3, 1)).status == "illegal"


BOMB = bank.items("colour", "Wires")[0].moment.bomb
LETTERS = Letters(Hidden(BOMB), marks(elements(BOMB)))


@pytest.mark.parametrize(
    "text", ["B", "b", "(B)", "**B**", "Marker B", "label: B", "The answer is B.", '"B"', "[b]"]
)
def test_letters_are_read(text: str) -> None:
    assert LETTERS.parse(text) == LETTERS.marks[1]


@pytest.mark.parametrize(
    "text",
    [
        "12, 34",
        "(12, 34)",
        "[12,34]",
        "12 34",
        '{"x": 12, "y": 34}',
        "x=12, y=34",
        "**12, 34**",
        "Point: 12; 34",
        "the location is (12.0, 34.0)",
        "<12, 34>",
    ],
)
def test_coordinates_are_read(text: str) -> None:
    assert Coordinates("absolute", (640, 480)).parse(text) == Point(12, 34)


@pytest.mark.parametrize("text", ["none", "None.", "NONE", "answer: none", "**none**"])
def test_none_is_read(text: str) -> None:
    assert LETTERS.parse(text) == Coordinates("scaled", (640, 480)).parse(text) == NONE


@given(st.text())
def test_any_reply_is_read(text: str) -> None:
    assert isinstance(LETTERS.parse(text), Malformed | Mark | str)
    assert isinstance(Coordinates("relative", (640, 480)).parse(text), Malformed | Point | str)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(PARADIGMS[1:]))
def test_a_click_reads_back(x: float, y: float, paradigm: str) -> None:
    space = Coordinates(paradigm, (504, 504))  # type: ignore[arg-type]
    point = space.from_point("view", x, y)
    assert point is not None
    assert space.parse(space.write(point)) == point


def test_a_click_on_a_part_means_its_marker() -> None:
    drawn = view(Shot(BOMB))
    for mark in LETTERS.marks:
        assert mark.element is not None
        middle = drawn.centroid(mark.element)
        assert middle is not None
        assert LETTERS.from_point("view", *middle) == mark
    assert LETTERS.from_point("view", 0.0, 0.0) is None


def test_one_module_alone() -> None:
    asked = env("reading", module="Passwords")
    assert {asked.reset(seed) or asked.state()["module"] for seed in range(8)} == {"Passwords"}  # type: ignore[index, call-overload, func-returns-value]
    with pytest.raises(UserError, match="no colour items about Maze"):
        registry.make(SPEC.id, "colour", {"module": "Maze"})


def test_markers_are_drawn_only_where_they_name_places() -> None:
    pictures = {p: env("colour", paradigm=p).observe("pointer").percepts[0] for p in PARADIGMS}
    assert pictures["scaled"].render() == pictures["relative"].render()
    assert pictures["markers"].render() != pictures["scaled"].render()
