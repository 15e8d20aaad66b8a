"""The reply protocol: a corpus of odd answers, and anything at all."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.agents.harness import protocol
from polyathlon.agents.harness.protocol import parse, without_thinking
from polyathlon.core.actions import FreeText, Labels, Malformed, Repeat, Repeats

MOVES = Labels(("up", "down", "left", "right", "push up"))
PAIRS = Repeats(("left", "hard_drop"), most=10, length=3)
WORDS = FreeText(100)

CORPUS = [
    ("thought: why\nmove: left", "left", ()),
    ("note: a board\nthought: why\nmove: left", "left", ()),
    ("Thought: why\nMOVE: LEFT", "left", ()),
    ("thought: why\naction: left", "left", ()),
    ("**thought:** why\n**move:** `left`", "left", ()),
    ("# thought: why\n# move: 'push  up'", "push up", ()),
    ("move: left", "left", ()),
    ("> thought: a\n> move: left", "left", ()),
    ("thought: first\n\nmove:\nleft", "left", ()),
    ("Let me see.\nthought: why\nmove: left\n\nGood luck!", "left", ("trailing-text",)),
    ("move: up\nno, better:\nmove: down", "down", ("several-moves",)),
    ("move: up\nmove: jump", "up", ("several-moves",)),
    ("<think>move: up</think>\nthought: why\nmove: left", "left", ("think-tags",)),
    ("it was move: up</think>thought: why\nmove: left", "left", ("think-tags",)),
    ("thought: x\nmove: left\n<think>hm", "left", ("think-tags",)),
    ("```\nthought: why\nmove: left\n```", "left", ("markup",)),
    ("<answer>thought: why\nmove: left</answer>", "left", ("markup",)),
    ('{"thought": "why", "move": "left"}', "left", ("json",)),
    ('```json\n{\n "Thought": "why",\n "Action": "LEFT"\n}\n```', "left", ("markup", "json")),
    ("thought: tiles are at the edge. move: left", "left", ("inline-label",)),
    ("I think the best is **move:** left", "left", ("inline-label",)),
    ("left", "left", ("no-label",)),
    ('"Left."', "left", ("no-label",)),
    ("move：left", "left", ()),
]


@pytest.mark.parametrize(("reply", "action", "repairs"), CORPUS)
def test_corpus_of_odd_answers(reply: str, action: str, repairs: tuple[str, ...]) -> None:
    parsed = parse(reply, MOVES)
    assert parsed.action == action
    assert parsed.repairs == repairs


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n\t",
        "I would rather slide the tiles to the left side.",
        "thought: left is best",
        "move:",
        "move: jump",
        "move: left or right",
        "<think>thought: a\nmove: left",
        '{"move": 3}',
        '{"move": "left"',
        "{" * 5000,
        "remove: left",
        "transaction: left",
    ],
)
def test_no_action_is_a_value_with_a_reason(reply: str) -> None:
    parsed = parse(reply, MOVES)
    assert isinstance(parsed.action, Malformed)
    assert parsed.action.reason


def test_thought_and_note_are_kept() -> None:
    parsed = parse("note: 2 and 4 in row 0\nthought: merge\nthem\nmove: up", MOVES)
    assert (parsed.note, parsed.thought) == ("2 and 4 in row 0", "merge\nthem")
    assert parse("thought: merge them. move: up", MOVES).thought == "merge them."
    assert parse('{"thought": "t", "note": "n", "move": "up"}', MOVES).note == "n"


def test_sequences_and_free_text() -> None:
    assert parse("thought: x\nmove: (left, 2), (hard_drop, 1)", PAIRS).action == (
        Repeat("left", 2),
        Repeat("hard_drop", 1),
    )
    assert parse("move: (left, 2)\n(hard_drop, 1)", PAIRS).action == (
        Repeat("left", 2),
        Repeat("hard_drop", 1),
    )
    assert parse("thought: t\nanswer: cut the\nred wire", WORDS).action == "cut the\nred wire"
    assert parse("Paris", WORDS).action == "Paris"


def test_think_tags() -> None:
    assert without_thinking("a<think>b</think>c") == "ac"
    assert without_thinking("a<think>b<think>c</think>d</think>e") == "ae"
    assert without_thinking("b</think>c") == "c"
    assert without_thinking("a<think>b") == "a"


PIECES = ["thought", "note", "move", "action", ":", "\n", " ", "left", "<think>", "</think>"]
PIECES += ["{", "}", '"', "```", "<answer>", "(", ",", "2", ")", "\x00", "\u2028", "é"]


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(PIECES)).map("".join),
    )
)
def test_any_text_gives_a_value(reply: str) -> None:
    for actions in (MOVES, PAIRS, WORDS):
        parsed = parse(reply, actions)
        if not isinstance(parsed.action, Malformed):
            assert actions.parse(actions.write(parsed.action)) == parsed.action


@given(st.sampled_from(MOVES.labels), st.text(alphabet=st.characters(exclude_characters="\n<>")))
def test_replies_of_the_grammar_parse(move: str, thought: str) -> None:
    for note in ("", f"note: {thought}\n"):
        parsed = parse(f"{note}thought: {thought}\nmove: {move}", MOVES)
        assert (parsed.action, parsed.repairs) == (move, ())


def test_grammar_text() -> None:
    text = protocol.grammar(MOVES, None)
    lines = dict(line.split(" ::= ") for line in text.splitlines())
    assert lines["root"] == r'"thought: " words "\nmove: " action'
    assert lines["action"] == " | ".join(json.dumps(label) for label in MOVES.labels)
    assert protocol.grammar(MOVES, None, note=True).startswith(
        r'root ::= "note: " words "\n" "thought'
    )


@pytest.mark.parametrize("piece", ["move: ", "move: left\n", "<think>", "</think>", "{", "```\n"])
def test_hostile_length_costs_linear_time(piece: str) -> None:
    start = time.process_time()
    parse(piece * 40_000, MOVES)
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize("note", [False, True])
@given(max_tokens=st.integers(96, 400))
def test_no_reply_of_a_grammar_is_cut_before_its_action(note: bool, max_tokens: int) -> None:
    """Even at one character a token, the longest words leave room for the action."""
    text = protocol.grammar(MOVES, max_tokens, note)
    most = int(re.search(r"words ::= \[ -;=\?-~\]\{1,(\d+)\}", text)[1])  # type: ignore[index]
    words = "w" * most
    noted = f"note: {words}\n" if note else ""
    assert most >= 16
    assert len(f"{noted}thought: {words}\nmove: push up") <= max_tokens
