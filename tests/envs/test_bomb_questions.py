"""What the probes share: questions, how answers are read, and the rules of one question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.harness.protocol import parse
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.questions import (
    LETTERS,
    Choices,
    OneQuestion,
    Question,
    arranged,
    listed,
    metrics,
    percept,
)

CHOICES = Choices(("Cut the first wire", "A lamp", "Tap it - quickly", "To A or B"))
WORDS = st.text(st.sampled_from("abcdefgh xyzW-.()"), min_size=2, max_size=12).filter(
    lambda text: sum(map(str.isalpha, text)) > 1 and text == " ".join(text.split())
)


def question(**changes: object) -> Question:
    fields = {
        "category": "reading",
        "module": "Wires",
        "text": "Which?",
        "options": ("one", "two", "three"),
        "answer": 1,
        "derivation": "because",
        "doubt": 2,
    }
    return Question(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("A", "A"),
        ("b", "B"),
        ("(c)", "C"),
        ("[D]", "D"),
        ("**B**", "B"),
        ("C.", "C"),
        ("Answer: d", "D"),
        ("The answer is (b).", "B"),
        ("the right option is A", "A"),
        ("A) Cut the first wire", "A"),
        ("A: cut the first", "A"),
        ("C - because the wire is red", "C"),
        ("b, since it is lit", "B"),
        ("cut the FIRST wire.", "A"),
        ("a lamp", "B"),
        ("To A or B", "D"),
        ("C tap it - quickly", "C"),
        ("The answer is B because it is lit.", "B"),
        ("Option C is right", "C"),
        ("Option A is tempting, but the answer is D.", "D"),
    ],
)
def test_answers_are_read(text: str, letter: str) -> None:
    assert CHOICES.parse(text) == letter


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "E",
        "AB",
        "a wire",
        "B) Cut the first wire",
        "none",
        "7",
        "to a or c",
        "answer: a wire",
    ],
)
def test_what_is_no_answer(text: str) -> None:
    assert isinstance(CHOICES.parse(text), Malformed)


@given(st.text())
def test_any_text_is_a_letter_or_malformed(text: str) -> None:
    found = CHOICES.parse(text)
    assert isinstance(found, Malformed) or found in CHOICES.letters


@given(st.lists(WORDS, min_size=2, max_size=8, unique_by=lambda text: text.lower().strip(" -.()")))
def test_letters_and_words_are_read_back(options: list[str]) -> None:
    choices = Choices(tuple(options))
    for letter in choices.letters:
        for written in (letter, letter.lower(), f"({letter})", f"{letter}.", f"Answer: {letter}"):
            assert choices.parse(written) == letter


def test_a_reply_of_the_harness_is_read() -> None:
    parsed = parse("thought: the second line fits\nmove: B) a lamp", CHOICES)
    assert parsed.action == "B"


def test_the_space_describes_itself() -> None:
    assert CHOICES.describe() == "one letter from A to D"
    assert CHOICES.schema() == {"type": "string", "enum": ["A", "B", "C", "D"]}
    assert CHOICES.gbnf() == '"A" | "B" | "C" | "D"'
    assert set(CHOICES.controls().buttons.values()) == set("ABCD")
    rng = stream(1, "test")
    assert {CHOICES.sample(rng) for _ in range(60)} == set("ABCD")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": ("one",)}, "1 options"),
        ({"options": tuple("abcdefghi")}, "9 options"),
        ({"options": ("Same", "same.", "other")}, "equal"),
        ({"answer": 3}, "option 3"),
    ],
)
def test_broken_questions_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        question(**changes)


def test_the_right_option_stands_at_its_place() -> None:
    for place in range(4):
        options = arranged("right", ["a", "b", "c"], place, stream(place, "test"))
        assert options[place] == "right"
        assert sorted(options) == ["a", "b", "c", "right"]


def test_what_a_reader_sees() -> None:
    asked = percept(question())
    assert asked.meaning == "Which?\n\nA) one\nB) two\nC) three"
    assert asked.facts["suggests"] == "B"
    assert asked.facts["difficulty"] == "easy"
    assert listed(("x", "y")) == "A) x\nB) y"


def asked() -> OneQuestion:
    rules = OneQuestion("reader", lambda seed: question(text=f"Which of {seed}?"))
    rules.reset(3)
    return rules


@pytest.mark.parametrize(
    ("action", "status", "numbers"),
    [
        ("B", "ok", {"correct": 1, "answered": 1, "doubted": 0}),
        ("A", "ok", {"correct": 0, "answered": 1, "doubted": 0}),
        ("C", "ok", {"correct": 0, "answered": 1, "doubted": 1}),
        ("D", "illegal", {"correct": 0, "answered": 0, "doubted": 0}),
        (Malformed("no"), "malformed", {"correct": 0, "answered": 0, "doubted": 0}),
    ],
)
def test_one_answer_ends_it(
    action: str | Malformed, status: str, numbers: dict[str, float]
) -> None:
    rules = asked()
    assert rules.question.text == "Which of 3?"
    assert rules.pending() == ("reader",)
    step = rules.act("reader", action)
    assert step.status == status
    assert step.rewards.get("reader", 0) == numbers["correct"]
    assert rules.pending() == ()
    outcome = rules.outcome()
    assert outcome is not None
    assert outcome.winners == (("reader",) if numbers["correct"] else ())
    found = metrics(rules)
    assert {name: found[name] for name in numbers} == numbers
    assert found["chance"] == pytest.approx(1 / 3)
    assert found["raw_score"] == numbers["correct"]
    assert rules.act("reader", "B").status == "illegal"
    assert metrics(rules) == found


def test_the_letters_suffice_for_every_question() -> None:
    assert question().letter == "B"
    assert len(LETTERS) == 8
