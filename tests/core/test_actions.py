"""Action spaces: what is written reads back, and no text whatever raises."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.actions import (
    ActionSpace,
    FreeText,
    Labels,
    Malformed,
    Repeat,
    Repeats,
    gbnf_literal,
    tidy,
)
from polyathlon.core.chance import stream

NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
LABELS = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True).map(
    lambda labels: Labels(tuple(labels))
)
REPEATS = st.builds(
    Repeats,
    st.lists(NAMES, min_size=1, max_size=5, unique=True).map(tuple),
    st.integers(1, 20),
    st.integers(1, 4),
)
SPACES = LABELS | REPEATS | st.builds(FreeText, st.integers(1, 200))


@given(SPACES, st.integers(0, 2**32))
def test_a_sample_reads_back(space: ActionSpace[Any], seed: int) -> None:
    action = space.sample(stream(seed, "actions"))
    assert space.parse(space.write(action)) == action


@given(LABELS)
def test_every_label_reads_back(space: Labels) -> None:
    assert [space.parse(space.write(label)) for label in space.labels] == list(space.labels)


@given(REPEATS, st.data())
def test_every_sequence_of_pairs_reads_back(space: Repeats, data: st.DataObject) -> None:
    pairs = st.builds(Repeat, st.sampled_from(space.names), st.integers(1, space.most))
    action = tuple(data.draw(st.lists(pairs, min_size=1, max_size=space.length)))
    assert space.parse(space.write(action)) == action


@given(SPACES, st.text())
def test_parse_never_raises_and_what_it_reads_it_can_write(
    space: ActionSpace[Any], text: str
) -> None:
    action = space.parse(text)
    if not isinstance(action, Malformed):
        assert space.parse(space.write(action)) == action


@given(REPEATS, st.text("ab(),'\" 0123456789[]", max_size=60))
def test_parse_never_raises_near_the_grammar(space: Repeats, text: str) -> None:
    assert isinstance(space.parse(text), tuple | Malformed)


@pytest.mark.parametrize(
    "text",
    [
        "x" + "*" * 20_000 + "y",
        "(" + " " * 20_000 + "x",
        "(a" * 10_000,
        "(a " * 6_000 + ",",
        "\u0661" * 20_000,
    ],
)
@pytest.mark.parametrize("space", [Labels(("a", "b")), Repeats(("a", "b")), FreeText()])
def test_hostile_text_is_read_in_linear_time(space: ActionSpace[Any], text: str) -> None:
    started = time.process_time()
    space.parse(text)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("text", ["UP", " up. ", "**Up**", "`up`", '"up"', "#up", "up;"])
def test_labels_are_found_in_their_wrappings(text: str) -> None:
    assert Labels(("up", "down")).parse(text) == "up"


def test_a_label_equal_to_the_text_comes_before_a_similar_one() -> None:
    space = Labels(("a", "A", "c#", "go  far"))
    assert [space.parse(text) for text in ("A", "c#", "go  far")] == ["A", "c#", "go  far"]


def test_a_wrong_label_is_told_what_there_is() -> None:
    wrong = Labels(("up", "down")).parse("left")
    assert wrong == Malformed("not one of: up, down", "left")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(up, 0)", "not between 1 and 3"),
        ("(up, 4)", "not between 1 and 3"),
        ("(left, 1)", "unknown action 'left'"),
        ("up, up, up", "needs 1 to 2 actions, got 3"),
        ("", "needs 1 to 2 actions, got 0"),
        ("up!", "text besides the actions"),
    ],
)
def test_wrong_pairs_say_why(text: str, reason: str) -> None:
    wrong = Repeats(("up", "down"), most=3, length=2).parse(text)
    assert isinstance(wrong, Malformed)
    assert reason in wrong.reason


def test_pairs_are_read_as_models_write_them() -> None:
    space = Repeats(("jump", "turn left"), length=3)
    assert space.parse("[('jump', 3), JUMP, (turn  left,2)]") == (
        Repeat("jump", 3),
        Repeat("jump", 1),
        Repeat("turn left", 2),
    )


def test_free_text_has_a_length() -> None:
    assert FreeText(3).parse("  abc ") == "abc"
    assert isinstance(FreeText(3).parse("abcd"), Malformed)
    assert isinstance(FreeText(3).parse(" \n"), Malformed)


@given(st.text())
def test_a_gbnf_literal_is_the_text_in_llama_cpp_escapes(text: str) -> None:
    """Decoded by the escapes llama.cpp knows: backslash, quote, n, r, t, u and U."""
    literal = gbnf_literal(text)
    assert literal[0] == literal[-1] == '"'
    assert _unescape(literal[1:-1]) == text
    assert literal.isprintable()


def _unescape(body: str) -> str:
    known = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
    text, rest = "", iter(body)
    for char in rest:
        assert char != '"'
        if char == "\\":
            code = next(rest)
            digits = "".join(next(rest) for _ in range({"u": 4, "U": 8}.get(code, 0)))
            text += chr(int(digits, 16)) if digits else known[code]
        else:
            text += char
    return text


def test_a_grammar_lists_every_label() -> None:
    assert Labels(("up", 'say "hi"')).gbnf() == r'"up" | "say \"hi\""'


@given(st.text())
def test_tidy_changes_nothing_twice(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


def test_pointing_takes_the_nearest_label() -> None:
    space = Labels(("up", "down"), points=(("up", 0.5, 0.0), ("down", 0.5, 1.0)))
    assert space.from_point("board", 0.4, 0.8) == "down"
    assert Labels(("up",)).from_point("board", 0.4, 0.8) is None
