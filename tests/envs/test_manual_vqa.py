"""The 884 manual questions: how many there are, their options, and the env around them."""

import json
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.world import Env
from polyathlon.envs.gptnt.bomb import manual
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.questions import Question
from polyathlon.envs.gptnt.manual_vqa import SPEC, bank, view

COUNTS = {"reading": 191, "grounding": 60, "procedural": 499, "ambiguity": 64, "hallucination": 70}
ALLOCATED = {
    "reading": [14, 16, 8, 24, 38, 20, 6, 22, 8, 22, 13],
    "procedural": [46, 46, 45, 45, 46, 46, 45, 45, 45, 45, 45],
    "ambiguity": [6, 6, 6, 6, 6, 6, 5, 6, 6, 6, 5],
    "hallucination": [7, 7, 7, 6, 7, 6, 6, 6, 6, 6, 6],
}
GROUNDED = {"Keypad": 24, "Maze": 18, "Morse Code": 6, "Complicated Wires": 6, "Widgets": 6}


@cache
def items(category: bank.Category, rule_seed: int = 0) -> tuple[Question, ...]:
    return tuple(bank.question(category, slot, rule_seed) for slot in bank.slots(category))


def env(level: str, seed: int = 0, **options: object) -> Env:
    made = registry.make(SPEC.id, level, options)
    made.reset(seed)
    return made


def test_counts_and_allocation() -> None:
    assert SPEC.levels == bank.CATEGORIES == tuple(COUNTS)
    for category in bank.CATEGORIES:
        found = Counter(item.module for item in items(category))
        assert sum(found.values()) == COUNTS[category]
        if category == "grounding":
            assert found == GROUNDED
        else:
            assert [found[module] for module in MODULES] == ALLOCATED[category]
        assert {item.category for item in items(category)} == {category}
    assert sum(COUNTS.values()) == 884


def test_seeds_ask_every_item_once() -> None:
    for level, count in COUNTS.items():
        asked = env(level, manual="none")
        seen = set()
        for seed in range(count):
            asked.reset(seed)
            seen.add(json.dumps(asked.state(), sort_keys=True))
        assert len(seen) == count
        asked.reset(count + 3)
        again = asked.state()
        asked.reset(3)
        assert asked.state() == again


def test_a_module_has_its_own_seeds() -> None:
    asked = env("procedural", module="Maze", manual="none")
    texts = set()
    for seed in range(45):
        asked.reset(seed)
        (question,) = asked.observe("reader").percepts
        assert question.facts["module"] == "Maze"
        texts.add(question.meaning)
    assert len(texts) == 45
    with pytest.raises(UserError, match="no grounding items about Wires: choose among Keypad"):
        registry.make(SPEC.id, "grounding", {"module": "Wires"})


def test_options_and_texts_differ() -> None:
    everything = [item for category in bank.CATEGORIES for item in items(category)]
    for item in everything:
        assert 3 <= len(item.options) <= 8
        assert item.doubt is not None
        assert item.derivation
        assert item.given
    assert len({(item.text, item.options) for item in everything}) == 884


@pytest.mark.parametrize("rule_seed", [0, 1, 5])
def test_blind_guesses_at_procedural_items(rule_seed: int) -> None:
    chances = [1 / len(item.options) for item in items("procedural", rule_seed)]
    assert sum(chances) / len(chances) == pytest.approx(0.213, abs=0.005)


def test_right_options_stand_everywhere() -> None:
    by_size: dict[int, Counter[int]] = {}
    for category in bank.CATEGORIES:
        for item in items(category):
            by_size.setdefault(len(item.options), Counter())[item.answer] += 1
    for size in (4, 5, 6):
        places = by_size[size]
        share = sum(places.values()) / size
        assert all(abs(places[place] - share) < 0.25 * share for place in range(size)), places


def test_the_doubting_option_is_no_cue() -> None:
    """Each item has one; both kinds of it stand beside right answers, in the same words."""
    words = {
        kind: Counter(item.options[item.doubt or 0].split(":")[0] for item in items(kind))
        for kind in bank.CATEGORIES
    }
    asks, mismatches = set(words["ambiguity"]), set(words["hallucination"])
    assert asks.isdisjoint(mismatches)
    for kind in ("reading", "grounding", "procedural"):
        assert set(words[kind]) == asks | mismatches
        asking = sum(words[kind][word] for word in asks) / sum(words[kind].values())
        assert 0.35 < asking < 0.65


@pytest.mark.parametrize("policy", ["first", "longest"])
def test_the_form_of_options_gives_nothing_away(policy: str) -> None:
    choose = registry.policy(SPEC.id, policy)
    assert choose is not None
    asked = env("procedural", manual="none")
    right = 0.0
    for seed in range(499):
        asked.reset(seed)
        seen = asked.observe("reader")
        asked.act("reader", choose(seen, stream(seed, "test")))
        right += asked.metrics()["correct"]
    assert right / 499 < 0.27


