"""Harness settings: one meaning, one spelling, one label."""

from __future__ import annotations

import pytest

from polyathlon.agents.harness.config import (
    Harness,
    Reflect,
    See,
    harness,
    label,
    normalised,
    words,
)
from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError


def test_defaults_are_zero_shot() -> None:
    assert harness({}) == Harness()
    assert normalised({}) == {}
    assert label({}) == "zs"


@pytest.mark.parametrize(
    ("preset", "perception", "history", "reflection", "shown"),
    [
        ("off", "native", 0, "off", "zs"),
        ("none", "native", 0, "off", "zs"),
        ("memory", "native", 10, "every:1", "memory"),
        ("perception", "symbolic", 0, "off", "perception"),
        ("both", "symbolic", 10, "every:1", "both"),
        ("on", "symbolic", 10, "every:1", "both"),
    ],
)
def test_presets_are_the_published_settings(
    preset: str, perception: str, history: int, reflection: str, shown: str
) -> None:
    read = harness({"preset": preset})
    assert (read.perception.kind, read.history) == (perception, history)
    assert str(read.reflection) == reflection
    assert label({"preset": preset}) == shown
    assert harness(words([preset])) == read


def test_every_spelling_of_a_harness_normalises_to_the_same_mapping() -> None:
    spellings: list[dict[str, JSON]] = [
        {"preset": "both"},
        {"history": "10", "perception": "symbolic", "reflection": "every:1"},
        {"reflection": True, "history": 10, "perception": "symbolic", "grammar": "off"},
        {"history": 10, "reflection": "on", "perception": "symbolic", "temperature": None},
    ]
    assert {str(normalised(spelling)) for spelling in spellings} == {str(normalised(spellings[0]))}
    assert harness(normalised(spellings[0])) == harness(spellings[0])


def test_words_of_the_command_line() -> None:
    settings = words(["both,history=5", "reflection=every:3+invalid", "temperature=0.5"])
    read = harness(settings)
    assert read.history == 5
    assert read.reflection == Reflect(3, True)
    assert read.temperature == 0.5
    assert harness(words(["memory", "perception"])) == harness({"preset": "both"})


def test_labels_name_what_differs() -> None:
    assert label({"perception": "symbolic", "history": 5}) == "perception=symbolic,history=5"
    assert label({"preset": "both", "reasoning": "high"}) == "both,reasoning=high"
    assert label({"grammar": True, "seed": "3"}) == "zs,grammar=on,seed=3"


def test_a_caption_model_may_hold_colons_and_slashes() -> None:
    read = harness({"perception": "caption:vllm/NAME@http://localhost:8000/v1"})
    assert read.perception == See("caption", "vllm/NAME@http://localhost:8000/v1")


def test_yaml_words_that_turn_into_booleans() -> None:
    assert harness({"reasoning": False}).sampling.effort == "none"
    assert harness({"reflection": False}).reflection == Reflect()


def test_reasoning_maps_to_effort() -> None:
    assert harness({}).sampling.effort is None
    assert harness({"reasoning": "high"}).sampling.effort == "high"
    assert harness({"reasoning": "high"}).side_sampling.effort == "none"


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        ({"hystory": 3}, "history"),
        ({"preset": "memori"}, "memory"),
        ({"perception": "symbol"}, "symbolic"),
        ({"reflection": "evry:2"}, "every"),
        ({"reflection": "every:0"}, "from 1"),
        ({"history": "-1"}, "from 0"),
        ({"history": "many"}, "whole number"),
        ({"temperature": "nan"}, "a number from 0 to 2"),
        ({"grammar": "maybe"}, "on or off"),
        ({"context": "chatty"}, "chat"),
        ({"summary": "on"}, "history=10"),
    ],
)
def test_wrong_settings_say_what_to_write(settings: dict[str, JSON], hint: str) -> None:
    with pytest.raises(UserError, match=hint):
        harness(settings)


def test_wrong_words_say_what_to_write() -> None:
    with pytest.raises(UserError, match="perception"):
        words(["perceptoin"])
    with pytest.raises(UserError, match="history"):
        words(["histroy=3"])


@pytest.mark.parametrize(
    ("rule", "due"),
    [
        (Reflect(), []),
        (Reflect(1), [1, 2, 3, 4, 5, 6]),
        (Reflect(3), [3, 6]),
        (Reflect(0, True), [2]),
        (Reflect(3, True), [2, 3, 6]),
    ],
)
def test_when_reflection_is_due(rule: Reflect, due: list[int]) -> None:
    assert [turn for turn in range(7) if rule.due(turn, valid=turn != 2)] == due
