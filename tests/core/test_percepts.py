"""Percepts: captured, and told in words where words exist."""

import pickle

import pytest

from polyathlon.core.parts import Image, Text
from polyathlon.core.percepts import Percept, in_words, text_percept


def draw(shade: int) -> Image:
    return Image(1, 1, bytes([shade] * 3))


def tell(shade: int) -> str:
    return f"shade {shade}"


def test_in_words_replaces_the_signal_by_its_meaning() -> None:
    seen = Percept("lamp", "image", 7, draw, tell, facts={"suggests": "up"}, keep="phase")
    told = in_words(seen)
    assert (told.modality, told.render(), told.meaning) == ("text", Text("shade 7"), "shade 7")
    assert (told.channel, told.facts, told.keep) == ("lamp", {"suggests": "up"}, "phase")
    assert seen.render() == draw(7)


def test_in_words_survives_another_process() -> None:
    told = in_words(Percept("lamp", "image", 7, draw, tell))
    assert pickle.loads(pickle.dumps(told)) == told


def test_text_is_in_words_already() -> None:
    said = text_percept("note", "hello", keep="episode")
    assert in_words(said) is said
    assert (said.render(), said.meaning, said.keep) == (Text("hello"), "hello", "episode")


def test_what_has_no_meaning_cannot_be_told() -> None:
    with pytest.raises(ValueError, match="'lamp' has no meaning in words"):
        in_words(Percept("lamp", "image", 7, draw))