def test_half_of_the_procedural_items_are_hard() -> None:
    hard = Counter(item.module for item in items("procedural") if item.hard)
    assert all(abs(hard[module] - count / 2) <= 1 for module, count in items_per_module().items())


def items_per_module() -> dict[str, int]:
    return dict(bank.ALLOCATION["procedural"])


def test_texts_are_no_form_letters() -> None:
    for module, count in items_per_module().items():
        openings = {
            item.text.split("“")[0] + item.text.split("“")[-1][:14]
            for item in items("procedural")
            if item.module == module
        }
        assert len(openings) > min(6, count), module


def test_the_same_items_under_other_rules() -> None:
    """Where the case does not depend on the rules, it stays; the answers change."""
    for module in ("Wires", "Simon Says", "Memory"):
        pairs = [
            (bank.question("procedural", slot), bank.question("procedural", slot, 1))
            for slot in bank.slots("procedural", module)
        ]
        changed = [a.options[a.answer] != b.options[b.answer] for a, b in pairs]
        assert sum(changed) > len(pairs) / 4
    for slot in bank.slots("procedural", "Wires"):
        standard, drawn = (bank.question("procedural", slot, rule_seed) for rule_seed in (0, 1))
        assert standard.given == drawn.given


@settings(max_examples=2)
@given(st.integers(1, 10**6))
def test_items_under_any_rules(rule_seed: int) -> None:
    """Every item can be made (a Question refuses equal options), and none is found twice."""
    for category in bank.CATEGORIES:
        found = [bank.question(category, slot, rule_seed) for slot in bank.slots(category)]
        assert len({(item.text, item.options) for item in found}) == COUNTS[category]


def test_the_manual_comes_page_by_page() -> None:
    pages = manual.pages()
    *given_pages, question = env("reading").observe("reader").percepts
    assert [p.channel for p in given_pages] == ["manual_text", "manual_pages"] * len(pages)
    assert [p.meaning for p in given_pages[::2]] == [page.text for page in pages]
    assert [p.meaning for p in given_pages[1::2]] == [page.text for page in pages]
    assert {p.keep for p in given_pages} == {"episode"}
    assert question.channel == "question"
    assert question.meaning.startswith(items("reading")[0].text)  # type: ignore[union-attr]


def test_a_page_is_drawn_upright() -> None:
    picture = env("reading", manual="module").observe("reader").percepts[1].render()
    assert (picture.width_px, picture.height_px) == (view.WIDTH_PX, view.HEIGHT_PX)  # type: ignore[union-attr]
    assert len(set(picture.rgb)) > 20  # type: ignore[union-attr]


def test_less_of_the_manual() -> None:
    assert [p.channel for p in env("procedural", manual="none").observe("reader").percepts] == [
        "question"
    ]
    for seed in range(12):
        asked = env("grounding", seed, manual="module")
        *pages, question = asked.observe("reader").percepts
        module = question.facts["module"]
        assert 0 < len(pages) < 12
        if module != bank.WIDGETS:
            assert all(str(module) in str(page.meaning) for page in pages[:2])


def test_the_brief_says_what_there_is() -> None:
    assert "You have its manual" in env("reading").brief("reader").rules
    assert "You have no manual" in env("reading", manual="none").brief("reader").rules


def test_variant_manuals_go_with_variant_items() -> None:
    asked = env("reading", rule_seed=4, module="Morse Code")
    texts = [p.meaning or "" for p in asked.observe("reader").percepts[:-1:2]]
    assert texts == [page.text for page in manual.pages(4)]
    question = asked.observe("reader").percepts[-1]
    assert bank.question("reading", bank.slots("reading", "Morse Code")[0], 4).text in str(
        question.meaning
    )


@pytest.mark.parametrize("level", COUNTS)
def test_the_oracle_is_right(level: str) -> None:
    oracle = registry.policy(SPEC.id, "oracle")
    assert oracle is not None
    asked = env(level, manual="none")
    for seed in range(COUNTS[level]):
        asked.reset(seed)
        asked.act("reader", oracle(asked.state(), "reader", stream(seed, "test")))
        assert asked.metrics() == {
            "raw_score": 1,
            "correct": 1,
            "answered": 1,
            "doubted": float(level in ("ambiguity", "hallucination")),
            "chance": pytest.approx(asked.metrics()["chance"]),
        }


def test_chance_play_scores_chance() -> None:
    """499 uniform guesses; the sd of the mean is 1.8 points."""
    policy = registry.policy(SPEC.id, "random")
    assert policy is not None
    asked = env("procedural", manual="none")
    right = 0.0
    for seed in range(499):
        asked.reset(seed)
        asked.act("reader", policy(asked.observe("reader"), stream(seed, "test", "guess")))
        right += asked.metrics()["correct"]
    assert right / 499 == pytest.approx(0.213, abs=0.055)
