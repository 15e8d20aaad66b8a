"""The keypad's symbols: samples, descriptions, and the env around them."""

import json
from collections import Counter
from statistics import fmean

import pytest

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.parts import Image
from polyathlon.core.world import Env
from polyathlon.envs.gptnt.bomb.rulebook.book import standard
from polyathlon.envs.gptnt.bomb.symbols import CHARACTERS, LOOKS, NAMES
from polyathlon.envs.gptnt.keypad import SPEC, bank, gold

STANDARD = {name for column in standard().keypad.columns for name in column}


def env(level: str, seed: int = 0) -> Env:
    made = registry.make(SPEC.id, level)
    made.reset(seed)
    return made


def play(level: str, policy: str, seed: int) -> dict[str, float]:
    chosen = registry.policy(SPEC.id, policy)
    assert chosen is not None
    asked, rng = env(level, seed), stream(seed, "test", policy)
    if policy == "oracle":
        asked.act("describer", chosen(asked.state(), "describer", rng))
    else:
        asked.act("describer", chosen(asked.observe("describer"), rng))
    return dict(asked.metrics())


def test_forty_samples_show_every_standard_symbol() -> None:
    samples = bank.samples()
    assert len(samples) == len(set(samples)) == 40
    assert {sample.symbol for sample in samples} == STANDARD
    for level in SPEC.levels:
        states = set()
        asked = env(level)
        for seed in range(40):
            asked.reset(seed)
            states.add(json.dumps(asked.state(), sort_keys=True))
        assert len(states) == 40


def test_every_symbol_has_gold_descriptions_of_its_own() -> None:
    words = gold.symbols()
    assert set(words) == set(NAMES)
    told = [text for each in words.values() for text in (*each.gold, each.paraphrase)]
    assert len(set(told)) == len(told)
    for name, each in words.items():
        assert len(each.gold) >= 5 + 1
        assert each.gold[0] == LOOKS[name]
        assert all(text.isascii() and not gold.wordless(text) for text in each.gold)


def test_words_lead_to_their_symbol() -> None:
    for name, each in gold.symbols().items():
        assert all(gold.nearest(text) == name for text in (*each.gold, each.paraphrase))
    assert gold.nearest("") is None
    assert gold.nearest("qwxz") is None


def test_choices_are_five_descriptions_of_five_symbols() -> None:
    owner = {text: name for name, each in gold.symbols().items() for text in each.gold}
    for number, sample in enumerate(bank.samples()):
        question = bank.question(number)
        names = [owner[option] for option in question.options]
        assert len(set(names)) == len(names) == 5
        assert names[question.answer] == sample.symbol
        assert not {"big_yus", "iotified_yus"} <= set(names)
    places = Counter(bank.question(number).answer for number in range(40))
    assert len(places) == 5


@pytest.mark.parametrize("level", SPEC.levels)
def test_the_oracle_is_right_and_chance_is_chance(level: str) -> None:
    assert all(play(level, "oracle", seed)["correct"] for seed in range(40))
    found = [play(level, "random", seed) for seed in range(200)]
    assert abs(fmean(m["correct"] for m in found) - fmean(m["chance"] for m in found)) < 0.06


@pytest.mark.parametrize(("name", "character"), list(CHARACTERS.items())[:8])
def test_a_lookalike_is_no_description(name: str, character: str) -> None:
    seed = next((n for n, s in enumerate(bank.samples()) if s.symbol == name), 0)
    asked = env("open", seed)
    asked.act("describer", asked.observe("describer").actions.parse(character))
    found = asked.metrics()
    assert (found["correct"], found["lookalike"], found["wordless"]) == (0, 1, 1)


def test_words_beside_a_lookalike_still_count() -> None:
    asked = env("open")
    words = gold.symbols()[bank.samples()[0].symbol].paraphrase
    asked.act("describer", f"{CHARACTERS[bank.samples()[0].symbol]}: {words}")
    found = asked.metrics()
    assert (found["correct"], found["lookalike"], found["wordless"]) == (1, 1, 0)


@pytest.mark.parametrize("level", SPEC.levels)
def test_an_unusable_answer_is_wrong(level: str) -> None:
    asked = env(level)
    assert asked.act("describer", Malformed("nothing")).status == "malformed"
    assert asked.metrics()["answered"] == asked.metrics()["correct"] == 0
    assert asked.act("describer", "A").status == "illegal"


def test_drawings_differ_and_the_second_is_inverted() -> None:
    drawn = []
    for seed in range(40):
        picture = env("open", seed).observe("describer").percepts[0].render()
        assert isinstance(picture, Image)
        drawn.append(picture.rgb)
    assert len(set(drawn)) == 40
    assert drawn[0][0] == 255
    assert drawn[39][0] == 0


def test_the_open_question_does_not_tell_the_words() -> None:
    seen = env("open").observe("describer")
    assert [percept.channel for percept in seen.percepts] == ["symbol"]
    assert seen.percepts[0].meaning is None
