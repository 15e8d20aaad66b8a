"""Myriad Echoes: layouts, phases, endings and numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.envs.omniplay.echoes.answers import KINDS, Click, Transcription
from polyathlon.envs.omniplay.echoes.rules import GRIDS, Rules
from polyathlon.envs.omniplay.echoes.scoring import metrics

ID = "omniplay/echoes-v0"
SEEDS = st.integers(0, 2**32)
LEVELS = st.sampled_from(sorted(GRIDS))


def started(level: str = "easy", seed: int = 0, **options: Any) -> Rules:
    rules = Rules(level, **{"phases": 2, "sequence_source": "own", "match": "leading", **options})
    rules.reset(seed)
    return rules


def truth(rules: Rules) -> Transcription:
    return Transcription(rules.order, rules.icons(rules.order))


def ended(rules: Rules) -> str:
    outcome = rules.outcome()
    assert outcome is not None
    assert rules.pending() == ()
    return outcome.reason


@given(LEVELS, SEEDS)
def test_layouts(level: str, seed: int) -> None:
    rules = started(level, seed)
    rows, columns = GRIDS[level]
    assert len(rules.layout) == len(rules.order) == rows * columns
    assert set(rules.order) == set(rules.kinds)
    counted = Counter(rules.layout)
    if level == "hard":
        assert set(counted) == set(KINDS)
        assert sorted(counted.values()) == [1] * 5 + [2] * 5
    else:
        assert set(counted.values()) == {1}


@given(LEVELS, SEEDS)
def test_a_decoy_puts_every_cell_elsewhere(level: str, seed: int) -> None:
    rules = started(level, seed)
    decoy = rules.decoy()
    assert sorted(decoy) == sorted(rules.order)
    assert all(a != b for a, b in zip(decoy, rules.order, strict=True))
    assert decoy == rules.decoy()


def test_layouts_and_orders_are_uniform() -> None:
    firsts: Counter[object] = Counter()
    kinds: Counter[object] = Counter()
    for seed in range(3_000):
        rules = started("easy", seed)
        firsts[rules.order[0]] += 1
        kinds[rules.layout[0]] += 1
    assert all(abs(count - 500) < 110 for count in firsts.values())  # 5 SD
    assert all(abs(kinds[kind] - 300) < 85 for kind in KINDS)


@pytest.mark.parametrize("level", GRIDS)
def test_the_whole_sequence(level: str) -> None:
    rules = started(level)
    step = rules.act("player", truth(rules))
    rewards = sum(step.rewards.values())
    for cell in rules.order:
        assert rules.pending() == ("player",)
        step = rules.act("player", Click(*cell))
        rewards += sum(step.rewards.values())
        assert step.status == "ok"
    assert ended(rules) == "repeated"
    count = len(rules.order)
    found = metrics(rules, None)
    assert found == {
        "raw_score": count,
        "score": count,
        "coordinate_accuracy": count,
        "icon_accuracy": count,
        "success": 1.0,
        "parse_failure": 0.0,
        "steps": 1.0 + count,
    }
    assert rewards == found["raw_score"]


@pytest.mark.parametrize(
    ("click", "status"),
    [
        (Malformed("no"), "malformed"),
        (Click(9, 9), "illegal"),
        (Click(0, 1), "illegal"),
        ("other", "ok"),
    ],
)
def test_the_first_wrong_click_ends_it(click: Any, status: str) -> None:
    rules = started()
    rules.act("player", truth(rules))
    rules.act("player", Click(*rules.order[0]))
    wrong = Click(*rules.order[0]) if click == "other" else click
    assert rules.act("player", wrong).status == status
    assert ended(rules) == "wrong_click"
    found = metrics(rules, None)
    assert (found["score"], found["success"], found["steps"]) == (1.0, 0.0, 3.0)
    assert found["raw_score"] == 0.5 + 0.25 * 6 + 0.25 * 6


@pytest.mark.parametrize("action", [Malformed("no"), Click(1, 1)])
def test_an_unreadable_sequence_skips_the_clicks(action: Any) -> None:
    rules = started()
    rules.act("player", action)
    assert ended(rules) == "parse_failure"
    found = metrics(rules, None)
    assert found["parse_failure"] == 1.0
    assert (found["raw_score"], found["steps"]) == (0.0, 1.0)


def test_with_the_true_sequence_clicks_follow_an_unreadable_one() -> None:
    rules = started(sequence_source="truth")
    rules.act("player", Malformed("no"))
    assert rules.sequence() == rules.order
    for cell in rules.order:
        rules.act("player", Click(*cell))
    assert ended(rules) == "repeated"
    found = metrics(rules, None)
    assert (found["raw_score"], found["success"], found["parse_failure"]) == (3.0, 1.0, 1.0)


def test_the_own_sequence_is_shown_and_the_truth_is_scored() -> None:
    rules = started()
    late = Transcription(rules.order[1:], rules.icons(rules.order)[1:])
    rules.act("player", late)
    assert rules.sequence() == rules.order[1:]
    rules.act("player", Click(*rules.sequence()[0]))
    assert ended(rules) == "wrong_click"
    assert metrics(rules, None)["raw_score"] == 0.0


def test_one_phase() -> None:
    rules = started("medium", phases=1)
    order, icons = rules.order, rules.icons(rules.order)
    wrong = (*icons[:4], "dog" if icons[4] != "dog" else "cat", *icons[5:])
    step = rules.act("player", Transcription(order, wrong))
    assert ended(rules) == "transcribed"
    found = metrics(rules, None)
    assert (found["coordinate_accuracy"], found["icon_accuracy"]) == (10.0, 4.0)
    assert found["raw_score"] == step.rewards["player"] == 7.0
    assert found["success"] == 0.0
    rules.reset(1)
    rules.act("player", truth(rules))
    assert metrics(rules, None)["success"] == 1.0


def test_matches_count_to_the_first_error_or_everywhere() -> None:
    for match, expected in (("leading", 2.0), ("positional", 4.0)):
        rules = started(match=match)
        order = list(rules.order)
        order[2], order[3] = order[3], order[2]
        rules.act("player", Transcription(tuple(order), rules.icons(tuple(order))))
        found = metrics(rules, None)
        assert (found["coordinate_accuracy"], found["icon_accuracy"]) == (expected, expected)


ACTIONS = st.one_of(
    st.builds(Click, st.integers(0, 4), st.integers(0, 6)),
    st.builds(
        Transcription,
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=20).map(tuple),
        st.lists(st.sampled_from(KINDS), max_size=20).map(tuple),
    ),
    st.just(Malformed("no")),
    st.sampled_from(["right", "truth"]),
)


@given(LEVELS, SEEDS, st.sampled_from(["own", "truth"]), st.integers(1, 2), st.lists(ACTIONS))
def test_any_play_keeps_its_numbers(
    level: str, seed: int, source: str, phases: int, wanted: list[Any]
) -> None:
    rules, again = (started(level, seed, sequence_source=source, phases=phases) for _ in range(2))
    count, rewards = len(rules.order), 0.0
    for item in wanted:
        action = item
        if item == "right":
            action = Click(*rules.order[min(rules.correct, count - 1)])
        elif item == "truth":
            action = truth(rules)
        over = rules.outcome() is not None
        step = rules.act("player", action)
        again.act("player", action)
        assert digest(rules.state()) == digest(again.state())
        rewards += sum(step.rewards.values())
        assert not over or (step.status == "illegal" and not step.rewards)
    found = metrics(rules, None)
    assert found["raw_score"] == pytest.approx(rewards)
    assert 0.0 <= found["raw_score"] <= count
    assert found["steps"] <= 1 + count
    assert 0.0 <= found["score"] <= count
    assert not (found["parse_failure"] and found["coordinate_accuracy"])
    assert (found["success"] == 1.0) <= (rules.outcome() is not None)


def test_options_from_the_outside() -> None:
    env = registry.make(ID, "hard", {"phases": "1", "match": "positional"})
    env.reset(0)
    assert "click" not in env.brief("player").answer.lower()
    both = registry.make(ID)
    both.reset(0)
    assert "Suggested click: (row,col)" in both.brief("player").answer
